package registry

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/store/pgtest"
)

func weights(t *testing.T, r *Registry, tenant string) []int32 {
	t.Helper()
	return one[[]int32](t, r, `SELECT array_agg(DISTINCT weight ORDER BY weight) FROM malote.lanes
		WHERE tenant = $1 AND status <> 'deleted'`, tenant)
}

func TestPriority_A09_IsTheWeightOfAllLanes(t *testing.T) {
	t.Parallel()
	r := open(t)
	_, _, err := r.CreateTenant(t.Context(), Tenant{ID: "acme", Priority: 7}, Once{})
	require.NoError(t, err)
	addTenant(t, r, "globex")
	deleted := addEndpoint(t, r, "acme")
	require.NoError(t, r.DeleteEndpoint(t.Context(), AnyTenant, deleted.ID))
	for range 3 {
		addEndpoint(t, r, "acme")
		addEndpoint(t, r, "globex")
	}
	require.Equal(t, []int32{8}, weights(t, r, "acme"), "a new lane has its tenant's weight")
	require.Equal(t, []int32{1}, weights(t, r, "globex"))

	for _, c := range []struct {
		given, counts int
		weight        int32
	}{{0, 0, 1}, {99, 99, 100}, {-5, 0, 1}, {100, 99, 100}, {1 << 30, 99, 100}, {3, 3, 4}, {3, 3, 4}} {
		changed, err := r.UpdateTenant(t.Context(), "acme", TenantPatch{Priority: ptr(c.given), Name: ptr("x")})
		require.NoError(t, err)
		require.Equal(t, c.counts, changed.Priority, c.given)
		require.Equal(t, []int32{c.weight}, weights(t, r, "acme"), c.given)
		addEndpoint(t, r, "acme")
		require.Equal(t, []int32{c.weight}, weights(t, r, "acme"), c.given)
	}
	require.Equal(t, []int32{1}, weights(t, r, "globex"), "another tenant's lanes have theirs")
	_, err = r.UpdateTenant(t.Context(), "acme", TenantPatch{Name: ptr("y")})
	require.NoError(t, err)
	require.Equal(t, []int32{4}, weights(t, r, "acme"))
	_, err = r.UpdateTenant(t.Context(), "nobody", TenantPatch{Priority: ptr(1)})
	require.ErrorIs(t, err, ErrNoTenant)

	execute(t, r, `UPDATE malote.tenants SET priority = -100 WHERE id = 'globex'`) // by an older version
	addEndpoint(t, r, "globex")
	require.Equal(t, []int32{1}, weights(t, r, "globex"))
	read, err := r.Tenant(t.Context(), "globex")
	require.NoError(t, err)
	require.Zero(t, read.Priority)
	made, _, err := r.CreateTenant(t.Context(), Tenant{ID: "initech", Priority: -1}, Once{})
	require.NoError(t, err)
	require.Zero(t, made.Priority)
}

// Priorities, new endpoints, changes of endpoints, publishing and claiming at
// once: nobody waits for ever, and in the end all lanes have the tenant's weight.
func TestPriority_A09_WhileEverythingElseGoesOn(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DSN(t)
	first, second := pgtest.OpenDSN(t, dsn), pgtest.OpenDSN(t, dsn)
	r, other := New(first, Options{Presets: []string{"standard"}}), New(second, Options{Presets: []string{"standard"}})
	addTenant(t, r, "acme")
	shared := make([]Endpoint, 3)
	for i := range shared {
		shared[i] = addEndpoint(t, r, "acme")
	}
	deadlocks := func() int64 {
		return one[int64](t, r, `SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()`)
	}
	before := deadlocks()
	const rounds = 25
	for _, err := range atOnce(7, func(i int) error {
		for round := range rounds {
			var err error
			switch i {
			case 0, 1:
				_, err = []*Registry{r, other}[i].UpdateTenant(t.Context(), "acme", TenantPatch{Priority: ptr((round*7 + i) % 100)})
			case 2, 3:
				var made Endpoint
				made, _, err = r.CreateEndpoint(t.Context(), newEndpoint("acme"), standard, Once{})
				if err == nil { // used at once, while priorities change
					_, err = other.SetStatus(t.Context(), AnyTenant, made.ID, Pause)
				}
			case 4:
				change := EndpointPatch{RateLimit: ptr(float64(round + 1)), FIFO: ptr(round%2 == 0)}
				_, err = other.UpdateEndpoint(t.Context(), AnyTenant, shared[round%3].ID, change, standard)
			case 5:
				publish(t, first, "acme")
			case 6:
				_, err = second.Claim(t.Context(), 100)
			}
			if err != nil {
				return fmt.Errorf("%d: %w", i, err)
			}
		}
		return nil
	}) {
		require.NoError(t, err)
	}
	tenant, err := r.Tenant(t.Context(), "acme")
	require.NoError(t, err)
	require.Equal(t, []int32{int32(delivery.Weight(tenant.Priority))}, weights(t, r, "acme"))
	require.Equal(t, before, deadlocks())
}

// A lane that is being made while the weight changes must get the new one.
func TestPriority_A09_ReachesALaneMadeMeanwhile(t *testing.T) {
	t.Parallel()
	first, second := openTwice(t)
	addTenant(t, first, "acme")
	made, changed := make(chan error, 1), make(chan error, 1)
	waiting := func(n int) {
		require.Eventually(t, func() bool {
			return n == one[int](t, first, `SELECT count(*) FROM pg_stat_activity
				WHERE datname = current_database() AND wait_event_type = 'Lock'`)
		}, 20*time.Second, 5*time.Millisecond)
	}
	// Somebody holds the tenant's row: the creation waits with its lane not made
	// yet, the change behind it.
	holder, err := first.pool.Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = holder.Rollback(t.Context()) }()
	_, err = holder.Exec(t.Context(), lockTenantSQL, delivery.ShardOf("acme"), "acme")
	require.NoError(t, err)
	go func() {
		_, _, err := first.CreateEndpoint(t.Context(), newEndpoint("acme"), standard, Once{})
		made <- err
	}()
	waiting(1)
	go func() {
		_, err := second.UpdateTenant(t.Context(), "acme", TenantPatch{Priority: ptr(4)})
		changed <- err
	}()
	waiting(2)
	require.NoError(t, holder.Commit(t.Context()))
	require.NoError(t, <-made)
	require.NoError(t, <-changed)
	require.Equal(t, []int32{5}, weights(t, first, "acme"))
}
