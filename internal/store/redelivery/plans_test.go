package redelivery

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

// explaining runs every statement twice: first to see what it costs, undone, and
// then for good.
type explaining struct {
	pgx.Tx
	t     *testing.T
	limit int // rows and pages that a statement may touch
	seen  map[string]bool
}

type planNode struct {
	Loops    float64    `json:"Actual Loops"`
	Filtered float64    `json:"Rows Removed by Filter"`
	Unjoined float64    `json:"Rows Removed by Join Filter"`
	Hit      int        `json:"Shared Hit Blocks"`
	Read     int        `json:"Shared Read Blocks"`
	Plans    []planNode `json:"Plans"`
}

// rejected are the rows that were looked at in vain.
func (n planNode) rejected() float64 {
	sum := n.Loops * (n.Filtered + n.Unjoined)
	for _, below := range n.Plans {
		sum += below.rejected()
	}
	return sum
}

func (e explaining) explain(sql string, arguments []any) {
	if !strings.Contains(sql, "malote.") {
		return
	}
	e.t.Helper()
	e.seen[sql] = true
	undo, err := e.Tx.Begin(e.t.Context())
	require.NoError(e.t, err)
	var explained []byte
	require.NoError(e.t, undo.QueryRow(e.t.Context(), "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) "+sql, arguments...).Scan(&explained), sql)
	require.NoError(e.t, undo.Rollback(e.t.Context()))
	var plans []struct{ Plan planNode }
	require.NoError(e.t, json.Unmarshal(explained, &plans))
	plan := plans[0].Plan
	limit := e.limit
	if sql == removeClosedSQL {
		limit = 3 * much // all there is: see there
	}
	require.LessOrEqual(e.t, int(plan.rejected()), limit, "rows in vain\n%s\n%s", sql, explained)
	require.LessOrEqual(e.t, plan.Hit+plan.Read, 30*limit, "pages\n%s\n%s", sql, explained)
}

func (e explaining) Exec(ctx context.Context, sql string, arguments ...any) (pgconn.CommandTag, error) {
	e.explain(sql, arguments)
	return e.Tx.Exec(ctx, sql, arguments...)
}

func (e explaining) Query(ctx context.Context, sql string, arguments ...any) (pgx.Rows, error) {
	e.explain(sql, arguments)
	return e.Tx.Query(ctx, sql, arguments...)
}

func (e explaining) QueryRow(ctx context.Context, sql string, arguments ...any) pgx.Row {
	e.explain(sql, arguments)
	return e.Tx.QueryRow(ctx, sql, arguments...)
}

const much = 12_000

// TestPlans_CostWhatTheyTake: tables that the planner knows nothing of, or knew when
// they were empty, or knows, with much in them that is none of the request's
// business: of the endpoint, of other endpoints of its shard, of the days between.
// What is asked for lies in one day's partitions or in those of two.
func TestPlans_CostWhatTheyTake(t *testing.T) {
	t.Parallel()
	yesterday := time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, -1)
	for _, knowledge := range []string{"none", "of empty tables", "all"} {
		for name, begin := range map[string]time.Time{
			"within a day": yesterday.Add(12 * time.Hour), "over midnight": yesterday.Add(-15 * time.Minute),
		} {
			t.Run(knowledge+" "+name, func(t *testing.T) {
				t.Parallel()
				s, w := seeded(t)
				s.explainHour(w, knowledge, begin)
			})
		}
	}
}

func (s seeder) explainHour(w *Writer, knowledge string, begin time.Time) {
	s.t.Helper()
	s.exec(`ALTER TABLE malote.queue SET (autovacuum_enabled = false)`)
	analyze := func() {
		s.exec(`ANALYZE malote.queue, malote.deliveries, malote.events, malote.lanes, malote.endpoints`)
	}
	if knowledge == "of empty tables" {
		analyze()
	}
	endpoint, other := s.endpoint("acme"), s.endpoint("acme")
	s.pendingMany("acme", endpoint, much, begin)
	s.pendingMany("acme", other, much, begin)
	s.exec(`UPDATE malote.queue SET coalesce_key = id::text`)
	closed := func(of delivery.ID, n int, state delivery.State) []delivery.ID {
		return s.closedFrom("acme", of, n, state, begin.Add(10*time.Minute), 50*time.Minute)
	}
	closed(endpoint, much, delivery.Delivered)
	closed(other, much, delivery.Dead)
	dead := closed(endpoint, 200, delivery.Dead)
	s.exec(`UPDATE malote.deliveries SET coalesce_key = id::text`)
	if knowledge == "all" {
		analyze()
	}
	s.explainAll(w, Window{Endpoint: endpoint, Since: begin, Until: begin.Add(time.Hour), States: usual}, dead)
}

func (s seeder) explainAll(w *Writer, window Window, dead []delivery.ID) {
	s.t.Helper()
	endpoint := window.Endpoint
	seen := make(map[string]bool)
	do := func(limit int, what func(pgx.Tx) error) {
		s.t.Helper()
		require.NoError(s.t, w.inTx(s.t.Context(), nil, func(tx pgx.Tx) error {
			return what(explaining{tx, s.t, limit, seen})
		}))
	}
	ctx := s.t.Context()
	do(discardBatch, func(tx pgx.Tx) error {
		n, err := discardSome(ctx, tx, endpoint, time.Now())
		require.Equal(s.t, discardBatch, n)
		return err
	})
	job := s.start(w, window)
	do(w.stretchRows, func(tx pgx.Tx) error {
		b := &recovering{tx: tx, id: job.ID, complete: time.Now(), stretchRows: w.stretchRows}
		return b.run(ctx)
	})
	require.Equal(s.t, 100, s.recovery(w, job.ID).Recovered)
	do(200, func(tx pgx.Tx) error {
		r := newReplaying(replayOf(dead[100:150]...), dead[100:150])
		require.NoError(s.t, r.survey(ctx, s.store.Pool()))
		r.tx = tx
		err := r.run(ctx)
		require.True(s.t, r.done)
		return err
	})
	require.NoError(s.t, pgx.BeginFunc(ctx, s.store.Pool(), func(tx pgx.Tx) error { // somebody else's
		n, err := ReplayDeadIn(ctx, explaining{tx, s.t, much, seen}, endpoint)
		require.Equal(s.t, 50, n)
		return err
	}))
	for name, sql := range map[string]string{
		"pick": pickPendingSQL, "close": closePendingSQL, "remove pending": removePendingSQL, "window": surveyWindowSQL,
		"bulk lock": bulkLockSQL, "rivals": lockRivalsSQL, "arrived": arrivedSQL, "reopen": reopenSQL,
		"remove closed": removeClosedSQL, "closed": lockClosedSQL, "dead": surveyDeadSQL,
	} {
		require.True(s.t, seen[sql], fmt.Sprint(name, " was not seen"))
	}
}
