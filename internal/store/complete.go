package store

import (
	"context"
	_ "embed"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/circuit"
	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
)

//go:embed queries/complete_lanes.sql
var completeLanesSQL string

//go:embed queries/complete_claims.sql
var completeClaimsSQL string

// Complete records ended claims and everything that follows from them, in one
// transaction (I10): attempts, queue rows, closed deliveries, the lanes'
// circuits, statistics and signals. A completion whose claim was lost is
// recorded as an attempt and changes nothing else (I5).
//
// It may be called again with the same completions when its outcome is unknown:
// what was done the first time is then found lost, and not done twice.
func (s *Store) Complete(ctx context.Context, completions []policy.Completion) (policy.Completed, error) {
	return s.CompleteAndClaim(ctx, completions, policy.Onward{})
}

// CompleteAndClaim is like Complete, and claims in the same transaction what
// takes the place of what ended: see claimOnward. What it claimed is in the
// result's Next; beside an error nothing of it may be sent.
func (s *Store) CompleteAndClaim(ctx context.Context, completions []policy.Completion, onward policy.Onward) (policy.Completed, error) {
	var c *completing
	err := s.inHotTx(ctx, "completing", func(tx *hotTx) error {
		c = newCompleting(s, tx, completions, onward)
		return c.run(ctx)
	})
	switch {
	case err == nil:
		return c.result(ctx), nil
	case c == nil:
		return policy.Completed{}, err
	}
	return policy.Completed{Next: delivery.Claimed{Untaken: c.lanesOnward()}}, err // it may be committed in spite of the error
}

// completing is one transaction of a completion.
type completing struct {
	store *Store
	tx    *hotTx
	all   []policy.Completion

	onward policy.Onward
	next   *claiming // of lanes that go on; nil: none does

	now   time.Time // the database's
	lanes map[delivery.ID]*completedLane
	owned []ownedClaim // in the order of all; the others are lost

	closed   closedRows
	retries  []retryRow
	attempts []attemptRow // of claims that are ours: nobody can have written these
	late     []attemptRow // of lost ones, which may be there as interrupted
	stats    map[delivery.ID]*laneStats
	signals  []signalRow
	observed map[circuit.SignalKind]int // by kind
	states   map[delivery.State]int
}

// ownedClaim is what the queue says of a completion's delivery.
type ownedClaim struct {
	owned      bool
	eventID    delivery.ID
	rendering  int16
	lastStatus int16 // of the attempt before
	lastError  delivery.ErrorCode
	supersedes delivery.ID // a newer pending delivery of the same entity
}

func newCompleting(s *Store, tx *hotTx, completions []policy.Completion, onward policy.Onward) *completing {
	return &completing{
		store: s, tx: tx, all: completions, onward: onward,
		lanes:  make(map[delivery.ID]*completedLane),
		owned:  make([]ownedClaim, len(completions)),
		stats:  make(map[delivery.ID]*laneStats),
		states: make(map[delivery.State]int),

		observed: make(map[circuit.SignalKind]int),
	}
}

func (c *completing) run(ctx context.Context) error {
	if err := c.lock(ctx); err != nil {
		return err
	}
	for i := range c.all {
		c.apply(i)
	}
	c.claimOnward()
	for _, lane := range c.lanes {
		lane.wakeFreed(c.now)
	}
	return c.write(ctx)
}

// lock takes the lanes, then the claims that are still theirs: the package's
// lock order. Both go out in one round trip.
func (c *completing) lock(ctx context.Context) error {
	var lanes []delivery.LaneRef
	seen := make(map[delivery.ID]bool)
	n := len(c.all)
	shards, ids, tokens := make([]delivery.Shard, n), make([]delivery.ID, n), make([]delivery.ID, n)
	for i, done := range c.all {
		if id := done.Claim.Endpoint.ID; !seen[id] {
			seen[id] = true
			lanes = append(lanes, delivery.LaneRef{Shard: id.Shard(), EndpointID: id})
		}
		shards[i], ids[i], tokens[i] = done.Claim.DeliveryID.Shard(), done.Claim.DeliveryID, done.Claim.Token
	}
	laneShards, laneIDs := splitRefs(lanes)
	batch := &pgx.Batch{}
	batch.Queue(completeLanesSQL, laneShards, laneIDs).Query(c.readLanes)
	batch.Queue(completeClaimsSQL, shards, ids, tokens).Query(c.readClaims)
	if err := c.tx.run(ctx, batch); err != nil {
		return fmt.Errorf("locking lanes and claims: %w", err)
	}
	return nil
}

func (c *completing) readClaims(rows pgx.Rows) error {
	var position int
	var claim ownedClaim
	_, err := pgx.ForEachRow(rows, []any{&position, &claim.eventID, &claim.rendering,
		&claim.lastStatus, &claim.lastError, &claim.supersedes}, func() error {
		claim.owned = true
		c.owned[position-1] = claim
		return nil
	})
	return err
}

// apply works out, in memory, what one completion changes.
func (c *completing) apply(i int) {
	done, claim := c.all[i], c.owned[i]
	switch {
	case !claim.owned && done.Kind == policy.Sent:
		c.late = append(c.late, newAttemptRow(done))
		return
	case !claim.owned:
		return
	case done.Kind != policy.Unsent:
		c.attempts = append(c.attempts, newAttemptRow(done))
	}
	lane := c.lanes[done.Claim.Endpoint.ID]
	if lane == nil {
		lane = &completedLane{laneState: laneState{status: delivery.Deleted}} // the row is gone: a tenant was removed by hand
	} else if done.Kind == policy.Sent {
		c.noteCircuit(done, lane.observe(done, c.now))
		c.statsOf(done.Claim.Endpoint.ID, done.Outcome.StartedAt).add(done)
	}
	switch {
	case done.Kind == policy.Unsent:
		c.retry(done, claim, lane, done.Claim.ScheduledAt) // its place in the line is kept
	case done.Decision.State == delivery.Pending:
		c.retry(done, claim, lane, done.Decision.NextAttemptAt)
	default:
		c.close(done, claim, done.Decision.State, done.Decision.Reason, delivery.ID{})
	}
	lane.free(done)
}

// retry puts a delivery back, unless something newer took its place meanwhile
// or its endpoint is gone.
func (c *completing) retry(done policy.Completion, claim ownedClaim, lane *completedLane, at time.Time) {
	switch {
	case !claim.supersedes.IsZero():
		c.close(done, claim, delivery.Superseded, delivery.ReplacedByNewer, claim.supersedes)
		return
	case lane.status == delivery.Deleted:
		c.close(done, claim, delivery.Dead, delivery.EndpointDeleted, delivery.ID{})
		return
	}
	c.states[delivery.Pending]++
	c.retries = append(c.retries, newRetryRow(done, at))
	lane.wakeAt(at)
}

func (c *completing) close(done policy.Completion, claim ownedClaim, state delivery.State, reason delivery.Reason, by delivery.ID) {
	attempts, lastStatus, lastError := done.Claim.Attempt, int16(done.Outcome.Status), done.Decision.ErrorCode
	if done.Kind == policy.Unsent { // what is known of it is known from the attempt before
		attempts, lastStatus, lastError = attempts-1, claim.lastStatus, claim.lastError
	}
	c.states[state]++
	if state == delivery.Dead {
		c.noteDead(done, reason)
	}
	c.closed = append(c.closed, closedDelivery{
		id: done.Claim.DeliveryID, endpointID: done.Claim.Endpoint.ID, eventID: claim.eventID,
		tenant: done.Claim.Event.Tenant, state: state, reason: reason, trigger: done.Claim.Trigger,
		rendering: claim.rendering, attemptCount: int32(attempts),
		lastStatus: lastStatus, lastError: lastError,
		coalesceKey: done.Claim.Event.CoalesceKey, supersededBy: by,
	})
}

func (c *completing) result(ctx context.Context) policy.Completed {
	result := policy.Completed{States: c.states, Signals: c.observed}
	for _, claim := range c.owned {
		if !claim.owned {
			result.Lost++
		}
	}
	for _, lane := range c.lanes {
		result.Woken = result.Woken || !lane.wake.IsZero() && !lane.isOnward
	}
	if c.next != nil {
		result.Next, result.NextErr = c.next.afterwards(ctx)
		result.Woken = result.Woken || len(result.Next.Full) < len(c.next.lanes)
	}
	return result
}
