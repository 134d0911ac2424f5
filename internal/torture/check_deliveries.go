package torture

import "slices"

// checkDeliveries compares each delivery with its attempts and with what its
// receiver saw.
func (c *checker) checkDeliveries() {
	for i := range c.Deliveries {
		d := &c.Deliveries[i]
		endpoint := c.endpoints[d.EndpointID]
		if endpoint == nil {
			continue
		}
		seen, attempts := c.requests[pair{d.EventID, d.EndpointID}], c.attempts[d.ID]
		c.checkEnd(d, endpoint, seen)
		if !d.Open() {
			c.checkAttempts(d, attempts)
		}
		for _, a := range attempts {
			if isSuccess(a.Status) && a.Code == "" && !slices.ContainsFunc(seen, func(r *Request) bool { return r.Accepted && r.Attempt == a.Number }) {
				c.blame(Recorded, "attempt %d of %s counts as a success, and %s accepted no such request", a.Number, d.ID, endpoint.Name)
			}
		}
		for _, r := range seen {
			if numbered(attempts, r.Attempt) == 0 && !d.Open() && d.State != "superseded" {
				c.blame(Recorded, "%s saw attempt %d of %s, of which there is no record", endpoint.Name, r.Attempt, d.ID)
			}
		}
		c.checkLost(d, endpoint, seen, attempts)
	}
}

func numbered(attempts []*AttemptRecord, number int) (n int) {
	for _, a := range attempts {
		if a.Number == number {
			n++
		}
	}
	return n
}

func isSuccess(status int) bool { return status >= 200 && status < 300 }

func (c *checker) checkEnd(d *Delivery, endpoint *Endpoint, seen []*Request) {
	accepted := slices.ContainsFunc(seen, func(r *Request) bool { return r.Accepted })
	switch {
	case d.Open():
		c.blame(NothingAsleep, "%s to %s is still %s after %d attempts, when all should long be over", d.ID, endpoint.Name, d.State, d.AttemptCount)
	case d.State == "delivered" && !accepted:
		c.blame(Received, "%s is delivered, and %s accepted nothing", d.ID, endpoint.Name)
	case d.State != "delivered" && d.Reason == "":
		c.blame(Accounted, "%s to %s is %s without a reason", d.ID, endpoint.Name, d.State)
	}
	if endpoint.AtMostOnce && len(seen) > 1 {
		c.blame(AtMostOnce, "%s saw %s %d times, attempts %d and %d among them", endpoint.Name, d.EventID, len(seen), seen[0].Attempt, seen[1].Attempt)
	}
}

// checkAttempts: what the delivery counts is what is listed, without holes.
// A superseded one may lack the last: the claim that made it is lost if the
// server loses its last moments, and something newer has its place by then.
func (c *checker) checkAttempts(d *Delivery, attempts []*AttemptRecord) {
	numbers := make(map[int]bool)
	for _, a := range attempts {
		numbers[a.Number] = true
		if a.Number > d.AttemptCount && d.State != "superseded" {
			c.blame(LostIsLost, "%s was closed by attempt %d, though attempt %d was made", d.ID, d.AttemptCount, a.Number)
		}
	}
	for n := 1; n <= d.AttemptCount; n++ {
		if !numbers[n] {
			c.blame(Recorded, "%s counts %d attempts, and there is no record of attempt %d", d.ID, d.AttemptCount, n)
		}
	}
}

// checkLost: after an attempt that succeeded there is another only if its claim
// was lost before it was completed. A claim is lost when its lease ends, and
// nothing is sent when little is left of that; so an attempt that follows at once
// was made because somebody completed a claim that was not his. Two attempts with
// one number are a claim that PostgreSQL lost, and its successor.
func (c *checker) checkLost(d *Delivery, endpoint *Endpoint, seen []*Request, attempts []*AttemptRecord) {
	for _, a := range attempts {
		if !isSuccess(a.Status) || a.Code != "" || numbered(attempts, a.Number) > 1 {
			continue
		}
		first := slices.IndexFunc(seen, func(r *Request) bool { return r.Accepted && r.Attempt == a.Number })
		if first < 0 {
			continue
		}
		for _, later := range seen {
			if after := later.Start - seen[first].Start; later.Attempt > a.Number && after < c.Lease/2 && !c.late(seen[first]) {
				c.blame(LostIsLost, "%s accepted attempt %d of %s, it is recorded, and attempt %d came %v after it",
					endpoint.Name, a.Number, d.ID, later.Attempt, after)
			}
		}
	}
}
