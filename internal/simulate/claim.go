package simulate

import (
	"cmp"
	"slices"
	"time"

	"github.com/malotehq/malote/internal/circuit"
	"github.com/malotehq/malote/internal/delivery"
)

// claim takes at most n due deliveries, the first of every ready lane before the
// second of any, none beyond the room, and starts their attempts
// (Store.ClaimHanded). It returns how many, and whether a lane was not looked at
// that something might be claimed of.
func (p *platform) claim(claimer *process, n int, left room) (claimed int, isMore bool) {
	lanes := p.lockLanes(n, left)
	taken := p.takeDeliveries(lanes, n, left)
	for _, d := range taken {
		left.Room = left.Take(left.standingOf(d.lane))
	}
	for _, d := range taken {
		p.begin(claimer, d)
	}
	for _, l := range lanes {
		p.park(l)
	}
	p.answer(claimer.attempts[len(claimer.attempts)-len(taken):])
	return len(taken), len(taken) < n && len(lanes) > 0 && p.isMore(left)
}

// isMore says whether a lane is due that something may be claimed of.
func (p *platform) isMore(left room) bool {
	next := p.next(left)
	if next != nil {
		p.lines[next.standing].turns.push(next)
	}
	return next != nil
}

// lockLanes gives the lanes that have waited longest and of which there is room to
// claim something (claim_lanes.sql, admit).
func (p *platform) lockLanes(n int, left room) []*lane {
	var locked []*lane
	for len(locked) < n {
		next := p.next(left)
		if next == nil {
			break
		}
		left.Room = left.Take(left.standingOf(next.lane))
		next.lane.turn = nil // until it is parked
		locked = append(locked, next.lane)
	}
	return locked
}

// next takes the due lane out of its line that has waited longest and of which
// there is room to claim something; nil if there is none.
func (p *platform) next(left room) (next *turn) {
	var passed []*turn
	for next == nil {
		first := p.firstOf(left)
		if first == nil || first.at.After(p.now) {
			break
		}
		p.lines[first.standing].turns.pop()
		if left.For(left.standingOf(first.lane), 1) == 0 {
			passed = append(passed, first)
		} else {
			next = first
		}
	}
	for _, t := range passed {
		p.lines[t.standing].turns.push(t)
	}
	return next
}

// firstOf is the first turn of all lines that there is room for.
func (p *platform) firstOf(left room) (first *turn) {
	for standing, line := range p.lines {
		if t := line.first(); t != nil && left.For(standing, 1) > 0 && (first == nil || t.isBefore(first)) {
			first = t
		}
	}
	return first
}

// takeDeliveries picks from the lanes in turn (claim_deliveries.sql). What it
// does not pick stays where it was.
func (p *platform) takeDeliveries(lanes []*lane, n int, left room) []*Delivery {
	type offer struct {
		*Delivery
		place, turn int
	}
	var offers []offer
	for turn, l := range lanes {
		for place := range max(0, l.limit()-l.inFlight) {
			d, found := l.pending.first()
			if !found || d.NextAttemptAt.After(p.now) {
				break
			}
			offers = append(offers, offer{l.pending.pop(), place, turn})
		}
	}
	slices.SortFunc(offers, func(a, b offer) int { return cmp.Or(cmp.Compare(a.place, b.place), cmp.Compare(a.turn, b.turn)) })
	var taken []*Delivery
	for _, o := range offers {
		if standing := left.standingOf(o.lane); len(taken) < n && left.For(standing, 1) > 0 {
			left.Room = left.Take(standing)
			taken = append(taken, o.Delivery)
		} else {
			o.lane.pending.push(o.Delivery)
		}
	}
	return taken
}

// park says where a lane stands after a claim (claim_park.sql).
func (p *platform) park(l *lane) {
	free := l.limit() - l.inFlight
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
			ClaimedAt: p.now, ReceivedAt: p.now, LeaseUntil: p.now.Add(l.contract.Lease), Standing: l.standing,
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
