package redelivery

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/delivery"
)

// Refusal says why a delivery is not replayed.
type Refusal string

// The refusals.
const (
	// NotFound: no delivery has the id, or it is another tenant's.
	NotFound Refusal = "not_found"
	// NotReplayable: its state is open, or its policy forbids it (R05).
	NotReplayable Refusal = "not_replayable"
	// NoEndpoint: its event matched no endpoint, so there is nowhere to send it.
	NoEndpoint Refusal = "no_endpoint"
	// EndpointDeleted and EndpointDisabled: its endpoint takes nothing now.
	EndpointDeleted  Refusal = "endpoint_deleted"
	EndpointDisabled Refusal = "endpoint_disabled"
	// MayHaveArrived: its endpoint wants everything at most once, and a request may
	// have reached it (A06).
	MayHaveArrived Refusal = "may_have_arrived"
	// Superseded: a newer delivery with its coalescing key is open, or was
	// delivered (F13).
	Superseded Refusal = "superseded"
	// EventExpired: the body is no longer kept.
	EventExpired Refusal = "event_expired"
)

// Refusals lists every refusal.
var Refusals = []Refusal{
	NotFound, NotReplayable, NoEndpoint, EndpointDeleted, EndpointDisabled, MayHaveArrived, Superseded, EventExpired,
}

// Request asks for a replay. All or nothing: if one is refused, none is done.
type Request struct {
	IDs []delivery.ID // at most MaxReplay; repeated ones count once

	// Tenant, if set, makes every other tenant's deliveries NotFound.
	Tenant string

	// Allowed says whether a policy lets deliveries in a state be replayed
	// (R05). It is called while nothing is locked.
	Allowed func(policy string, state delivery.State) bool

	Trigger delivery.Trigger
	Preview bool // say what would happen and write nothing
}

// MaxReplay bounds one request, so that its locks are held briefly.
const MaxReplay = 1000

// ErrTooMany is returned for a request of more than MaxReplay ids.
var ErrTooMany = errors.New("too many deliveries to replay at once")

// Result is what becomes of one delivery.
type Result struct {
	ID         delivery.ID
	Refusal    Refusal        // "": it is (with Preview: would be) replayed
	State      delivery.State // that it was found in; "" if NotFound
	Tenant     string         // "" if NotFound
	EventID    delivery.ID
	EndpointID delivery.ID
	URL        string // where it goes: the endpoint's at this moment (D10)
}

// Replay is the answer to a request.
type Replay struct {
	Results []Result // in the order of the request
	Done    bool     // all were reopened; false: nothing was written

	// Lanes have new work and must be woken by the caller. With an error they may
	// have: the connection may have died after the commit.
	Lanes []delivery.LaneRef
}

// Replay puts closed deliveries back into the queue: the same event, the same
// body bytes, a new cycle that begins now (D10). Refusals are not errors. Of two
// concurrent replays of one delivery one finds it pending, and refuses.
func (w *Writer) Replay(ctx context.Context, request Request) (Replay, error) {
	ids := unique(request.IDs)
	if len(ids) > MaxReplay {
		return Replay{}, fmt.Errorf("%w: %d, at most %d", ErrTooMany, len(ids), MaxReplay)
	}
	var r *replaying
	err := w.inTx(ctx,
		func() error {
			r = newReplaying(request, ids)
			return r.survey(ctx, w.store.Pool())
		},
		func(tx pgx.Tx) error {
			r.tx = tx
			return r.run(ctx)
		})
	if err != nil {
		var unknown Replay
		if r != nil && r.done {
			unknown.Lanes = r.answer().Lanes
		}
		return unknown, fmt.Errorf("replaying deliveries: %w", err)
	}
	return r.answer(), nil
}
