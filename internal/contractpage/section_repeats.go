package contractpage

import (
	"slices"
	"time"

	"github.com/malotehq/malote/internal/policy"
)

// leastMemory is how long a receiver remembers ids at least (D12).
const leastMemory = 7 * day

// repeats is what a receiver may rely on, and what not.
func (c *composer) repeats() section {
	keep := c.memory()
	given := args{
		"header": token(c.p.Headers.ID), "lease": c.duration(c.p.Lease), "keep": c.duration(keep),
		"retention": c.duration(c.retention), "n": c.count(float64(c.inFlight())), "rate": c.count(c.p.RateLimit),
	}
	memory := []string{"repeats.keep"}
	if keep < c.retention {
		memory = append(memory, "repeats.keep_longer")
	}
	pace := []string{"pace.in_flight", "pace.no_rate"}
	if c.p.FIFO {
		pace[0] = "pace.fifo"
	}
	if c.p.RateLimit > 0 {
		pace[1] = "pace.rate"
	}
	blocks := []block{
		c.subheading("once", "repeats.once"), c.paragraph(given, "repeats.at_least_once", "repeats.known"),
		c.paragraph(given, memory...), c.paragraph(given, "repeats.at_most_once"),
		c.subheading("order", "repeats.order"), c.paragraph(given, "order."+c.order(), "order.version"),
	}
	if member, has := c.member(policy.OccurredAt); has {
		last := &blocks[len(blocks)-1]
		last.Text = append(append(last.Text, span{plain, " "}), c.say("order.occurred", args{"member": token(inJSON(member))})...)
	}
	return c.section("repeats", append(blocks, c.paragraph(given, "order.coalesced"),
		c.subheading("pace", "repeats.pace"), c.paragraph(given, append(pace, "pace.others")...))...)
}

// memory is how long after the first attempt the schedule can bring an event
// once more, in whole days and with a day to spare.
func (c *composer) memory() time.Duration {
	latest := c.p.GiveUp.Age
	for _, row := range c.timetable {
		latest = max(latest, row.Most, row.Least)
	}
	return max(leastMemory, latest.Truncate(day)+2*day)
}

// member is the name under which the body has a value.
func (c *composer) member(content policy.Value) (name string, has bool) {
	i := slices.IndexFunc(c.p.Envelope.Members, func(m policy.Member) bool { return m.Value == content })
	if i < 0 {
		return "", false
	}
	return c.p.Envelope.Members[i].Name, true
}
