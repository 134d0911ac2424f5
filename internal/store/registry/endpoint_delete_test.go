package registry

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

func TestDeleteEndpoint_ClosesWhatIsPending(t *testing.T) {
	t.Parallel()
	r := open(t)
	addTenant(t, r, "acme")
	endpoint, other := addEndpoint(t, r, "acme"), addEndpoint(t, r, "acme")
	addOpen(t, r, endpoint, delivery.Pending, closeBatch+5)
	sending := addOpen(t, r, endpoint, delivery.Sending, 1)
	addOpen(t, r, other, delivery.Pending, 2)

	require.NoError(t, r.DeleteEndpoint(t.Context(), OfTenant("acme"), endpoint.ID))
	require.Equal(t, closeBatch+5, one[int](t, r, `SELECT count(*) FROM malote.deliveries WHERE state = 'dead'
		AND reason = 'endpoint_deleted' AND endpoint_id = $1 AND tenant = 'acme' AND attempt_count = 3
		AND last_status = 503 AND last_error = 'http_status' AND event_id = id`, endpoint.ID))
	require.Equal(t, []delivery.ID{sending[0]}, openOf(t, r, endpoint), "what is being sent is its sender's")
	require.Len(t, openOf(t, r, other), 2)
	require.Equal(t, "deleted infinity false", one[string](t, r,
		`SELECT concat_ws(' ', status, ready_at, parked_full::text) FROM malote.lanes WHERE endpoint_id = $1`, endpoint.ID))
	require.Zero(t, one[int](t, r, `SELECT count(*) FROM malote.endpoint_secrets WHERE endpoint_id = $1`, endpoint.ID))
	require.Equal(t, endpoint.URL, one[string](t, r,
		`SELECT url FROM malote.endpoints WHERE id = $1 AND deleted_at IS NOT NULL`, endpoint.ID), "history can still name it")

	list, _, err := r.Endpoints(t.Context(), OfTenant("acme"), Page{Limit: 10}, EndpointFilter{})
	require.NoError(t, err)
	require.Len(t, list, 1)
}

func openOf(t *testing.T, r *Registry, endpoint Endpoint) []delivery.ID {
	t.Helper()
	rows, _ := r.pool.Query(t.Context(), `SELECT id FROM malote.queue WHERE endpoint_id = $1`, endpoint.ID)
	ids, err := pgx.CollectRows(rows, pgx.RowTo[delivery.ID])
	require.NoError(t, err)
	return ids
}

func TestCloseOrphans_UpToTheLimit(t *testing.T) {
	t.Parallel()
	r := open(t)
	addTenant(t, r, "acme")
	addTenant(t, r, "globex")
	first, second, live := addEndpoint(t, r, "acme"), addEndpoint(t, r, "globex"), addEndpoint(t, r, "acme")
	for _, endpoint := range []Endpoint{first, second} {
		require.NoError(t, r.DeleteEndpoint(t.Context(), AnyTenant, endpoint.ID))
	}
	// Published by whoever still saw the endpoints.
	addOpen(t, r, first, delivery.Pending, 3)
	addOpen(t, r, second, delivery.Pending, 4)
	addOpen(t, r, second, delivery.Sending, 1)
	addOpen(t, r, live, delivery.Pending, 1)
	for _, want := range []int{5, 2, 0} {
		closed, err := r.CloseOrphans(t.Context(), 5)
		require.NoError(t, err)
		require.Equal(t, want, closed)
	}
	require.Len(t, openOf(t, r, live), 1)
	require.Len(t, openOf(t, r, second), 1)
	require.Equal(t, 7, one[int](t, r, `SELECT count(*) FROM malote.deliveries WHERE reason = 'endpoint_deleted'`))
}

func TestCloseOrphans_WaitsForNobody(t *testing.T) {
	t.Parallel()
	r := open(t)
	addTenant(t, r, "acme")
	endpoint := addEndpoint(t, r, "acme")
	require.NoError(t, r.DeleteEndpoint(t.Context(), AnyTenant, endpoint.ID))
	ids := addOpen(t, r, endpoint, delivery.Pending, 3)
	tx, err := r.pool.Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = tx.Rollback(t.Context()) }()
	_, err = tx.Exec(t.Context(), `SELECT FROM malote.queue WHERE id = $1 FOR UPDATE`, ids[1])
	require.NoError(t, err)

	closed, err := r.CloseOrphans(t.Context(), 100)
	require.NoError(t, err)
	require.Equal(t, 2, closed)
	require.Equal(t, ids[1:2], openOf(t, r, endpoint))
}

// Two that close the same backlog must not close a delivery twice.
func TestCloseOrphans_InTwoProcesses(t *testing.T) {
	t.Parallel()
	first, second := openTwice(t)
	addTenant(t, first, "acme")
	endpoint := addEndpoint(t, first, "acme")
	addOpen(t, first, endpoint, delivery.Pending, 500)
	execute(t, first, `UPDATE malote.lanes SET status = 'deleted'`)
	total := 0
	for range 3 {
		for _, closed := range atOnce(2, func(i int) int {
			closed, err := []*Registry{first, second}[i].CloseOrphans(t.Context(), 150)
			if err != nil {
				t.Error(err)
			}
			return closed
		}) {
			total += closed
		}
	}
	require.Equal(t, 500, total)
	require.Equal(t, 500, one[int](t, first, `SELECT count(*) FROM malote.deliveries`))
	require.Empty(t, openOf(t, first, endpoint))
}
