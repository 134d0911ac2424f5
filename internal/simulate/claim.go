package simulate

import (
	"cmp"
	"slices"
	"time"

	"github.com/malotehq/malote/internal/circuit"
	"github.com/malotehq/malote/internal/delivery"
)

// claim takes at most n due deliveries, the first of every ready lane before the
// second of any, and starts their attempts (Store.Claim). It returns how many,
// and how many lanes it looked at.
func (p *platform) claim(claimer *process, n int, trustedOnly bool, except []*lane) (claimed, looked int) {
	lanes := p.lockLanes(n, trustedOnly, except)
	taken := p.takeDeliveries(lanes, n)
	for _, d := range taken {
		p.begin(claimer, d)
	}
	for _, l := range lanes {
		p.park(l)
	}
	p.answer(claimer.attempts[len(claimer.attempts)-len(taken):])
	return len(taken), len(lanes)
}

// lockLanes gives the lanes that have waited longest (claim_lanes.sql).
func (p *platform) lockLanes(n int, trustedOnly bool, except []*lane) []*lane {
	var locked []*lane
	var passed []*turn
	for len(locked) < n {
		from, next := &p.trusted, p.trusted.first()
		if other := p.suspect.first(); !trustedOnly && other != nil && (next == nil || other.isBefore(next)) {
			from, next = &p.suspect, other
		}
		if next == nil || next.at.After(p.now) {
			break
		}
		from.turns.pop()
		if slices.Contains(except, next.lane) {
			passed = append(passed, next)
			continue
		}
		next.lane.turn = nil // until it is parked
		locked = append(locked, next.lane)
	}
	for _, t := range passed { // those named are trusted
		p.trusted.turns.push(t)
	}
	return locked
}

// takeDeliveries picks from the lanes in turn (claim_deliveries.sql). What it
// does not pick stays where it was.
func (p *platform) takeDeliveries(lanes []*lane, n int) []*Delivery {
	type offer struct {
		*Delivery
		place, turn int
	}
	var offers []offer
	for turn, l := range lanes {
		for place := range max(0, l.claimLimit-l.inFlight) {
			d, found := l.pending.first()
			if !found || d.NextAttemptAt.After(p.now) {
				break
			}
			offers = append(offers, offer{l.pending.pop(), place, turn})
		}
	}
	slices.SortFunc(offers, func(a, b offer) int { return cmp.Or(cmp.Compare(a.place, b.place), cmp.Compare(a.turn, b.turn)) })
	var taken []*Delivery
	for i, o := range offers {
		if i < n {
			taken = append(taken, o.Delivery)
		} else {
			o.lane.pending.push(o.Delivery)
		}
	}
	return taken
}

// park says where a lane stands after a claim (claim_park.sql).
func (p *platform) park(l *lane) {
	free := l.claimLimit - l.inFlight
	l.parkedFull = free <= 0
	next, found := l.pending.first()
	if l.parkedFull || !found {
		p.setReady(l, never)
		return
	}
	p.setReady(l, later(p.now, next.NextAttemptAt))
}

// begin makes an attempt of a claimed delivery.
func (p *platform) begin(claimer *process, d *Delivery) {
	l := d.lane
	d.attempts++
	d.State = delivery.Sending
	l.inFlight++
	a := &Attempt{
		Delivery: d, process: claimer,
		Claim: delivery.Claim{
			Endpoint: l.endpoint, Attempt: d.attempts, CycleAttempt: d.attempts, Trigger: delivery.TriggerSchedule,
			ScheduledAt: d.NextAttemptAt, CycleStartedAt: d.AcceptedAt, FirstAttemptAt: d.firstAttemptAt,
			ClaimedAt: p.now, ReceivedAt: p.now, LeaseUntil: p.now.Add(l.contract.Lease), Suspect: l.suspect,
		},
		Circuit:  l.circuit,
		Allowed:  circuit.ClaimLimit(l.contract.Circuit, l.circuit, l.maxInFlight, p.now),
		InFlight: l.inFlight,
	}
	if d.firstAttemptAt.IsZero() {
		d.firstAttemptAt = p.now
	}
	claimer.attempts = append(claimer.attempts, a)
}

// answer asks the receivers, once all of a claim is committed, and plans the ends.
func (p *platform) answer(attempts []*Attempt) {
	for _, a := range attempts {
		p.observer.began(a)
		a.Outcome = a.Delivery.lane.answer(a.Delivery, p.now)
		a.Outcome.StartedAt = p.now
		p.at(p.endOf(a), func() { p.complete(a) })
	}
}

// endOf is when the attempt's claim is completed: at the answer, at the deadline
// without one, or, if the worker died, when the lease ends (F12).
func (p *platform) endOf(a *Attempt) time.Time {
	if a.isLost() {
		return a.Claim.LeaseUntil
	}
	if deadline := a.Delivery.lane.contract.Deadline; a.Outcome.Duration > deadline {
		a.Outcome = delivery.Outcome{Error: delivery.Timeout, StartedAt: p.now, Duration: deadline}
	}
	return p.now.Add(a.Outcome.Duration)
}
