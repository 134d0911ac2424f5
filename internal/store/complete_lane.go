package store

import (
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/circuit"
	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
)

// completedLane is a lane under its lock, while completions are applied to it.
type completedLane struct {
	ref         delivery.LaneRef
	tenant      string
	maxInFlight int
	inTurn      bool // it got full in the middle of its turn
	next        nextClaim
	isOnward    bool // this transaction claims from it

	laneState
	read laneState // what the row says

	wake            time.Time // earliest instant to look at it again; zero: no need
	disabledReason  string    // set if it was disabled by these completions
	freed, freedOne bool      // a slot of it is free again; one entity's next delivery may go out
}

// laneState is what completions change of a lane.
type laneState struct {
	status     delivery.EndpointStatus
	parkedFull bool
	claimLimit int
	standing   delivery.Standing
	state      circuit.State
}

// successGrain is how exactly the row tells the last success, which only people
// read: a busy lane that goes on succeeding is not written for every batch.
const successGrain = time.Second

// isNews says whether the row must be written.
func (l *completedLane) isNews() bool {
	was := l.read
	if since := l.state.LastSuccessAt.Sub(was.state.LastSuccessAt); since >= 0 && since < successGrain {
		was.state.LastSuccessAt = l.state.LastSuccessAt
	}
	return !l.wake.IsZero() || l.laneState != was
}

func (c *completing) readLanes(rows pgx.Rows) error {
	for rows.Next() {
		lane := &completedLane{}
		s := &lane.state
		err := rows.Scan(&c.now, &lane.ref.Shard, &lane.ref.EndpointID, &lane.tenant, &lane.status,
			&lane.maxInFlight, &lane.parkedFull, &lane.claimLimit, &lane.standing, &lane.inTurn,
			&lane.next.isPlain, &lane.next.fifo, &lane.next.leaseSeconds, &lane.next.version,
			&s.Phase, &s.ConsecutiveFailures, zeroable(&s.FirstFailureAt), zeroable(&s.LastFailureAt), zeroable(&s.LastSuccessAt),
			zeroable(&s.OpenedAt), &s.OpenedCount, zeroable(&s.PausedUntil),
			&s.SlowLevel, zeroable(&s.SlowedAt), &s.SlowStreak, &s.SlowSuccesses, &s.WarnedLevel, zeroable(&s.DisabledAt))
		if err != nil {
			return err
		}
		lane.read = lane.laneState
		c.lanes[lane.ref.EndpointID] = lane
	}
	return rows.Err()
}

// observe tells the circuit what an attempt showed. An endpoint that somebody
// paused is disabled like an active one; one that is stopped already stays as it
// is, and that it would have been disabled is no news.
func (l *completedLane) observe(done policy.Completion, now time.Time) []circuit.Signal {
	before, accepting := l.state, l.status.Accepts()
	l.standing = l.standing.After(done.Outcome)
	result := done.Decision.Result(done.Claim.ClaimedAt, done.CompletedAt, done.Outcome.Duration)
	next, signals := circuit.Next(*done.Circuit, l.state, result, l.maxInFlight)
	l.state = next
	l.claimLimit = l.limitOf(done, next)
	if next.DisabledAt.After(before.DisabledAt) && accepting {
		l.status = delivery.DisabledBySystem
	}
	if next.PausedUntil.Before(before.PausedUntil) || l.claimLimit > l.limitOf(done, before) {
		l.wakeAt(now) // more may be claimed than the last look allowed
	}
	return slices.DeleteFunc(signals, func(s circuit.Signal) bool {
		if s.Kind == circuit.EndpointDisabled && accepting {
			l.disabledReason = string(s.Reason)
		}
		return s.Kind == circuit.EndpointDisabled && !accepting
	})
}

// limitOf is what the next claim may have in flight. While the circuit is open
// no claim sees the lane, because it is not ready before the pause ends; so the
// limit stored is the one that holds then.
func (l *completedLane) limitOf(done policy.Completion, state circuit.State) int {
	at := done.CompletedAt
	if state.PausedUntil.After(at) {
		at = state.PausedUntil
	}
	state.DisabledAt = time.Time{} // a disabled lane is not claimed at all
	return max(1, circuit.ClaimLimit(*done.Circuit, state, l.maxInFlight, at))
}

// free notes that a slot of the lane is free again.
func (l *completedLane) free(done policy.Completion) {
	l.freed = true
	l.freedOne = l.freedOne || done.Claim.Event.CoalesceKey != ""
}

// wakeFreed puts the lane back in line where a free slot matters to it: it was
// parked as full, or its next delivery of the same entity waits.
func (l *completedLane) wakeFreed(now time.Time) {
	switch {
	case l.isOnward: // the claim says where it stands
		return
	case l.freed && l.parkedFull && l.inTurn:
		l.wakeAt(now.Add(-frontOfTheLine))
	case l.freed && l.parkedFull, l.freedOne:
		l.wakeAt(now)
	default:
		return
	}
	l.parkedFull = false
}

// frontOfTheLine puts a lane ahead of those that wait their turn: it is in the
// middle of its own (A09). With the last of its turn it goes to the back.
const frontOfTheLine = time.Hour

func (l *completedLane) wakeAt(at time.Time) {
	if l.wake.IsZero() || at.Before(l.wake) {
		l.wake = at
	}
}
