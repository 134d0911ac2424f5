package store_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/store"
)

// statements collects what a store sends, with its parameters.
type statements struct {
	mu   sync.Mutex
	seen map[string][]any
}

func (s *statements) note(sql string, args []any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if strings.Contains(sql, "malote.") && !strings.HasPrefix(sql, "EXPLAIN") && !strings.HasPrefix(sql, "PREPARE") {
		s.seen[sql] = args
	}
}

func (s *statements) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	s.note(data.SQL, data.Args)
	return ctx
}

func (*statements) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

func (*statements) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	return ctx
}

func (s *statements) TraceBatchQuery(_ context.Context, _ *pgx.Conn, data pgx.TraceBatchQueryData) {
	s.note(data.SQL, data.Args)
}

func (*statements) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}

// planNode is what we look at of a plan.
type planNode struct {
	Kind  string     `json:"Node Type"`
	Table string     `json:"Relation Name"`
	Index string     `json:"Index Name"`
	Cond  string     `json:"Index Cond"`
	Plans []planNode `json:"Plans"`
}

func (n planNode) walk(visit func(planNode)) {
	visit(n)
	for _, below := range n.Plans {
		below.walk(visit)
	}
}

// readWhole are the indexes that some statements read from their beginning: they
// hold only what is ready, in flight, expired or newly ordered, in the order that is asked for,
// or are hopped over.
var readWhole = []string{"lanes_fifo", "lanes_ready", "queue_in_flight", "queue_coalesce_sending", "queue_due"}

var beyondShard = regexp.MustCompile(`\b(id|endpoint_id|event_id|scope|tenant|delivery_id)\b`)

// Bounds of ids choose partitions; what lies between them may be a day's.
var (
	idRange = regexp.MustCompile(`\b(event_|delivery_)?id >= `)
	oneID   = regexp.MustCompile(`\b(event_|delivery_)?id = `)
)

// problems says what in a plan would grow with what the tables hold.
func (n planNode) problems() (found []string) {
	partitions := make(map[string][]string)
	n.walk(func(n planNode) {
		if base, day, ok := strings.Cut(n.Table, "_2"); ok {
			partitions[base] = append(partitions[base], day)
		}
		switch {
		case n.Kind == "Seq Scan":
			found = append(found, "reads all of "+n.Table)
		case n.Index != "" && !beyondShard.MatchString(n.Cond) && (strings.Contains(n.Cond, "shard") || !slices.Contains(readWhole, n.Index)):
			found = append(found, fmt.Sprintf("reads all of a shard in %s by (%s)", n.Index, n.Cond))
		case idRange.MatchString(n.Cond) && !oneID.MatchString(n.Cond):
			found = append(found, fmt.Sprintf("reads a range of ids in %s by (%s)", n.Index, n.Cond))
		case n.Kind == "Bitmap Heap Scan":
			found = append(found, "collects rows of "+n.Table+" before it reads any")
		}
	})
	for base, days := range partitions {
		slices.Sort(days)
		if days = slices.Compact(days); len(days) > 1 {
			found = append(found, fmt.Sprintf("opens %d partitions of %s", len(days), base))
		}
	}
	return found
}

// everything runs every hot transaction, each kind of row among what it meets.
func (f *fixture) everything() {
	f.Helper()
	toBoth := func(d *delivery.Draft, endpoints []*delivery.Endpoint) (delivery.Plan, error) {
		plan, err := toAll(d, endpoints)
		plan.Bodies = append(plan.Bodies, []byte("another envelope"))
		plan.Deliveries[0].Rendering = 1
		plan.Deliveries = append(plan.Deliveries, delivery.Planned{State: delivery.Skipped, Reason: delivery.NoEndpoint})
		return plan, err
	}
	reset := func(ready string) {
		f.exec(`UPDATE malote.lanes SET status = 'active', disabled_at = NULL, parked_full = false, ready_at = ` + ready + ` WHERE tenant = 'acme'`)
	}
	f.exec(`DELETE FROM malote.queue WHERE tenant = 'acme'`)
	for range 2 {
		drafts := []*delivery.Draft{draft("acme", "1", withKey("k")), draft("acme", "2", withKey("k")), draft("acme", "3", coalesced("c"))}
		for i, d := range drafts {
			d.Unit = i / 2 // the first two contradict each other
		}
		_, lanes, err := f.store.Publish(f.Context(), append(drafts, draft("acme", "4", func(d *delivery.Draft) { d.Unit = 3 })), toBoth)
		require.NoError(f, err)
		reset(`'infinity'`)
		_, err = f.store.WakeLanes(f.Context(), lanes)
		require.NoError(f, err)
	}
	f.publish(draft("acme", "5", withKey("l")))
	f.exec(`UPDATE malote.event_keys SET expires_at = now() WHERE key = 'l'`)
	f.publish(draft("acme", "5", withKey("l")))
	f.store.ForgetEvents()
	claims := f.claim(100)
	require.GreaterOrEqual(f, len(claims), 4)
	f.publish(draft("acme", "6", coalesced("c")))
	f.claimHanded(1, f.unwoken(draft("acme", "7")))
	f.answer(500, claims[0])
	f.answer(410, claims[1])
	f.handBack(claims[2])
	reset(`now()`)
	_, err := f.store.ClaimWithin(f.Context(), 1, delivery.Room{Suspects: 1, Hanging: []delivery.ID{claims[0].Endpoint.ID}})
	require.NoError(f, err)
	f.exec(`UPDATE malote.queue SET lease_until = now() - interval '1 second' WHERE status = 'sending'`)
	f.rescue()
	_, err = f.store.Sweep(f.Context())
	require.NoError(f, err)
	f.claim(100)
}

// grow adds what others have: lanes, their backlogs, and events of many days.
func (f *fixture) grow() {
	f.Helper()
	f.exec(`INSERT INTO malote.lanes (shard, endpoint_id, tenant, max_in_flight, claim_limit, lease_seconds, ready_at)
		SELECT n % 1024, gen_random_uuid(), 'other', 4, 4, 60, CASE WHEN n % 100 = 0 THEN now() ELSE 'infinity' END FROM generate_series(1, 3000) n`)
	f.exec(`INSERT INTO malote.tenants (shard, id) SELECT n, 'other' FROM generate_series(0, 1023) n`)
	f.exec(`INSERT INTO malote.endpoints (shard, id, tenant, url, policy) SELECT l.shard, l.endpoint_id, 'other', '', '' FROM malote.lanes l
		WHERE l.tenant = 'other'`)
	f.exec(`INSERT INTO malote.endpoint_secrets (shard, id, endpoint_id, value) SELECT e.shard, e.id, e.id, 'whsec_x' FROM malote.endpoints e`)
	f.exec(`INSERT INTO malote.queue (shard, id, endpoint_id, event_id, tenant, status, trigger, next_attempt_at, cycle_started_at, coalesce_key)
		SELECT l.shard, gen_random_uuid(), l.endpoint_id, gen_random_uuid(), 'other', 'pending', 'schedule', now() + n * interval '1 minute', now(),
			CASE WHEN n = 1 THEN 'c' END FROM malote.lanes l CROSS JOIN generate_series(1, 5) n WHERE l.tenant = 'other'`)
	f.exec(`INSERT INTO malote.event_keys (shard, scope, key, id, fingerprint, expires_at)
		SELECT $1, 'publish:acme', n::text, gen_random_uuid(), '', now() + interval '1 day' FROM generate_series(1, 3000) n`, delivery.ShardOf("acme"))
}

// prepared keeps the plans of hot statements on one connection, as the store's
// own connections do.
type prepared struct {
	conn  *pgxpool.Conn
	names map[string]string // by statement
}

// planOf is the plan that the connection has for a statement. Most are made once
// for all values; what planAnew stands before is planned for those given.
func (p *prepared) planOf(f *fixture, sql string, args []any) planNode {
	f.Helper()
	var explained []byte
	if strings.Contains(sql, "malote.event_renderings r") || strings.Contains(sql, "maintenance query") {
		f.tx(p.conn, func(tx pgx.Tx) {
			_, err := tx.Exec(f.Context(), store.PlanAnew)
			require.NoError(f, err)
			require.NoError(f, tx.QueryRow(f.Context(), "EXPLAIN (FORMAT JSON) "+sql, args...).Scan(&explained), sql)
		})
	} else {
		if p.names[sql] == "" {
			p.names[sql] = fmt.Sprintf("hot_%d", len(p.names))
			_, err := p.conn.Exec(f.Context(), "PREPARE "+p.names[sql]+" AS "+sql, pgx.QueryExecModeSimpleProtocol)
			require.NoError(f, err, sql)
		}
		call := "EXPLAIN (FORMAT JSON) EXECUTE " + p.names[sql]
		if len(args) > 0 {
			call += "(" + strings.TrimSuffix(strings.Repeat("NULL, ", len(args)), ", ") + ")"
		}
		require.NoError(f, p.conn.QueryRow(f.Context(), call, pgx.QueryExecModeSimpleProtocol).Scan(&explained), sql)
	}
	var plans []struct{ Plan planNode }
	require.NoError(f, json.Unmarshal(explained, &plans))
	return plans[0].Plan
}

func (f *fixture) tx(conn *pgxpool.Conn, do func(pgx.Tx)) {
	f.Helper()
	tx, err := conn.Begin(f.Context())
	require.NoError(f, err)
	do(tx)
	require.NoError(f, tx.Rollback(f.Context()))
}

// TestI3_NoPlanGrowsWithTheTables asks for the plan of every hot statement in
// tables that have grown: those plans that were made while they were small, those
// that are made before the server has looked at them, and after.
func TestI3_NoPlanGrowsWithTheTables(t *testing.T) {
	f := newFixture(t)
	f.noCircuit()
	seen := &statements{seen: make(map[string][]any)}
	require.NoError(t, f.store.Trace(t.Context(), seen))
	f.endpoint("acme", 50)
	for _, table := range []string{"queue", "lanes", "event_keys", "endpoints", "endpoint_secrets", "tenants"} {
		f.exec(`ALTER TABLE malote.` + table + ` SET (autovacuum_enabled = false)`)
	}
	f.everything()
	require.Greater(t, len(seen.seen), 25, "every statement was seen")
	look := func() {
		f.exec(`VACUUM ANALYZE malote.queue, malote.lanes, malote.event_keys, malote.endpoints, malote.endpoint_secrets, malote.tenants`)
	}
	plansOf := func(p *prepared) (problems []string) {
		t.Helper()
		require.NoError(t, f.store.KeepPlansRight(t.Context(), p.conn.Conn()))
		for _, sql := range slices.Sorted(maps.Keys(seen.seen)) {
			for _, problem := range p.planOf(f, sql, seen.seen[sql]).problems() {
				problems = append(problems, problem+" in\n"+sql)
			}
		}
		return problems
	}
	look()
	old := f.prepare()
	require.NotEmpty(t, plansOf(old), "small tables are read as a whole, which is what must not last")
	f.grow()
	f.everything()
	require.Empty(t, plansOf(old), "grown unnoticed, with plans from before")
	require.Empty(t, plansOf(f.prepare()), "grown unnoticed, with new plans")
	look()
	f.everything()
	require.Empty(t, plansOf(old), "known to be large")
}

// Between the events of a claim, a late retry's and a new one's, may lie any number
// of others. A partition that the server has not looked at seems to hold few.
func TestI3_AClaimReadsItsOwnEventsOnly(t *testing.T) {
	f := newFixture(t)
	seen := &statements{seen: make(map[string][]any)}
	require.NoError(t, f.store.Trace(t.Context(), seen))
	for range 20 {
		f.endpoint("acme", 4)
	}
	f.endpoint("other", 4)
	f.publish(draft("acme", "early"))
	f.publishMany("other", 500)
	f.publish(draft("acme", "late"))
	f.exec(`DELETE FROM malote.queue WHERE tenant = 'other'`)
	f.store.ForgetEvents()
	require.Len(t, f.claim(100), 40)
	p, events := f.prepare(), 0
	for sql, args := range seen.seen {
		if strings.Contains(sql, "malote.event_renderings r") && strings.Contains(sql, "wanted") {
			events++
			require.Empty(t, p.planOf(f, sql, args).problems())
		}
	}
	require.Equal(t, 1, events, "the statement was seen")
}

func (f *fixture) prepare() *prepared {
	f.Helper()
	conn, err := f.store.Hot().Acquire(f.Context())
	require.NoError(f, err)
	f.Cleanup(conn.Release)
	return &prepared{conn, make(map[string]string)}
}
