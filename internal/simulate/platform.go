package simulate

import (
	"slices"
	"time"

	"github.com/malotehq/malote/internal/circuit"
	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
)

// observer is told what happens on a platform.
type observer interface {
	began(*Attempt)
	ended(*Attempt) // decided and applied
	signalled([]circuit.Signal)
}

// platform is the processes that send and the database that they share.
type platform struct {
	timeline
	random   policy.Random
	observer observer

	processes []*process
	first     int // which of them claims first the next time

	trusted, suspect line // lanes that may have claimable work, apart as their indexes are
	accepted         int
}

func newPlatform(start time.Time, random policy.Random, observer observer) *platform {
	return &platform{
		timeline: newTimeline(start), random: random, observer: observer,
		trusted: newLine(), suspect: newLine(),
	}
}

// process has slots, and a quota of them for suspects (dispatch.quota).
type process struct {
	slots, quota int
	attempts     []*Attempt // in flight
}

// newProcess keeps half of the slots for those that answer in good time.
func newProcess(slots int) *process { return &process{slots: slots, quota: max(1, slots/2)} }

func (p *process) free() int { return p.slots - len(p.attempts) }

// left is how many slots suspects may still take, and which lanes have an
// attempt under way that should have been answered by now.
func (p *process) left(now time.Time) (slots int, hanging []*lane) {
	slots = p.quota
	for _, a := range p.attempts {
		isLate := now.Sub(a.Claim.ClaimedAt) > delivery.SlowAnswer
		if a.Claim.Suspect || isLate {
			slots--
		}
		if isLate && !slices.Contains(hanging, a.Delivery.lane) {
			hanging = append(hanging, a.Delivery.lane)
		}
	}
	return max(0, slots), hanging
}

func (p *process) release(a *Attempt) {
	i := slices.Index(p.attempts, a)
	p.attempts = slices.Delete(p.attempts, i, i+1)
}

// publish accepts an event for the lane's endpoint now, and wakes the lane if it
// looks parked (store.WakeLanes).
func (p *platform) publish(l *lane) *Delivery {
	d := &Delivery{Number: p.accepted, AcceptedAt: p.now, State: delivery.Pending, lane: l}
	p.accepted++
	if !l.status.Accepts() {
		d.State, d.Reason, d.ClosedAt = delivery.Skipped, delivery.EndpointDisabled, p.now
		return d
	}
	d.NextAttemptAt = l.contract.FirstAttemptAt(p.now)
	l.pending.push(d)
	if ready := later(p.now, l.circuit.PausedUntil); !l.parkedFull && l.readyAt.After(ready) {
		p.setReady(l, ready)
	}
	p.dispatch()
	return d
}

// setReady gives the lane its place in line, behind those that are there for as
// long, or takes it out of the line. A place that it has already, it keeps.
func (p *platform) setReady(l *lane, at time.Time) {
	if l.turn != nil && l.turn.at.Equal(at) && l.turn.suspect == l.suspect {
		return
	}
	l.readyAt, l.turn = at, nil
	if !at.Before(never) {
		return
	}
	p.serial++
	l.turn = &turn{lane: l, at: at, serial: p.serial, suspect: l.suspect}
	if l.suspect {
		p.suspect.turns.push(l.turn)
	} else {
		p.trusted.turns.push(l.turn)
	}
	if at.After(p.now) && !at.Equal(l.lookAt) {
		l.lookAt = at
		p.at(at, p.dispatch)
	}
}

// dispatch lets every process claim until nothing is left that it may send.
func (p *platform) dispatch() {
	for i := range p.processes {
		claimer := p.processes[(p.first+i)%len(p.processes)]
		for claimer.free() > 0 && p.claimFor(claimer) {
		}
	}
	p.first = (p.first + 1) % len(p.processes)
}

// claimFor claims for a process's free slots: for as many as suspects may still
// hold, from all lanes alike, and for the others only from trusted ones
// (Dispatcher.claimFor). It says whether there may be more.
func (p *platform) claimFor(claimer *process) (more bool) {
	n := claimer.free()
	room, hanging := claimer.left(p.now)
	claimed := 0
	if asked := min(room, n); asked > 0 {
		var lanes int
		claimed, lanes = p.claim(claimer, asked, false, nil)
		if asked == n || claimed < asked && lanes < asked {
			return claimed == n || lanes == n
		}
	}
	rest := n - claimed
	trusted, lanes := p.claim(claimer, rest, true, hanging)
	return trusted == rest || lanes == rest
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}
