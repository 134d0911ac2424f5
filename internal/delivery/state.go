package delivery

// State is where a delivery stands.
type State string

// The states of the public API. Pending and Sending are open: their rows are
// in the queue. All others are closed and have a reason.
const (
	Pending    State = "pending"
	Sending    State = "sending"
	Delivered  State = "delivered"
	Dead       State = "dead"
	Skipped    State = "skipped"
	Superseded State = "superseded"
	Resolved   State = "resolved"
	Discarded  State = "discarded"
)

// States lists every state in the order of a delivery's life.
var States = []State{Pending, Sending, Delivered, Dead, Skipped, Superseded, Resolved, Discarded}

// Open says whether work remains to be done.
func (s State) Open() bool { return s == Pending || s == Sending }

// Trigger is why an attempt is made; it is sent as webhook-trigger (S07).
type Trigger string

// The triggers of S07.
const (
	TriggerSchedule Trigger = "schedule"
	TriggerReplay   Trigger = "replay"
	TriggerTest     Trigger = "test"
	TriggerRecover  Trigger = "recover"
)

// EndpointStatus is whether an endpoint takes deliveries.
type EndpointStatus string

// Paused is an operator's doing; a circuit that pauses an endpoint for a while
// leaves it Active with a PausedUntil. Deleted endpoints are kept so that the
// history that names them can still be read.
const (
	Active           EndpointStatus = "active"
	Paused           EndpointStatus = "paused"
	DisabledByUser   EndpointStatus = "disabled_by_user"
	DisabledBySystem EndpointStatus = "disabled_by_system"
	Deleted          EndpointStatus = "deleted"
)

// Accepts says whether new events become deliveries. A paused endpoint
// collects them; a disabled one's are recorded as skipped.
func (s EndpointStatus) Accepts() bool { return s == Active || s == Paused }
