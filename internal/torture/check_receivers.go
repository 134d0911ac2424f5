package torture

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// checkRequests: whatever arrives is genuine, and what somebody published.
func (c *checker) checkRequests() {
	for i := range c.Requests {
		r := &c.Requests[i]
		endpoint := c.endpoints[r.Endpoint]
		if endpoint == nil || !r.Whole {
			continue
		}
		if r.Problem != "" {
			c.blame(Signed, "%s got %s, attempt %d: %s", endpoint.Name, r.EventID, r.Attempt, r.Problem)
		}
		event, meant := c.events[r.EventID], c.intents[r.Digest]
		switch {
		case event == nil:
			c.blame(NoInvention, "%s got %s, which is not there", endpoint.Name, r.EventID)
		case event.Digest != r.Digest || meant == nil:
			c.blame(SameBytes, "%s got %s with a body that is not its", endpoint.Name, r.EventID)
		case !endpoint.takes(event.Type):
			c.blame(NoInvention, "%s got %s, and does not take %s", endpoint.Name, r.EventID, event.Type)
		}
	}
}

// late says that a request may come from a process that had been stopped for
// longer than its lease.
func (c *checker) late(r *Request) bool {
	return slices.ContainsFunc(c.Resumes, func(at time.Duration) bool {
		return r.Start >= at && r.Start <= at+c.Deadline+time.Second
	})
}

// uncounted says that a request may have been sent under a claim that PostgreSQL
// lost in a crash.
func (c *checker) uncounted(r *Request) bool {
	return slices.ContainsFunc(c.Crashes, func(s Span) bool {
		return r.Start >= s.From-c.Deadline && r.Start <= s.To
	})
}

// over is when a request was over for its sender, who gives up at the deadline;
// that the connection is gone a receiver may notice much later.
func (c *checker) over(r *Request) time.Duration { return min(r.End, r.Start+c.Deadline) }

// checkLimits counts, by the receivers' own log, what was under way at once.
func (c *checker) checkLimits() {
	type change struct {
		at time.Duration
		by int
	}
	changes := make(map[string][]change)
	for i := range c.Requests {
		r := &c.Requests[i]
		if !c.late(r) && !c.uncounted(r) {
			changes[r.Endpoint] = append(changes[r.Endpoint], change{r.Start, 1}, change{c.over(r), -1})
		}
	}
	for id, list := range changes {
		endpoint := c.endpoints[id]
		if endpoint == nil {
			c.blame(NoInvention, "requests came to %q, which was never registered", id)
			continue
		}
		slices.SortFunc(list, func(a, b change) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.by, b.by)) })
		now, most, when := 0, 0, time.Duration(0)
		for _, step := range list {
			if now += step.by; now > most {
				most, when = now, step.at
			}
		}
		limit := endpoint.Limit
		if endpoint.FIFO {
			limit = 1
		}
		if most > limit {
			c.blame(WithinLimit, "%s had %d requests at once, %v after the start, and its limit is %d:%s", endpoint.Name, most, when, limit, c.around(id, when))
		}
	}
}

// around tells which requests were under way at an instant.
func (c *checker) around(endpoint string, at time.Duration) (text string) {
	for i := range c.Requests {
		if r := &c.Requests[i]; r.Endpoint == endpoint && r.Start <= at && c.over(r) > at {
			text += fmt.Sprintf(" %s attempt %d from %v to %v;", r.EventID, r.Attempt, r.Start, r.End)
		}
	}
	return text
}

// checkOrder: at a strictly ordered endpoint nothing arrives for the first time
// before what was published earlier was accepted there, or given up.
func (c *checker) checkOrder() {
	for i := range c.Endpoints {
		if endpoint := &c.Endpoints[i]; endpoint.FIFO {
			c.checkOrderOf(endpoint)
		}
	}
}

func (c *checker) checkOrderOf(endpoint *Endpoint) {
	type arrival struct {
		order           int
		event           string
		first, accepted time.Duration
	}
	var arrivals []arrival
	for at, seen := range c.requests {
		event := c.events[at.event]
		if at.endpoint != endpoint.ID || event == nil {
			continue
		}
		meant := c.intents[event.Digest]
		if meant == nil || meant.Order == 0 {
			continue
		}
		a := arrival{order: meant.Order, event: at.event, first: seen[0].Start, accepted: -1}
		for _, r := range seen {
			a.first = min(a.first, r.Start)
			if r.Accepted && (a.accepted < 0 || r.Start < a.accepted) {
				a.accepted = r.Start
			}
		}
		arrivals = append(arrivals, a)
	}
	slices.SortFunc(arrivals, func(a, b arrival) int { return cmp.Compare(a.order, b.order) })
	for i := 1; i < len(arrivals); i++ {
		before, after := arrivals[i-1], arrivals[i]
		if before.accepted >= 0 && after.first < before.accepted {
			c.blame(InOrder, "%s saw event %d (%s) after %v, and event %d (%s), published before it, was accepted only after %v",
				endpoint.Name, after.order, after.event, after.first, before.order, before.event, before.accepted)
		}
	}
}
