package simulate

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/malotehq/malote/internal/circuit"
	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
)

// start is when lives begin.
var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

const day = 24 * time.Hour

func preset(t require.TestingT, name string) *policy.Policy {
	p, known := policy.Preset(name)
	require.True(t, known, name)
	return p
}

func seeded(seed uint64) policy.Random { return rand.New(rand.NewPCG(seed, 0)).Float64 }

func drawRandom(t *rapid.T) policy.Random { return seeded(rapid.Uint64().Draw(t, "seed")) }

// answering always gives the same status after the same time.
func answering(status int, after time.Duration) Receiver {
	return func(time.Time) delivery.Outcome { return delivery.Outcome{Status: status, Duration: after} }
}

// between is like inside from one instant until another, and otherwise like outside.
func between(from, until time.Time, inside, outside Receiver) Receiver {
	return func(at time.Time) delivery.Outcome {
		if !at.Before(from) && at.Before(until) {
			return inside(at)
		}
		return outside(at)
	}
}

func down(time.Time) delivery.Outcome {
	return delivery.Outcome{Error: delivery.ConnectRefused, Duration: time.Millisecond}
}

// workerDies is an attempt that nobody lived to record.
func workerDies(time.Time) delivery.Outcome {
	return delivery.Outcome{Error: delivery.InterruptedSend}
}

// every gives n instants, so far from one another.
func every(d time.Duration, n int) []time.Time {
	times := make([]time.Time, n)
	for i := range times {
		times[i] = start.Add(time.Duration(i) * d)
	}
	return times
}

// once is one event.
func once() []time.Time { return every(0, 1) }

func (s *Story) kinds(kind circuit.SignalKind) []circuit.Signal {
	return slices.DeleteFunc(slices.Clone(s.Signals), func(signal circuit.Signal) bool { return signal.Kind != kind })
}

func (s *Story) count(state delivery.State) int {
	n := 0
	for _, d := range s.Deliveries {
		if d.State == state {
			n++
		}
	}
	return n
}

// waits are from the end of an attempt to when the next was due.
func waits(attempts []*Attempt) []time.Duration {
	var waits []time.Duration
	for i := 1; i < len(attempts); i++ {
		waits = append(waits, attempts[i].Claim.ScheduledAt.Sub(attempts[i-1].EndedAt))
	}
	return waits
}

// platformOf has one process and the lanes, whose deliveries wait for it.
func platformOf(t *testing.T, slots int, backlogs map[*lane]int) (*platform, *Story) {
	t.Helper()
	story := &Story{}
	p := newPlatform(start, seeded(1), story)
	p.processes = []*process{{}}
	for l, n := range backlogs {
		for range n {
			story.Deliveries = append(story.Deliveries, p.publish(l))
		}
	}
	require.Empty(t, story.Attempts, "there were no slots")
	p.processes = []*process{newProcess(slots)}
	p.dispatch()
	return p, story
}

func laneOf(p *policy.Policy, limit int, receiver Receiver) *lane {
	return newLane(&delivery.Endpoint{MaxInFlight: limit}, p, func(_ *Delivery, at time.Time) delivery.Outcome { return receiver(at) })
}

// runUntil lets everything happen until the instant.
func (p *platform) runUntil(at time.Time) {
	for {
		next, found := p.planned.first()
		if !found || next.at.After(at) {
			return
		}
		p.planned.pop()
		p.now = later(p.now, next.at)
		next.do()
	}
}
