package contractpage

// checklist is what a receiver makes sure of before it goes live.
func (c *composer) checklist() section {
	given := args{
		"deadline": c.duration(c.p.Deadline), "statuses": {phrase: c.successes()}, "header": token(c.p.Headers.ID),
		"tolerance": c.duration(tolerance), "keep": c.duration(c.memory()), "limit": c.count(float64(c.inFlight())),
		"outcomes": {phrase: c.list(c.statusesThat(isFinal), c.or)},
	}
	keys := []string{"check.url", "check.verify", "check.rotation", "check.quick", "check.known"}
	if c.p.FIFO {
		keys = append(keys, "check.unknown")
	} else {
		keys = append(keys, "check.order", "check.unknown", "check.parallel")
	}
	if given["outcomes"].phrase != nil {
		keys = append(keys, "check.final")
	}
	var items []phrase
	for _, key := range append(keys, "check.reconcile", "check.contact") {
		items = append(items, c.say(key, given))
	}
	return c.section("checklist", block{Checks: items})
}
