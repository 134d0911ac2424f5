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

	lines    map[delivery.Standing]*line // lanes that may have claimable work, apart as in their index
	accepted int
}

func newPlatform(start time.Time, random policy.Random, observer observer) *platform {
	return &platform{
		timeline: newTimeline(start), random: random, observer: observer,
		lines: map[delivery.Standing]*line{delivery.Trusted: newLine(), delivery.Unheard: newLine(), delivery.Slow: newLine()},
	}
}

// process has slots, and of them some for suspects (dispatch.quota).
type process struct {
	slots, suspects, slow int
	attempts              []*Attempt // in flight
}

// newProcess keeps half of the slots for those that answer in good time, and a
// quarter of the other half for those who never had to.
func newProcess(slots int) *process {
	suspects := max(1, slots/2)
	return &process{slots: slots, suspects: suspects, slow: max(1, suspects-max(1, suspects/4))}
}

func (p *process) free() int { return p.slots - len(p.attempts) }

// room is what suspects may still take, and which lanes have an attempt under way
// that should have been answered by now (quota.room).
func (p *process) room(now time.Time) (left room) {
	var unheard, slow, unheardLate int
	for _, a := range p.attempts {
		isLate := now.Sub(a.Claim.ClaimedAt) > delivery.SlowAnswer
		switch {
		case a.Claim.Standing == delivery.Unheard:
			unheard++
			if isLate {
				unheardLate++
			}
		case a.Claim.Standing == delivery.Slow, isLate:
			slow++
		}
		if isLate && !slices.Contains(left.hanging, a.Delivery.lane) {
			left.hanging = append(left.hanging, a.Delivery.lane)
		}
	}
	left.Suspects = max(0, p.suspects-unheard-min(slow, p.slow))
	left.Slow = max(0, min(left.Suspects, p.slow-slow-unheardLate))
	return left
}

// room is delivery.Room with lanes for ids.
type room struct {
	delivery.Room
	hanging []*lane
}

func (r room) standingOf(l *lane) delivery.Standing {
	if slices.Contains(r.hanging, l) {
		return delivery.Slow
	}
	return l.standing
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
	if l.turn != nil && l.turn.at.Equal(at) && l.turn.standing == l.standing {
		return
	}
	l.readyAt, l.turn = at, nil
	if !at.Before(never) {
		return
	}
	p.serial++
	l.turn = &turn{lane: l, at: at, serial: p.serial, standing: l.standing}
	p.lines[l.standing].turns.push(l.turn)
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

// claimFor claims for a process's free slots, of lanes that are not trusted only
// so much as they may still hold (Dispatcher.claimFor). It says whether there may
// be more.
func (p *platform) claimFor(claimer *process) (more bool) {
	n := claimer.free()
	claimed, isMore := p.claim(claimer, n, claimer.room(p.now))
	return claimed == n || isMore
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
