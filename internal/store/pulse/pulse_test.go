package pulse

import (
	"crypto/rand"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/store"
	"github.com/malotehq/malote/internal/store/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

func execute(t *testing.T, s *store.Store, sql string, parameters ...any) {
	t.Helper()
	_, err := s.Pool().Exec(t.Context(), sql, parameters...)
	require.NoError(t, err)
}

func latency(bucket int, n int64) []int64 {
	counts := make([]int64, len(Bounds)+1)
	counts[bucket] = n
	return counts
}

func TestRecent_SumsUpAllProcesses(t *testing.T) {
	t.Parallel()
	s := pgtest.Open(t)
	one, other := New(s), New(s)
	nothing, err := one.Recent(t.Context(), time.Minute)
	require.NoError(t, err)
	require.Zero(t, nothing.Span)
	require.Zero(t, nothing.Processes)

	require.NoError(t, one.Beat(t.Context(), 20*time.Second, Counts{Published: 1, OK: 2, Failed: 3, Latency: latency(0, 5)}))
	require.NoError(t, other.Beat(t.Context(), 2*time.Second, Counts{Published: 10, OK: 20, Failed: 30, Latency: latency(1, 50)}))
	require.NoError(t, other.Beat(t.Context(), 2*time.Second, Counts{Published: 100, Latency: []int64{7, 7}}), "another version's bounds")
	recent, err := one.Recent(t.Context(), time.Minute)
	require.NoError(t, err)
	want := latency(0, 5)
	want[1] = 50
	require.Equal(t, Counts{Published: 111, OK: 22, Failed: 33, Latency: want}, recent.Counts)
	require.Equal(t, 2, recent.Processes)
	require.GreaterOrEqual(t, recent.Span, 20*time.Second, "since the first beat's beginning")
	require.Less(t, recent.Span, time.Minute)

	execute(t, s, `UPDATE malote.pulses SET at = at - interval '70 seconds' WHERE process = $1`, other.process)
	execute(t, s, `UPDATE malote.pulses SET seconds = 300`)
	recent, err = one.Recent(t.Context(), time.Minute)
	require.NoError(t, err)
	require.EqualValues(t, 1, recent.Published)
	require.Equal(t, time.Minute, recent.Span)

	execute(t, s, `UPDATE malote.pulses SET at = at - interval '20 minutes' WHERE process = $1`, other.process)
	require.NoError(t, one.Forget(t.Context()))
	var left int
	require.NoError(t, s.Pool().QueryRow(t.Context(), `SELECT count(*) FROM malote.pulses`).Scan(&left))
	require.Equal(t, 1, left)
}

func TestRollUp_SumsUpHoursThatAreOverOnce(t *testing.T) {
	t.Parallel()
	s := pgtest.Open(t)
	p := New(s)
	now := time.Date(2026, 3, 3, 12, 20, 0, 0, time.UTC)
	done, err := p.RollUp(t.Context(), now)
	require.NoError(t, err)
	require.Zero(t, done)

	for _, tenant := range []string{"acme", "globex"} {
		shard := delivery.ShardOf(tenant)
		id := delivery.NewID(shard, now, rand.Reader)
		execute(t, s, `INSERT INTO malote.lanes (shard, endpoint_id, tenant, max_in_flight, lease_seconds, claim_limit) VALUES ($1, $2, $3, 4, 60, 4)`, shard, id, tenant)
		execute(t, s, `INSERT INTO malote.lane_stats (shard, endpoint_id, hour, ok, failed, total_ms, le_10, le_inf)
			SELECT $1, $2, hour, 3, 1, 40, 2, 2 FROM generate_series($3::timestamptz, $4, interval '3 hours') hour`,
			shard, id, now.Truncate(time.Hour).Add(-30*time.Hour), now)
	}
	type hour struct {
		at         time.Time
		ok, failed int64
	}
	hours := func() (list []hour) {
		t.Helper()
		rows, err := s.Pool().Query(t.Context(), `SELECT hour, ok, failed FROM malote.hour_stats ORDER BY hour`)
		require.NoError(t, err)
		defer rows.Close()
		for rows.Next() {
			var h hour
			require.NoError(t, rows.Scan(&h.at, &h.ok, &h.failed))
			list = append(list, h)
		}
		return list
	}
	done, err = p.RollUp(t.Context(), now)
	require.NoError(t, err)
	require.Equal(t, hoursAtOnce, done)
	newest := hours()[hoursAtOnce-1]
	require.Equal(t, time.Date(2026, 3, 3, 10, 0, 0, 0, time.UTC), newest.at.UTC(), "11 o'clock has just ended")

	done, err = p.RollUp(t.Context(), now)
	require.NoError(t, err)
	require.Equal(t, 29-hoursAtOnce, done)
	all := hours()
	require.Len(t, all, 29)
	for i, h := range all {
		want := hour{at: h.at}
		if i%3 == 0 {
			want.ok, want.failed = 6, 2
		}
		require.Equal(t, want, h)
	}
	var latency []int64
	require.NoError(t, s.Pool().QueryRow(t.Context(), `SELECT latency FROM malote.hour_stats ORDER BY hour LIMIT 1`).Scan(&latency))
	require.Equal(t, []int64{4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4}, latency)

	execute(t, s, `UPDATE malote.lane_stats SET ok = 100`)
	done, err = p.RollUp(t.Context(), now.Add(time.Hour))
	require.NoError(t, err)
	require.Equal(t, 1, done)
	require.Equal(t, all, hours()[:29], "what was summed up, stays")
}
