package store_test

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/circuit"
	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
	"github.com/malotehq/malote/internal/store"
	"github.com/malotehq/malote/internal/store/pgtest"
)

func TestMain(m *testing.M) {
	// Every check of a property costs statements; the command line may ask for more.
	if err := flag.Set("rapid.checks", "25"); err != nil {
		panic(err)
	}
	os.Exit(pgtest.Main(m))
}

// fixture is a database with endpoints, and the steps of a delivery's life as
// the other packages would call them.
type fixture struct {
	*testing.T
	store  *store.Store
	dsn    string
	policy *policy.Policy
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	t.Parallel()
	dsn := pgtest.DSN(t)
	contract, ok := policy.Preset("fair-queue")
	require.True(t, ok)
	return &fixture{T: t, store: pgtest.OpenDSN(t, dsn), dsn: dsn, policy: contract}
}

func (f *fixture) exec(statement string, arguments ...any) {
	f.Helper()
	_, err := f.store.Pool().Exec(f.Context(), statement, arguments...)
	require.NoError(f, err)
}

func scalar[T any](f *fixture, query string, arguments ...any) T {
	f.Helper()
	var value T
	require.NoError(f, f.store.Pool().QueryRow(f.Context(), query, arguments...).Scan(&value))
	return value
}

// endpoint adds an endpoint of the tenant, which it makes if need be.
func (f *fixture) endpoint(tenant string, maxInFlight int) *delivery.Endpoint {
	f.Helper()
	shard := delivery.ShardOf(tenant)
	e := &delivery.Endpoint{
		ID: delivery.NewID(shard, time.Now(), rand.Reader), Tenant: tenant,
		URL: "https://hooks.example.com/", Policy: "fair-queue", MaxInFlight: maxInFlight,
	}
	f.exec(`INSERT INTO malote.tenants (shard, id) VALUES ($1, $2) ON CONFLICT DO NOTHING`, shard, tenant)
	f.exec(`INSERT INTO malote.endpoints (shard, id, tenant, url, policy) VALUES ($1, $2, $3, $4, $5)`,
		shard, e.ID, tenant, e.URL, e.Policy)
	f.exec(`INSERT INTO malote.lanes (shard, endpoint_id, tenant, max_in_flight, claim_limit, lease_seconds)
		VALUES ($1, $2, $3, $4, $4, 60)`, shard, e.ID, tenant, maxInFlight)
	f.exec(`UPDATE malote.tenants t SET endpoints_version = endpoints_version + 1 WHERE t.shard = $1 AND t.id = $2`, shard, tenant)
	return e
}

// draft is an event of the tenant. Each draft is a unit of its own.
func draft(tenant, body string, change ...func(*delivery.Draft)) *delivery.Draft {
	now := time.Now()
	d := &delivery.Draft{
		Event: delivery.Event{
			ID: delivery.NewID(delivery.ShardOf(tenant), now, rand.Reader), Tenant: tenant, Type: "test.event",
			ContentType: "application/json", Body: []byte(body), OccurredAt: now, AcceptedAt: now,
		},
		Fingerprint: sha256.Sum256([]byte(body)),
	}
	for _, c := range change {
		c(d)
	}
	return d
}

func withKey(key string) func(*delivery.Draft) {
	return func(d *delivery.Draft) { d.Event.IdempotencyKey = key }
}

func coalesced(key string) func(*delivery.Draft) {
	return func(d *delivery.Draft) { d.Event.CoalesceKey = key }
}

// toAll plans a pending delivery for every endpoint of the tenant.
func toAll(d *delivery.Draft, endpoints []*delivery.Endpoint) (delivery.Plan, error) {
	plan := delivery.Plan{Bodies: [][]byte{d.Event.Body}}
	for _, e := range endpoints {
		plan.Deliveries = append(plan.Deliveries, delivery.Planned{EndpointID: e.ID, State: delivery.Pending, FIFO: e.FIFO})
	}
	if len(endpoints) == 0 {
		plan.Deliveries = []delivery.Planned{{State: delivery.Skipped, Reason: delivery.NoEndpoint}}
	}
	return plan, nil
}

// publish commits drafts, each its own unit, and wakes the lanes.
func (f *fixture) publish(drafts ...*delivery.Draft) []delivery.Published {
	f.Helper()
	published, err := f.publishOn(f.Context(), f.store, drafts...)
	require.NoError(f, err)
	return published
}

func (f *fixture) publishOn(ctx context.Context, s *store.Store, drafts ...*delivery.Draft) ([]delivery.Published, error) {
	for i, d := range drafts {
		d.Unit = i
	}
	published, lanes, err := s.Publish(ctx, drafts, toAll)
	if err != nil {
		return nil, err
	}
	_, err = s.WakeLanes(ctx, lanes)
	return published, err
}

// publishUnits commits each list of drafts as a unit: all of it or none.
func (f *fixture) publishUnits(units ...[]*delivery.Draft) []delivery.Published {
	f.Helper()
	var drafts []*delivery.Draft
	for number, unit := range units {
		for _, d := range unit {
			d.Unit = number
			drafts = append(drafts, d)
		}
	}
	published, lanes, err := f.store.Publish(f.Context(), drafts, toAll)
	require.NoError(f, err)
	_, err = f.store.WakeLanes(f.Context(), lanes)
	require.NoError(f, err)
	return published
}

// publishMany commits n events of a tenant.
func (f *fixture) publishMany(tenant string, n int) {
	f.Helper()
	drafts := make([]*delivery.Draft, n)
	for i := range drafts {
		drafts[i] = draft(tenant, fmt.Sprintf(`{"n":%d}`, i))
	}
	f.publish(drafts...)
}

func (f *fixture) claim(n int) []*delivery.Claim {
	f.Helper()
	claimed, err := f.store.Claim(f.Context(), n)
	require.NoError(f, err)
	return claimed.Claims
}

// answer completes claims as if their endpoints had answered with the status.
func (f *fixture) answer(status int, claims ...*delivery.Claim) policy.Completed {
	f.Helper()
	done := make([]policy.Completion, len(claims))
	for i, c := range claims {
		done[i] = f.completion(c, delivery.Outcome{Status: status, StartedAt: c.ClaimedAt, Duration: 7 * time.Millisecond})
	}
	result, err := f.store.Complete(f.Context(), done)
	require.NoError(f, err)
	return result
}

// handBack completes claims as never sent.
func (f *fixture) handBack(claims ...*delivery.Claim) policy.Completed {
	f.Helper()
	done := make([]policy.Completion, len(claims))
	for i, c := range claims {
		done[i] = policy.Completion{Kind: policy.Unsent, Claim: c, CompletedAt: c.DatabaseTime(time.Now())}
	}
	result, err := f.store.Complete(f.Context(), done)
	require.NoError(f, err)
	return result
}

func (f *fixture) completion(c *delivery.Claim, outcome delivery.Outcome) policy.Completion {
	now := c.DatabaseTime(time.Now())
	progress := policy.Progress{CycleAttempt: c.CycleAttempt, CycleStartedAt: c.CycleStartedAt,
		FirstAttemptAt: c.FirstAttemptAt, ScheduledAt: c.ScheduledAt}
	return policy.Completion{
		Kind: policy.Sent, Claim: c, Outcome: outcome, CompletedAt: now, Circuit: &f.policy.Circuit,
		Decision: policy.Decide(f.policy, progress, outcome, now, func() float64 { return 0.5 }),
	}
}

// eventuallyWaiting returns when so many sessions wait for locks of others.
func (f *fixture) eventuallyWaiting(sessions int) {
	f.Helper()
	require.Eventually(f, func() bool {
		return scalar[int](f, `SELECT count(*)::int FROM pg_stat_activity
			WHERE datname = current_database() AND wait_event_type = 'Lock'`) >= sessions
	}, 10*time.Second, 5*time.Millisecond)
}

// reportDeadlocks makes the server processes of a store tell what they saw at
// once; by themselves they do within seconds.
func (f *fixture) reportDeadlocks(s *store.Store) {
	f.Helper()
	for _, conn := range s.Hot().AcquireAllIdle(f.Context()) {
		_, err := conn.Exec(f.Context(), `SELECT pg_stat_force_next_flush()`)
		require.NoError(f, err)
		conn.Release()
	}
}

// deadlocks counts what was reported, in this database.
func (f *fixture) deadlocks() int {
	f.Helper()
	return scalar[int](f, `SELECT pg_stat_get_db_deadlocks(oid)::int FROM pg_database WHERE datname = current_database()`)
}

// states counts all deliveries, open and closed.
func (f *fixture) states() map[string]int {
	f.Helper()
	rows, err := f.store.Pool().Query(f.Context(), `SELECT s, count(*)::int FROM (
		SELECT status AS s FROM malote.queue UNION ALL SELECT state FROM malote.deliveries) x GROUP BY s`)
	require.NoError(f, err)
	counts := make(map[string]int)
	var state string
	var n int
	_, err = pgx.ForEachRow(rows, []any{&state, &n}, func() error { counts[state] = n; return nil })
	require.NoError(f, err)
	return counts
}

// follow makes the fixture decide by another policy.
func (f *fixture) follow(preset string) {
	f.Helper()
	contract, ok := policy.Preset(preset)
	require.True(f, ok)
	f.policy = contract
}

// noCircuit lets endpoints fail as often as a test likes.
func (f *fixture) noCircuit() {
	changed := *f.policy
	changed.Circuit = circuit.Settings{Kind: circuit.None}
	f.policy = &changed
}
