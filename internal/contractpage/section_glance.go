package contractpage

// glance is the page in a table.
func (c *composer) glance() section {
	t := &table{ID: "summary", Caption: c.say("glance.caption", nil), Head: []phrase{c.say("glance.what", nil), c.say("glance.is", nil)}}
	row := func(key string, given args, form string) {
		t.Rows = append(t.Rows, []cell{{c.say(key, nil)}, {c.say(key+"."+form, given)}})
	}
	row("glance.deadline", args{"deadline": c.duration(c.p.Deadline)}, "is")
	row("glance.success", args{"statuses": {phrase: c.successes()}}, "is")
	row("glance.attempts", args{"attempts": c.between(c.fewest, c.most)}, "is")
	if c.most > 1 {
		given, form := c.lastAttempt()
		row("glance.last", given, form)
	}
	if c.p.GiveUp.Age > 0 {
		row("glance.age", args{"age": c.duration(c.p.GiveUp.Age)}, string(c.p.GiveUp.AgeFrom))
	}
	row("glance.in_flight", args{"n": c.count(float64(c.inFlight()))}, "is")
	if c.p.RateLimit > 0 {
		row("glance.rate", args{"rate": c.count(c.p.RateLimit)}, "is")
	}
	row("glance.order", nil, c.order())
	row("glance.id", args{"header": token(c.p.Headers.ID)}, "is")
	row("glance.signature", args{"header": token(c.p.Headers.Signature)}, string(c.p.Signature.Scheme))
	row("glance.kept", args{"retention": c.duration(c.retention)}, "is")
	return c.section("glance", block{Table: t})
}

func (c *composer) order() string {
	if c.p.FIFO {
		return "strict"
	}
	return "none"
}

// inFlight is how many deliveries an endpoint has in flight at most: an ordered
// one has one at a time.
func (c *composer) inFlight() int {
	if c.p.FIFO {
		return 1
	}
	return c.p.MaxInFlight
}

// lastAttempt says how long after the first attempt the last one is made, and
// in which form to say so. Where chance decides how many attempts there are, the
// extremes of jitter bound their number but not the time of the last: that is
// only bounded by the age.
func (c *composer) lastAttempt() (args, string) {
	last := c.timetable[c.most-1]
	given := args{"earliest": words(c.brief(last.Least)), "latest": words(c.brief(last.Most))}
	switch {
	case c.fewest != c.most:
		return given, "age"
	case c.brief(last.Least) == c.brief(last.Most):
		return given, "exact"
	default:
		return given, "range"
	}
}
