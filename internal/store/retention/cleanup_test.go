package retention

import (
	"crypto/rand"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

func TestCleanUp_RemovesWhatIsTooOld(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	shard, now := delivery.ShardOf(w.tenant), time.Now()
	other := delivery.NewID(shard, now, rand.Reader)
	for _, endpoint := range []delivery.ID{w.endpoint, other} {
		w.exec(`INSERT INTO malote.lane_stats (shard, endpoint_id, hour)
			SELECT $1, $2, $3::timestamptz - make_interval(hours => n) FROM generate_series(1, 1200) n`,
			shard, endpoint, now.Add(-keepLaneStats+time.Hour+time.Minute))
	}
	w.exec(`INSERT INTO malote.source_hours (shard, source_id, hour)
		SELECT $1, $2, $3::timestamptz - make_interval(hours => n) FROM generate_series(1, 1200) n`,
		shard, other, now.Add(-keepLaneStats+time.Hour+time.Minute))
	id := func(age time.Duration) delivery.ID { return delivery.NewID(shard, now.Add(-age), rand.Reader) }
	for _, age := range []time.Duration{91 * day, 90*day + time.Minute, 90*day - time.Minute, 0} {
		w.exec(`INSERT INTO malote.signals (shard, id, tenant, kind, created_at) VALUES ($1, $2, 'acme', 'x', $3)`, shard, id(age), now.Add(-age))
		w.exec(`INSERT INTO malote.recoveries (shard, id, tenant, endpoint_id, since, until, states, status, total, finished_at)
			VALUES ($1, $2, 'acme', $3, $4, $4, '{dead}', 'done', 1, $4)`, shard, id(age), w.endpoint, now.Add(-age))
	}
	w.exec(`INSERT INTO malote.hour_stats (hour, ok, failed, total_ms, latency)
		SELECT $1::timestamptz - make_interval(hours => n), 0, 0, 0, '{}' FROM generate_series(1, 1200) n`, now.Add(-keepLaneStats+time.Hour+time.Minute))
	for _, age := range []time.Duration{401 * day, 400*day + time.Minute, 400*day - time.Minute, 0} {
		w.exec(`INSERT INTO malote.audit_log (shard, id, tenant, actor_kind, by_operator, operation) VALUES ($1, $2, 'acme', 'user', true, 'x')`, shard, id(age))
	}
	w.exec(`INSERT INTO malote.recoveries (shard, id, tenant, endpoint_id, since, until, states, total)
		VALUES ($1, $2, 'acme', $3, $4, $4, '{dead}', 1)`, shard, id(200*day), w.endpoint, now)

	removed, err := w.keeper.CleanUp(t.Context(), now)
	require.NoError(t, err)
	require.Equal(t, Removed{"lane_stats": 2398, "signals": 2, "recoveries": 2, "audit_log": 2, "hour_stats": 1199, "source_hours": 1199}, removed)
	require.Equal(t, 2, w.count(`SELECT count(*) FROM malote.lane_stats`))
	require.Equal(t, 2, w.count(`SELECT count(*) FROM malote.signals`))
	require.Equal(t, 2, w.count(`SELECT count(*) FROM malote.audit_log`))
	require.Equal(t, 3, w.count(`SELECT count(*) FROM malote.recoveries`), "one that is running, too")

	removed, err = w.keeper.CleanUp(t.Context(), now.AddDate(1, 0, 0))
	require.NoError(t, err)
	require.Empty(t, removed, "by the earlier clock")
}
