package policy

import "time"

func (p *Policy) readSchedule(s *section) {
	s.need("schedule")
	part := s.sub("schedule", "kind", "waits", "then", "base", "factor", "cap",
		"jitter", "anchor", "first_delay", "minimum_wait")
	if part == nil {
		return
	}
	part.need("kind")
	b := &p.Schedule
	b.Kind = choice(part, "kind", Table, Table, Exponential)
	if b.Kind == Table {
		b.readTable(part)
	} else {
		b.readExponential(part)
	}
	b.Jitter = readJitter(part)
	b.Anchor = choice(part, "anchor", Finished, Finished, Scheduled)
	b.FirstDelay = part.duration("first_delay", 0)
	b.MinimumWait = part.duration("minimum_wait", time.Second)
	if longestWait := b.longest(); part.has("minimum_wait") && b.MinimumWait > longestWait {
		part.complain("minimum_wait", "is more than the longest wait (%s), which would then mean nothing", short(longestWait))
	}
}

func (b *Backoff) readTable(part *section) {
	part.forbid("in a table", "base", "factor", "cap")
	part.need("waits")
	b.Waits = part.durations("waits")
	if len(b.Waits) == 0 || len(b.Waits) > mostInstants {
		part.complain("waits", "must list 1 to %d durations", mostInstants)
	}
	b.Repeat = choice(part, "then", "end", "end", "repeat") == "repeat"
}

func (b *Backoff) readExponential(part *section) {
	part.forbid("in an exponential schedule", "waits", "then")
	part.need("base")
	part.need("cap")
	b.Base = part.duration("base", 0)
	b.Factor = part.number("factor", 2, 100)
	b.Cap = part.duration("cap", 0)
	if b.Base <= 0 {
		part.complain("base", "must be more than 0s")
	}
	if b.Factor < 1 {
		part.complain("factor", "must be at least 1: waits do not shrink")
	}
	if b.Cap < b.Base {
		part.complain("cap", "is below base (%s)", short(b.Base))
	}
}

// longest is the longest wait before jitter.
func (b *Backoff) longest() time.Duration {
	longest := b.Cap
	for _, wait := range b.Waits {
		longest = max(longest, wait)
	}
	return longest
}

func readJitter(part *section) Jitter {
	s := part.sub("jitter", "kind", "percent")
	if s == nil {
		return Jitter{Kind: NoJitter}
	}
	s.need("kind")
	kind := choice(s, "kind", NoJitter, NoJitter, EqualJitter, FullJitter, PercentJitter, AdditiveJitter)
	if kind != PercentJitter && kind != AdditiveJitter {
		s.forbid("with this kind of jitter", "percent")
		return Jitter{Kind: kind}
	}
	s.need("percent")
	return Jitter{Kind: kind, Percent: s.number("percent", 0, 100)}
}

func (p *Policy) readRetryAfter(s *section) {
	part := s.sub("retry_after", "on", "cap")
	if part == nil {
		return
	}
	part.need("on")
	p.RetryAfter.On = part.conditions("on", nil, isAnswer)
	if len(p.RetryAfter.On) == 0 {
		part.forbid("where no answer is obeyed", "cap")
		return
	}
	part.need("cap")
	p.RetryAfter.Cap = part.duration("cap", 0)
	if p.RetryAfter.Cap <= 0 {
		part.complain("cap", "must be more than 0s; to obey no answer, leave the list empty")
	}
}

func (p *Policy) readGiveUp(s *section) {
	part := s.sub("give_up", "attempts", "age", "age_from")
	if part == nil {
		part = &section{reader: s.reader, at: s.at, path: "give_up"}
	}
	g := &p.GiveUp
	g.Attempts = part.count("attempts", 0, mostInstants)
	g.Age = part.duration("age", 0)
	g.AgeFrom = choice(part, "age_from", FromAccepted, FromAccepted, FromFirstAttempt)
	if part.has("age") && g.Age == 0 {
		part.complain("age", "must be more than 0s; without a limit, leave it out")
	}
	if !part.has("age") {
		part.forbid("without an age", "age_from")
	}
	if part.err != nil {
		return // the rest looks at the whole schedule, which may be incomplete
	}
	p.checkEnd(part)
}

// checkEnd refuses policies that never end, and limits that contradict the
// schedule.
func (p *Policy) checkEnd(part *section) {
	g, b := p.GiveUp, p.Schedule
	end := len(b.Waits) + 1
	if b.Kind == Table && !b.Repeat && g.Attempts > end {
		part.complain("attempts", "is more than the %d that the schedule's waits lead to", end)
	}
	if p.MostAttempts() == 0 && g.Age == 0 {
		part.complain("attempts", "or age is missing: a delivery must end some day")
		return
	}
	fewest, most := Attempts(Schedule(p))
	if p.MostAttempts() == 0 && most >= mostInstants {
		part.complain("attempts", "is missing: the schedule would lead to %d attempts or more", mostInstants)
	}
	if fewest == 1 && p.MostAttempts() != 1 {
		part.complain("age", "leaves no time for a second attempt; if that is meant, set attempts: 1")
	}
}
