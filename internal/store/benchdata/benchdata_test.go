package benchdata_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/store"
	"github.com/malotehq/malote/internal/store/benchdata"
	"github.com/malotehq/malote/internal/store/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

func count(t *testing.T, s *store.Store, query string) (n int) {
	t.Helper()
	require.NoError(t, s.Pool().QueryRow(t.Context(), query).Scan(&n))
	return n
}

// A claim finds the backlog, and what is put back is found again.
func TestClaims_AreTheSameEveryTime(t *testing.T) {
	t.Parallel()
	s := pgtest.Open(t)
	c, err := benchdata.FillClaims(t.Context(), s, 20)
	require.NoError(t, err)
	require.NoError(t, c.Grow(t.Context(), 50))
	require.Equal(t, 19*3+50, count(t, s, `SELECT count(*) FROM malote.queue`))
	for range 3 {
		claimed, err := s.Claim(t.Context(), 8)
		require.NoError(t, err)
		require.Len(t, claimed.Claims, 8)
		require.Len(t, claimed.Lanes, 8)
		require.True(t, benchdata.HasBacklog(claimed.Claims))
		require.NoError(t, c.PutBack(t.Context(), claimed.Claims))
		require.Zero(t, count(t, s, `SELECT count(*) FROM malote.queue WHERE status = 'sending'`))
	}
}

// Many rows are inserted without the queue's indexes, which are there again afterwards.
func TestClaims_InBulkKeepTheIndexes(t *testing.T) {
	t.Parallel()
	s := pgtest.Open(t)
	const listed = `SELECT pg_get_indexdef(i.indexrelid) || i.indisvalid || i.indisprimary FROM pg_index i
		WHERE i.indrelid = 'malote.queue'::regclass ORDER BY 1`
	indexes := func() []string {
		rows, _ := s.Pool().Query(t.Context(), listed)
		all, err := pgx.CollectRows(rows, pgx.RowTo[string])
		require.NoError(t, err)
		return all
	}
	before := indexes()
	require.NotEmpty(t, before)
	c, err := benchdata.FillClaims(t.Context(), s, 20)
	require.NoError(t, err)
	require.NoError(t, c.Grow(t.Context(), benchdata.Bulky))
	require.Equal(t, before, indexes())
	require.Equal(t, 19*3+benchdata.Bulky, count(t, s, `SELECT count(*) FROM malote.queue`))
}

// What is filled in can be claimed, and closed in its event's partition.
func TestFillBacklog_MakesDeliveriesLikeAnyOther(t *testing.T) {
	t.Parallel()
	s := pgtest.Open(t)
	_, err := s.Pool().Exec(t.Context(), `INSERT INTO malote.lanes (shard, endpoint_id, tenant, max_in_flight, claim_limit, lease_seconds)
		SELECT `+fmt.Sprint(delivery.ShardOf("bench"))+`, gen_random_uuid(), 'bench', 4, 4, 60 FROM generate_series(1, 10)`)
	require.NoError(t, err)
	require.NoError(t, benchdata.FillBacklog(t.Context(), s, "bench", []byte(`{}`), 2000))
	require.Equal(t, 2000, count(t, s, `SELECT count(*) FROM malote.queue q JOIN malote.events e ON e.shard = q.shard AND e.id = q.event_id
		WHERE left(q.id::text, 18) = left(e.id::text, 18) AND right(q.id::text, 2) = right(e.id::text, 2)`))
	require.Equal(t, 200, count(t, s, `SELECT max(n) FROM (SELECT count(*) AS n FROM malote.queue GROUP BY endpoint_id) c`))
	require.Equal(t, 10, count(t, s, `SELECT count(*) FROM malote.lanes WHERE ready_at <= now()`))
}

func TestCycles_LeaveHistoryAndNothingElse(t *testing.T) {
	t.Parallel()
	s := pgtest.Open(t)
	b, err := benchdata.NewCycles(s).Insert(t.Context(), 256, []byte(`{"a":1}`))
	require.NoError(t, err)
	require.Equal(t, 256, count(t, s, `SELECT count(*) FROM malote.queue WHERE status = 'pending'`))
	require.NoError(t, b.Claim(t.Context()))
	require.Equal(t, 256, count(t, s, `SELECT count(*) FROM malote.queue WHERE status = 'sending'`))
	require.NoError(t, b.Complete(t.Context()))
	require.Zero(t, count(t, s, `SELECT count(*) FROM malote.queue`))
	for _, table := range []string{"events", "deliveries", "attempts"} {
		require.Equal(t, 256, count(t, s, `SELECT count(*) FROM malote.`+table), table)
	}
}

func TestDatabase_ComesAndGoes(t *testing.T) {
	t.Parallel()
	dsn := pgtest.EmptyDSN(t)
	d, err := benchdata.Connect(t.Context(), dsn)
	require.NoError(t, err)
	defer d.Close(context.WithoutCancel(t.Context()))
	made, name, err := d.Create(t.Context(), dsn)
	require.NoError(t, err)
	inside, err := benchdata.Connect(t.Context(), made)
	require.NoError(t, err)
	before, err := inside.Counters(t.Context())
	require.NoError(t, err)
	require.Positive(t, before.WAL)
	version, settings, err := inside.Settings(t.Context())
	require.NoError(t, err)
	require.NotEmpty(t, version)
	require.Equal(t, "fsync", settings[0].Name)
	require.NoError(t, d.Drop(t.Context(), name))
	_, err = benchdata.Connect(t.Context(), made)
	require.Error(t, err)
	require.ErrorContains(t, d.Drop(t.Context(), "postgres"), "none of a measurement")
}
