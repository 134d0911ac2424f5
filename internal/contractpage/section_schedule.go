package contractpage

import (
	"github.com/malotehq/malote/internal/policy"
)

// Longer timetables are shown with their beginning and their end.
const (
	mostRows  = 45
	firstRows = 30
	lastRows  = 3
)

// schedule is when attempts are made, and when there is none any more.
func (c *composer) schedule() section {
	s := c.p.Schedule
	given := args{
		"delay": c.duration(s.FirstDelay), "minimum": c.duration(s.MinimumWait),
		"percent": c.count(s.Jitter.Percent), "cap": c.duration(c.p.RetryAfter.Cap),
		"attempts": c.between(c.fewest, c.most), "age": c.duration(c.p.GiveUp.Age),
	}
	first := "schedule.first.at_once"
	if s.FirstDelay > 0 {
		first = "schedule.first.delayed"
	}
	if c.most == 1 {
		return c.section("schedule", c.paragraph(given, first, "schedule.only"), c.paragraph(nil, "schedule.dead"))
	}
	waits := []string{first, "schedule.waits", "schedule.jitter." + string(s.Jitter.Kind), "schedule.anchor." + string(s.Anchor)}
	if c.minimumShows() {
		waits = append(waits, "schedule.minimum")
	}
	blocks := []block{c.paragraph(given, waits...), c.paragraph(given, c.pauseKey()), {Table: c.scheduleTable()}}
	if c.fewest != c.most {
		blocks = append(blocks, c.paragraph(nil, "schedule.fewer"))
	}
	if p := c.picture(); p != nil {
		blocks = append(blocks, block{Timetable: p})
	}
	return c.section("schedule", append(blocks, c.subheading("giving-up", "schedule.end"), block{Items: c.ends(given)}, c.paragraph(nil, "schedule.dead"))...)
}

func (c *composer) pauseKey() string {
	for _, row := range c.answers {
		if row.verdict.pause > 0 {
			return "schedule.pause.obeyed"
		}
	}
	return "schedule.pause.ignored"
}

// minimumShows says whether the least wait between two attempts changes any
// time that jitter can give.
func (c *composer) minimumShows() bool {
	without := *c.p
	without.Schedule.MinimumWait = 0
	for i, row := range policy.Schedule(&without) {
		if i < len(c.timetable) && (row.Least != c.timetable[i].Least || row.Without != c.timetable[i].Without) {
			return true
		}
	}
	return false
}

func (c *composer) hasJitter() bool { return c.p.Schedule.Jitter.Kind != policy.NoJitter }

func (c *composer) scheduleTable() *table {
	head := []phrase{c.say("schedule.attempt", nil), c.say("schedule.wait", nil), c.say("schedule.exact", nil)}
	if c.hasJitter() {
		head = []phrase{head[0], head[1], c.say("schedule.without", nil), c.say("schedule.shortest", nil), c.say("schedule.longest", nil)}
	}
	t := &table{ID: "timetable", Caption: c.say("schedule.caption", nil), Head: head}
	for i, row := range c.shownInstants() {
		if i == firstRows && len(c.timetable) > mostRows {
			t.add(words("…"), slicesOf(words("…").phrase, len(head)-1)...)
		}
		wait := c.brief(row.Wait)
		if row.Attempt == 1 {
			wait = none
		}
		cells := []phrase{words(wait).phrase, words(c.brief(row.Without)).phrase}
		if c.hasJitter() {
			cells = append(cells, words(c.brief(row.Least)).phrase, words(c.brief(row.Most)).phrase)
		}
		t.add(c.count(float64(row.Attempt)), cells...)
	}
	return t
}

func slicesOf(p phrase, n int) []phrase {
	list := make([]phrase, n)
	for i := range list {
		list[i] = p
	}
	return list
}

func (c *composer) shownInstants() []policy.Instant {
	if len(c.timetable) <= mostRows {
		return c.timetable
	}
	shown := append([]policy.Instant{}, c.timetable[:firstRows]...)
	return append(shown, c.timetable[len(c.timetable)-lastRows:]...)
}

// ends lists what ends a delivery, whichever comes first.
func (c *composer) ends(given args) []phrase {
	var ends []phrase
	if c.p.MostAttempts() > 0 {
		ends = append(ends, c.say("schedule.end.attempts", args{"n": c.count(float64(c.p.MostAttempts()))}))
	}
	if c.p.GiveUp.Age > 0 {
		ends = append(ends, c.say("schedule.end.age."+string(c.p.GiveUp.AgeFrom), given))
	}
	if final := c.finalOutcomes(); final != nil {
		ends = append(ends, c.say("schedule.end.outcomes", args{"outcomes": {phrase: final}}))
	}
	return ends
}

// finalOutcomes names what is not tried again because a rule says so, or nil.
func (c *composer) finalOutcomes() phrase {
	return c.outcomes(isFinal)
}

func isFinal(v verdict) bool { return v.cause == policy.ByRule }
