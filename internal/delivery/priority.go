package delivery

// MaxPriority is the highest priority of a tenant; the lowest is 0.
const MaxPriority = 99

// Weight is how many deliveries an endpoint gets in its turn while others wait,
// by its tenant's priority (A09): one more than the priority. Everybody has a
// turn, so that the lowest never starves, and has it before anybody's second.
func Weight(priority int) int { return 1 + min(max(priority, 0), MaxPriority) }
