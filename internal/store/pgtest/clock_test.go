package pgtest_test

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/store"
	"github.com/malotehq/malote/internal/store/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

var start = time.Date(2031, time.February, 27, 22, 15, 0, 0, time.UTC)

// told is what a statement of the store's says about the time.
func told(t *testing.T, s *store.Store, expression string) time.Time {
	t.Helper()
	var at time.Time
	require.NoError(t, s.Pool().QueryRow(t.Context(), `SELECT `+expression).Scan(&at))
	return at.UTC()
}

func TestClock_IsTheTimeOfEveryStore(t *testing.T) {
	t.Parallel()
	s, clock := pgtest.OpenAt(t, start.Add(123456789*time.Nanosecond))
	other := pgtest.OpenDSN(t, clock.DSN())
	for _, want := range []time.Time{
		start.Add(123456 * time.Microsecond), start.Add(123456*time.Microsecond + 72*time.Hour),
	} {
		clock.Set(t, want)
		require.Equal(t, want, clock.Now())
		for _, expression := range []string{"now()", "transaction_timestamp()", "statement_timestamp()", "clock_timestamp()"} {
			require.Equal(t, want, told(t, s, expression), expression)
			require.Equal(t, want, told(t, other, expression), expression)
		}
	}
}

func TestClock_StandsStillInATransaction(t *testing.T) {
	t.Parallel()
	s, clock := pgtest.OpenAt(t, start)
	tx, err := s.Pool().Begin(t.Context())
	require.NoError(t, err)
	for range 2 {
		var at, real time.Time
		require.NoError(t, tx.QueryRow(t.Context(), `SELECT now(), clock_timestamp()`).Scan(&at, &real))
		require.Equal(t, start, at.UTC())
		require.Equal(t, clock.Now(), real.UTC())
		clock.Advance(t, time.Hour)
	}
	require.NoError(t, tx.Commit(t.Context()))
	require.Equal(t, start.Add(2*time.Hour), told(t, s, `now()`))
}

func TestClock_BindsDefaults(t *testing.T) {
	t.Parallel()
	s, clock := pgtest.OpenAt(t, start)
	_, err := s.Pool().Exec(t.Context(), `INSERT INTO malote.tenants (shard, id) VALUES (1, 'acme')`)
	require.NoError(t, err)
	require.Equal(t, clock.Now(), told(t, s, `created_at FROM malote.tenants`))

	var defaults, real int // a real one is shown with its schema: it is not the first on the path
	require.NoError(t, s.Pool().QueryRow(t.Context(), `SELECT count(*), count(*) FILTER (WHERE shown LIKE '%pg_catalog%')
		FROM pg_attrdef d JOIN pg_class c ON c.oid = d.adrelid, LATERAL pg_get_expr(d.adbin, d.adrelid) shown
		WHERE c.relnamespace = 'malote'::regnamespace AND shown LIKE '%now()%'`).Scan(&defaults, &real))
	require.NotZero(t, defaults)
	require.Zero(t, real)
}

// Time may pass the partitions that there were.
func TestClock_BringsPartitions(t *testing.T) {
	t.Parallel()
	s, clock := pgtest.OpenAt(t, start)
	for range 3 {
		clock.Advance(t, 30*24*time.Hour)
		until, err := s.PartitionsUntil(t.Context())
		require.NoError(t, err)
		require.Greater(t, until, clock.Now())
	}
}

// One after another, tests get the same database, and nothing of each other's.
func TestOpenAt_LendsWhatIsEmpty(t *testing.T) {
	t.Parallel()
	day := start.AddDate(1, 0, 0) // so that nobody else takes it
	var names []string
	for range 2 {
		t.Run("", func(t *testing.T) {
			s, clock := pgtest.OpenAt(t, day)
			require.Equal(t, day, told(t, s, `now()`))
			clock.Advance(t, 40*24*time.Hour)
			var name string
			var rows int
			require.NoError(t, s.Pool().QueryRow(t.Context(), `SELECT current_database(),
				(SELECT count(*) FROM malote.tenants) + (SELECT count(*) FROM malote.endpoints)`).Scan(&name, &rows))
			require.Zero(t, rows)
			names = append(names, name)
			_, err := s.Pool().Exec(t.Context(), `INSERT INTO malote.tenants (shard, id) VALUES (1, 'acme')`)
			require.NoError(t, err)
			_, err = s.Pool().Exec(t.Context(), `INSERT INTO malote.endpoints (shard, id, tenant, url, policy)
				VALUES (1, gen_random_uuid(), 'acme', 'https://example.com/', 'standard')`)
			require.NoError(t, err)
		})
	}
	require.Equal(t, names[0], names[1])
}
