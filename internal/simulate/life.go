package simulate

import (
	"time"

	"github.com/malotehq/malote/internal/circuit"
	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
)

// DefaultSlots is how many deliveries a process has in flight at most (F05).
const DefaultSlots = 64

// Receiver says what an attempt that begins at the instant comes to. Its
// Duration passes before the answer is there; one that is longer than the
// policy's deadline becomes a time-out. Where its Error is InterruptedSend the
// worker is lost with the attempt, and the lease must end. StartedAt is filled in.
type Receiver func(at time.Time) delivery.Outcome

// Life is what is done to one endpoint, until no attempt is due any more.
type Life struct {
	Policy    *policy.Policy
	Endpoint  delivery.Endpoint // MaxInFlight and AtMostOnce count; its zero value is the policy's default
	Accepted  []time.Time       // when events for it are accepted, in ascending order; at least one
	Receiver  Receiver
	Processes int // that share the work; 0: one
	Slots     int // of each of them; 0: DefaultSlots
	Random    policy.Random
}

// Story is how a life went.
type Story struct {
	Deliveries []*Delivery // one for each event
	Attempts   []*Attempt  // in the order of their claims
	Signals    []circuit.Signal
	Circuit    circuit.State // in the end
	Status     delivery.EndpointStatus
	EndedAt    time.Time
}

// Run lives it.
func (l Life) Run() Story {
	story := &Story{}
	p := newPlatform(l.Accepted[0], l.Random, story)
	for range max(1, l.Processes) {
		slots := l.Slots
		if slots <= 0 {
			slots = DefaultSlots
		}
		p.processes = append(p.processes, newProcess(slots))
	}
	only := newLane(&l.Endpoint, l.Policy, func(_ *Delivery, at time.Time) delivery.Outcome { return l.Receiver(at) })
	for _, at := range l.Accepted {
		p.at(at, func() { story.Deliveries = append(story.Deliveries, p.publish(only)) })
	}
	p.run(func() bool { return true })
	story.Circuit, story.Status, story.EndedAt = only.circuit, only.status, p.now
	return *story
}

func (s *Story) began(a *Attempt)                   { s.Attempts = append(s.Attempts, a) }
func (s *Story) ended(*Attempt)                     {}
func (s *Story) signalled(signals []circuit.Signal) { s.Signals = append(s.Signals, signals...) }
