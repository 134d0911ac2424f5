package delivery

import (
	"errors"
	"time"
)

// Why a publish was refused. Whoever answers the publisher matches these with
// errors.Is; nothing was written when one is returned.
var (
	ErrUnknownTenant   = errors.New("there is no such tenant")
	ErrUnknownEndpoint = errors.New("the tenant has no such endpoint")
	ErrKeyReused       = errors.New("the idempotency key was used before with another request")

	// ErrUnitRefused stands on the drafts that were refused only because another
	// one of their unit was.
	ErrUnitRefused = errors.New("another event of the same request was refused")
)

// Draft is an event that is about to be published.
type Draft struct {
	// Event is complete but for what Publish fills in: ID and AcceptedAt, and
	// OccurredAt where that is zero, with the database's time inside the
	// transaction, so that pages in the order of ids miss nothing (D15); and Body,
	// if the policy's envelope is to be put around Data. Only who writes history
	// brings an ID along, and then the times too.
	Event Event

	// Data is the publisher's JSON value, byte for byte; nil where Event.Body
	// holds bytes of the publisher's own.
	Data []byte

	// EndpointIDs narrows the fan-out to these; nil: all that subscribe.
	EndpointIDs []ID

	// Fingerprint is the SHA-256 of all that the publisher said: two requests
	// with one idempotency key are the same only if it is equal.
	Fingerprint [32]byte

	// Unit groups the drafts of one request: they commit all or none.
	Unit int

	// Trigger is TriggerTest for a test, which goes to the one endpoint named,
	// subscribed or not, before everything else that waits for it. Empty:
	// TriggerSchedule.
	Trigger Trigger
}

// Plan is what becomes of a draft, given the tenant's endpoints.
type Plan struct {
	// Bodies holds the event's body in each different envelope that its
	// endpoints want. The first is the event's own; there is always one.
	Bodies     [][]byte
	Deliveries []Planned
}

// Planned is one delivery of a plan.
type Planned struct {
	EndpointID ID // zero: the event matched no endpoint
	State      State
	Reason     Reason
	Rendering  int           // index into Plan.Bodies
	Delay      time.Duration // before the first attempt; negative: ahead of what waits already
	Trigger    Trigger       // empty: TriggerSchedule
	FIFO       bool          // the endpoint's: the delivery takes its place in the order
}

// Planner is the pure part of the fan-out. It is called inside the publish
// transaction with the tenant's endpoints as that transaction sees them.
type Planner func(draft *Draft, endpoints []*Endpoint) (Plan, error)

// Published is what came of a draft. Err is set on every draft of a unit that
// was refused, and wraps one of the errors above.
type Published struct {
	ID         ID
	Duplicate  bool // ID is that of the first event with the key
	Deliveries int
	Skipped    int
	Err        error
}

// LaneRef names an endpoint's lane.
type LaneRef struct {
	Shard      Shard
	EndpointID ID
}
