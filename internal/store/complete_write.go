package store

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
)

//go:embed queries/complete_close.sql
var completeCloseSQL string

//go:embed queries/complete_retry.sql
var completeRetrySQL string

//go:embed queries/complete_attempts.sql
var completeAttemptsSQL string

// insertAttemptsSQL is the same for attempts that cannot be there already.
var insertAttemptsSQL = withoutConflict(completeAttemptsSQL)

//go:embed queries/complete_update_lanes.sql
var completeUpdateLanesSQL string

//go:embed queries/complete_tenants.sql
var completeTenantsSQL string

// write sends all changes in one round trip, one statement per table, and commits
// them with it.
func (c *completing) write(ctx context.Context) error {
	batch := &pgx.Batch{}
	c.queueClosed(batch)
	c.queueRetries(batch)
	queueAttempts(batch, insertAttemptsSQL, c.attempts)
	queueAttempts(batch, completeAttemptsSQL, c.late)
	c.queueStats(batch)
	c.queueSignals(batch)
	c.queueLanes(batch)
	c.queueTenants(batch)
	if c.next != nil {
		c.next.queueTake(batch)
	}
	if err := c.tx.finish(ctx, batch); err != nil {
		return fmt.Errorf("writing completions: %w", err)
	}
	return nil
}

func (c *completing) queueClosed(batch *pgx.Batch) {
	if len(c.closed) == 0 {
		return
	}
	shards, ids := make([]delivery.Shard, len(c.closed)), make([]delivery.ID, len(c.closed))
	for i, row := range c.closed {
		shards[i], ids[i] = row.id.Shard(), row.id
	}
	batch.Queue(completeCloseSQL, shards, ids)
	c.closed.queue(batch)
}

// retryRow is a delivery that goes back to pending.
type retryRow struct {
	id           delivery.ID
	of           entity
	at           time.Time
	unsent       int16 // 1: the attempt that the claim counted was not made
	firstAttempt time.Time
	lastStatus   int16
	lastError    delivery.ErrorCode
}

func newRetryRow(done policy.Completion, at time.Time) retryRow {
	row := retryRow{id: done.Claim.DeliveryID, at: at, of: entity{done.Claim.Endpoint.ID, done.Claim.Event.CoalesceKey}}
	if done.Kind == policy.Unsent {
		row.unsent = 1
		return row
	}
	row.firstAttempt = done.Claim.FirstAttemptAt
	if row.firstAttempt.IsZero() {
		row.firstAttempt = done.Outcome.StartedAt
	}
	row.lastStatus, row.lastError = int16(done.Outcome.Status), done.Decision.ErrorCode
	return row
}

func (c *completing) queueRetries(batch *pgx.Batch) {
	n := len(c.retries)
	if n == 0 {
		return
	}
	// A publisher may be putting the same entities into the queue: see entity.
	slices.SortFunc(c.retries, func(a, b retryRow) int { return a.of.compare(b.of) })
	shards, ids := make([]delivery.Shard, n), make([]delivery.ID, n)
	next, first := make([]time.Time, n), make([]pgtype.Timestamptz, n)
	unsent, statuses, errorCodes := make([]int16, n), make([]int16, n), make([]string, n)
	for i, row := range c.retries {
		shards[i], ids[i] = row.id.Shard(), row.id
		next[i], first[i] = row.at, orNull(row.firstAttempt)
		unsent[i], statuses[i], errorCodes[i] = row.unsent, row.lastStatus, string(row.lastError)
	}
	batch.Queue(completeRetrySQL, shards, ids, next, first, unsent, statuses, errorCodes)
}

// attemptRow is one row of malote.attempts.
type attemptRow struct {
	claim   *delivery.Claim
	outcome delivery.Outcome
	code    delivery.ErrorCode
}

func newAttemptRow(done policy.Completion) attemptRow {
	return attemptRow{claim: done.Claim, outcome: done.Outcome, code: done.Decision.ErrorCode}
}

// scheduledAt is when the attempt was due. A test is due long before it is made,
// only to stand first in line; what people see is when it was asked for.
func (row attemptRow) scheduledAt() time.Time {
	if row.claim.Trigger == delivery.TriggerTest {
		return row.claim.CycleStartedAt
	}
	return row.claim.ScheduledAt
}

func queueAttempts(batch *pgx.Batch, insertion string, attempts []attemptRow) {
	n := len(attempts)
	if n == 0 {
		return
	}
	shards, deliveries, tokens := make([]delivery.Shard, n), make([]delivery.ID, n), make([]delivery.ID, n)
	numbers, durations, statuses := make([]int32, n), make([]int32, n), make([]int16, n)
	triggers, codes, texts := make([]string, n), make([]string, n), make([]string, n)
	scheduled, started := make([]time.Time, n), make([]time.Time, n)
	responses := make([][]byte, n)
	for i, row := range attempts {
		shards[i], deliveries[i], tokens[i] = row.claim.DeliveryID.Shard(), row.claim.DeliveryID, row.claim.Token
		numbers[i], durations[i] = int32(row.claim.Attempt), int32(row.outcome.Duration.Milliseconds())
		triggers[i], codes[i], texts[i] = string(row.claim.Trigger), string(row.code), storable(row.outcome.ErrorText)
		scheduled[i], started[i] = row.scheduledAt(), row.outcome.StartedAt
		statuses[i], responses[i] = int16(row.outcome.Status), row.outcome.Response
	}
	batch.Queue(insertion, shards, deliveries, tokens, numbers, triggers, scheduled, started,
		durations, statuses, codes, texts, responses)
}

// storable makes a text one that PostgreSQL takes: it may quote what a hostile
// endpoint sent, and one bad byte must not fail the whole batch.
func storable(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}

// queueTenants tells publishers that an endpoint of the tenant was disabled.
// Tenants come after lanes in the lock order.
func (c *completing) queueTenants(batch *pgx.Batch) {
	var tenants []string
	for _, lane := range c.lanes {
		if lane.disabledReason != "" {
			tenants = append(tenants, lane.tenant)
		}
	}
	slices.Sort(tenants)
	for _, tenant := range slices.Compact(tenants) {
		batch.Queue(completeTenantsSQL, delivery.ShardOf(tenant), tenant)
	}
}

// sortedLanes is the lock order, though the locks are held already.
func (c *completing) sortedLanes() []*completedLane {
	lanes := make([]*completedLane, 0, len(c.lanes))
	for _, lane := range c.lanes {
		lanes = append(lanes, lane)
	}
	slices.SortFunc(lanes, func(a, b *completedLane) int {
		return cmp.Or(cmp.Compare(a.ref.Shard, b.ref.Shard), slices.Compare(a.ref.EndpointID[:], b.ref.EndpointID[:]))
	})
	return lanes
}

func (c *completing) queueLanes(batch *pgx.Batch) {
	lanes := slices.DeleteFunc(c.sortedLanes(), func(l *completedLane) bool { return !l.isNews() })
	n := len(lanes)
	if n == 0 {
		return
	}
	shards, ids := make([]delivery.Shard, n), make([]delivery.ID, n)
	statuses, reasons, phases := make([]string, n), make([]string, n), make([]string, n)
	limits, failures, opened := make([]int32, n), make([]int32, n), make([]int32, n)
	slow, streaks, good, warned := make([]int32, n), make([]int32, n), make([]int32, n), make([]int32, n)
	full, standings := make([]bool, n), make([]string, n)
	times := make([][]pgtype.Timestamptz, 8)
	for i, lane := range lanes {
		s := lane.state
		shards[i], ids[i] = lane.ref.Shard, lane.ref.EndpointID
		statuses[i], reasons[i], phases[i] = string(lane.status), lane.disabledReason, string(s.Phase)
		full[i], standings[i] = lane.parkedFull, string(lane.standing)
		limits[i], failures[i], opened[i] = int32(lane.claimLimit), int32(s.ConsecutiveFailures), int32(s.OpenedCount)
		slow[i], streaks[i], good[i], warned[i] = int32(s.SlowLevel), int32(s.SlowStreak), int32(s.SlowSuccesses), int32(s.WarnedLevel)
		for j, at := range []time.Time{lane.wake, s.FirstFailureAt, s.LastFailureAt, s.LastSuccessAt,
			s.OpenedAt, s.PausedUntil, s.SlowedAt, s.DisabledAt} {
			times[j] = append(times[j], orNull(at))
		}
	}
	batch.Queue(completeUpdateLanesSQL, shards, ids, statuses, reasons, phases, limits, failures, opened,
		slow, streaks, good, warned, times[0], times[1], times[2], times[3], times[4], times[5], times[6], times[7], full, standings)
}
