package simulate

import (
	"time"

	"github.com/malotehq/malote/internal/circuit"
	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
)

// Delivery is one event's way to the endpoint.
type Delivery struct {
	Number     int // from 0, in the order of acceptance
	AcceptedAt time.Time

	State         delivery.State
	Reason        delivery.Reason // closed
	NextAttemptAt time.Time       // when the attempt that comes next, or was the last, is due
	ClosedAt      time.Time       // zero while open

	attempts       int
	firstAttemptAt time.Time
	lane           *lane
}

// Attempt is one attempt of a delivery.
type Attempt struct {
	Delivery *Delivery
	Claim    delivery.Claim // numbers and instants; neither ids nor the event

	Circuit  circuit.State // the endpoint's, as the claim saw it
	Allowed  int           // circuit.ClaimLimit at that instant
	InFlight int           // of the endpoint over all processes, this one included

	Outcome  delivery.Outcome
	EndedAt  time.Time
	Decision policy.Decision

	process *process
}

// Phase is where the endpoint's circuit stood when the attempt was claimed.
func (a *Attempt) Phase() circuit.Phase { return a.Circuit.PhaseAt(a.Claim.ClaimedAt) }

// isLost says whether the attempt's worker died with it.
func (a *Attempt) isLost() bool { return a.Outcome.Error == delivery.InterruptedSend }

// lane is an endpoint's row of the table of that name, with its part of the queue.
type lane struct {
	endpoint    *delivery.Endpoint
	contract    *policy.Policy
	maxInFlight int
	answer      func(*Delivery, time.Time) delivery.Outcome

	status     delivery.EndpointStatus
	readyAt    time.Time // when it may have claimable work; never: none, full or stopped
	parkedFull bool      // only a completion wakes it
	claimLimit int
	standing   delivery.Standing
	circuit    circuit.State

	pending  heap[*Delivery]
	inFlight int

	turn     *turn     // its place in line; nil while readyAt is never
	lookAt   time.Time // the last instant that a look at the line is planned for
	warnedAt time.Time // the last instant that a look at its warnings is planned for
}

func newLane(endpoint *delivery.Endpoint, contract *policy.Policy, answer func(*Delivery, time.Time) delivery.Outcome) *lane {
	limit := endpoint.MaxInFlight
	if limit <= 0 {
		limit = contract.MaxInFlight
	}
	return &lane{
		endpoint: endpoint, contract: contract, maxInFlight: limit, answer: answer,
		status: delivery.Active, readyAt: never, claimLimit: limit, standing: delivery.Unheard,
		pending: heap[*Delivery]{before: func(a, b *Delivery) bool {
			if c := a.NextAttemptAt.Compare(b.NextAttemptAt); c != 0 {
				return c < 0
			}
			return a.Number < b.Number
		}},
	}
}

// limit is how many may be in flight now.
func (l *lane) limit() int {
	if l.standing == delivery.Unheard {
		return min(l.claimLimit, delivery.UnheardInFlight)
	}
	return l.claimLimit
}

// turn is a lane's place in the line of those with claimable work. It is void
// once the lane has another, or none.
type turn struct {
	lane     *lane
	at       time.Time
	serial   int
	standing delivery.Standing // in which of the lines it is
}

func (t *turn) isVoid() bool { return t.lane.turn != t }

// line is where lanes wait for their turn: those that wait longest first.
type line struct{ turns heap[*turn] }

func newLine() *line {
	return &line{heap[*turn]{before: func(a, b *turn) bool { return a.isBefore(b) }}}
}

func (t *turn) isBefore(other *turn) bool {
	if c := t.at.Compare(other.at); c != 0 {
		return c < 0
	}
	return t.serial < other.serial
}

// first is the turn that comes next, or nil.
func (l *line) first() *turn {
	for {
		next, found := l.turns.first()
		if !found || !next.isVoid() {
			return next
		}
		l.turns.pop()
	}
}
