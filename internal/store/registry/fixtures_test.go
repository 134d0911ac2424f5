package registry

import (
	"crypto/rand"
	"crypto/sha256"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/store/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

var standard = Defaults{Policy: "standard", MaxInFlight: 10, LeaseSeconds: 60}

func open(t *testing.T) *Registry {
	t.Helper()
	return New(pgtest.Open(t), Options{Presets: []string{"standard", "fair-queue"}})
}

// openTwice gives two registries on one database, as two processes have.
func openTwice(t *testing.T) (first, second *Registry) {
	t.Helper()
	dsn := pgtest.DSN(t)
	return New(pgtest.OpenDSN(t, dsn), Options{Presets: []string{"standard"}}),
		New(pgtest.OpenDSN(t, dsn), Options{Presets: []string{"standard"}})
}

func addTenant(t *testing.T, r *Registry, slug string) {
	t.Helper()
	_, created, err := r.CreateTenant(t.Context(), Tenant{ID: slug}, Once{})
	require.NoError(t, err)
	require.True(t, created)
}

func addEndpoint(t *testing.T, r *Registry, tenant string) Endpoint {
	t.Helper()
	endpoint, created, err := r.CreateEndpoint(t.Context(), newEndpoint(tenant), standard, Once{})
	require.NoError(t, err)
	require.True(t, created)
	return endpoint
}

func newEndpoint(tenant string) NewEndpoint {
	return NewEndpoint{Tenant: tenant, URL: "https://example.com/hook", Policy: "standard", Secrets: []string{"whsec_first"}}
}

func newSource(tenant string) NewSource {
	return NewSource{Tenant: tenant, Name: "new", Provider: "github", Secrets: []SourceSecret{{Name: "first", Value: "hush-first"}}}
}

func addSource(t *testing.T, r *Registry, tenant string) Source {
	t.Helper()
	spec := newSource(tenant)
	spec.Name = "a source"
	source, created, err := r.CreateSource(t.Context(), spec, Once{})
	require.NoError(t, err)
	require.True(t, created)
	return source
}

// sourceVersion is what the door compares.
func sourceVersion(t *testing.T, r *Registry, source delivery.ID) int64 {
	t.Helper()
	found, err := r.SourceVersions(t.Context(), []delivery.ID{source})
	require.NoError(t, err)
	require.Contains(t, found, source)
	return found[source]
}

func once(key, request string) Once {
	return Once{Key: key, Fingerprint: sha256.Sum256([]byte(request))}
}

func ptr[T any](v T) *T { return &v }

// addOpen puts deliveries into the queue, due in the order given.
func addOpen(t *testing.T, r *Registry, endpoint Endpoint, status delivery.State, n int) []delivery.ID {
	t.Helper()
	ids := make([]delivery.ID, n)
	begin := time.Now()
	for i := range ids { // a microsecond apart: no two of one tick, in which chance decides their order
		event := delivery.NewID(endpoint.ID.Shard(), begin.Add(time.Duration(i)*time.Microsecond), rand.Reader)
		ids[i] = delivery.NewDeliveryID(event, rand.Reader)
	}
	execute(t, r, `INSERT INTO malote.queue (shard, id, endpoint_id, event_id, tenant, status, trigger, attempt_count,
			next_attempt_at, cycle_started_at, last_status, last_error)
		SELECT $1, x.id, $2, x.id, $3, $4, 'schedule', 3, now() + x.n * interval '1 ms',
			now() - interval '1 hour' - x.n * interval '1 ms', 503, 'http_status'
		FROM unnest($5::uuid[]) WITH ORDINALITY AS x (id, n)`, endpoint.ID.Shard(), endpoint.ID, endpoint.Tenant, status, ids)
	return ids
}

func execute(t *testing.T, r *Registry, sql string, args ...any) {
	t.Helper()
	_, err := r.pool.Exec(t.Context(), sql, args...)
	require.NoError(t, err)
}

// one reads a single value.
func one[T any](t *testing.T, r *Registry, sql string, args ...any) (v T) {
	t.Helper()
	require.NoError(t, r.pool.QueryRow(t.Context(), sql, args...).Scan(&v))
	return v
}

// versions are what claimers and publishers compare.
func versions(t *testing.T, r *Registry, endpoint Endpoint) (lane, tenant int64) {
	t.Helper()
	return one[int64](t, r, `SELECT config_version FROM malote.lanes WHERE endpoint_id = $1`, endpoint.ID),
		one[int64](t, r, `SELECT endpoints_version FROM malote.tenants WHERE id = $1`, endpoint.Tenant)
}

// laneReady says whether a claimer would look at the lane now.
func laneReady(t *testing.T, r *Registry, endpoint Endpoint) bool {
	t.Helper()
	return one[bool](t, r, `SELECT ready_at <= now() FROM malote.lanes WHERE endpoint_id = $1`, endpoint.ID)
}

// atOnce runs n calls that start together, and collects what they return.
func atOnce[T any](n int, call func(i int) T) []T {
	results := make([]T, n)
	start := make(chan struct{})
	var running sync.WaitGroup
	for i := range n {
		running.Go(func() {
			<-start
			results[i] = call(i)
		})
	}
	close(start)
	running.Wait()
	return results
}
