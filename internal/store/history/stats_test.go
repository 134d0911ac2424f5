package history

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/circuit"
	"github.com/malotehq/malote/internal/delivery"
)

func (s seeder) hour(endpoint delivery.ID, hour time.Time, ok, failed int64) {
	s.t.Helper()
	s.exec(`INSERT INTO malote.lane_stats (shard, endpoint_id, hour, ok, failed, le_25, le_inf) VALUES ($1, $2, $3, $4, $5, $4, $5)`,
		endpoint.Shard(), endpoint, hour, ok, failed)
}

func TestHours_OverAllATenantAnEndpoint(t *testing.T) {
	t.Parallel()
	s, r := seeded(t)
	acme, globex := s.tenant("acme"), s.tenant("globex")
	a, b, c := s.endpoint(acme), s.endpoint(acme), s.endpoint(globex)
	at := func(hour int) time.Time { return time.Date(2026, 3, 1, hour, 0, 0, 0, time.UTC) }
	for hour := range 6 {
		s.hour(a, at(hour), 1, 10)
		s.hour(b, at(hour), 2, 20)
		s.hour(c, at(hour), 4, 40)
	}
	hours := func(filter HourFilter) []Hour {
		t.Helper()
		filter.Since, filter.Until = at(1), at(3).Add(time.Minute)
		found, err := r.Hours(t.Context(), filter)
		require.NoError(t, err)
		return found
	}
	want := func(ok, failed int64) []Hour {
		latency := []int64{0, ok, 0, 0, 0, 0, 0, 0, 0, 0, failed}
		return []Hour{{at(1), ok, failed, latency}, {at(2), ok, failed, latency}, {at(3), ok, failed, latency}}
	}
	require.Equal(t, want(7, 70), hours(HourFilter{}))
	require.Equal(t, want(3, 30), hours(HourFilter{Tenant: acme}))
	require.Equal(t, want(2, 20), hours(HourFilter{EndpointID: b}))
	require.Equal(t, want(2, 20), hours(HourFilter{Tenant: acme, EndpointID: b}))
	require.Empty(t, hours(HourFilter{Tenant: acme, EndpointID: c}), "another's")
	require.Empty(t, hours(HourFilter{Tenant: "nobody"}))

	long, err := r.Hours(t.Context(), HourFilter{Since: at(0).AddDate(0, 0, -40), Until: at(23)})
	require.NoError(t, err)
	require.Len(t, long, 6, "before the first hour there is nothing to look for")

	// What was summed up is taken from there.
	s.exec(`INSERT INTO malote.hour_stats (hour, ok, failed, total_ms, latency) VALUES ($1, 7, 70, 0, '{0,7,0,0,0,0,0,0,0,0,70}')`, at(2))
	s.exec(`UPDATE malote.lane_stats SET ok = 1000 WHERE hour = $1`, at(2))
	require.Equal(t, want(7, 70), hours(HourFilter{}))
}

func TestDeadLetters_A07_ByEndpointAndReason(t *testing.T) {
	t.Parallel()
	s, r := seeded(t)
	acme, globex := s.tenant("acme"), s.tenant("globex")
	a, b, c := s.endpoint(acme), s.endpoint(acme), s.endpoint(globex)
	now := time.Now().UTC().Truncate(time.Millisecond)
	die := func(tenant string, endpoint delivery.ID, ago time.Duration, reason delivery.Reason, status int, trigger string) {
		t.Helper()
		_, ids := s.write(seedEvent{tenant, "a.b", now, []seedDelivery{{endpoint, delivery.Dead}}})
		s.exec(`UPDATE malote.deliveries SET closed_at = $3, reason = $4, last_status = $5, last_error = 'http_status', trigger = $6
			WHERE shard = $1 AND id = $2`, endpoint.Shard(), ids[0], now.Add(-ago), reason, status, trigger)
	}
	die(acme, a, time.Hour, delivery.AttemptsExhausted, 503, "schedule")
	die(acme, a, 25*time.Hour, delivery.AttemptsExhausted, 503, "replay")
	die(acme, a, 26*time.Hour, delivery.AttemptsExhausted, 500, "schedule")
	die(acme, b, time.Hour, delivery.Gone, 410, "schedule")
	die(acme, b, 30*time.Hour, delivery.Gone, 410, "test")
	die(globex, c, 40*time.Hour, delivery.TooOld, 0, "schedule")
	s.write(seedEvent{acme, "a.b", now, []seedDelivery{{a, delivery.Delivered}, {a, delivery.Pending}}})

	dead, err := r.DeadLetters(t.Context(), DeadFilter{})
	require.NoError(t, err)
	require.False(t, dead.Capped)
	require.Len(t, dead.Groups, 4)
	require.Equal(t, DeadGroup{
		Tenant: acme, EndpointID: a, URL: "https://acme.example/hook", Reason: delivery.AttemptsExhausted, LastError: delivery.HTTPStatus,
		LastStatus: 503, Count: 2, Late: 1, Oldest: now.Add(-25 * time.Hour), Newest: now.Add(-time.Hour),
	}, dead.Groups[0])

	for _, c := range []struct {
		tenant   string
		endpoint delivery.ID
		groups   int
	}{{acme, delivery.ID{}, 3}, {"", b, 1}, {acme, b, 1}, {acme, c, 0}, {"nobody", delivery.ID{}, 0}, {"", delivery.FloorID(now), 0}} {
		found, err := r.DeadLetters(t.Context(), DeadFilter{Tenant: c.tenant, EndpointID: c.endpoint})
		require.NoError(t, err)
		require.Len(t, found.Groups, c.groups, c)
	}
}

func TestLagOf_F17_ATenantsLanesAlone(t *testing.T) {
	t.Parallel()
	s, r := seeded(t)
	acme, globex := s.tenant("acme"), s.tenant("globex")
	a, _, c := s.endpoint(acme), s.endpoint(acme), s.endpoint(globex)
	now := time.Now()
	s.write(
		seedEvent{acme, "a.b", now.Add(-time.Minute), []seedDelivery{{a, delivery.Pending}, {a, delivery.Pending}, {a, delivery.Sending}}},
		seedEvent{globex, "a.b", now.Add(-time.Hour), []seedDelivery{{c, delivery.Pending}, {c, delivery.Sending}}},
	)
	s.exec(`UPDATE malote.lanes SET circuit_phase = 'open', paused_until = now() + interval '1 hour', consecutive_failures = 9,
		last_failure_at = now(), disabled_reason = 'gone' WHERE endpoint_id = $1`, c)
	all, err := r.Lag(t.Context(), 10)
	require.NoError(t, err)
	require.Len(t, all.Lanes, 2)
	require.Equal(t, circuit.Open, all.Lanes[0].Circuit)
	require.Equal(t, "gone", all.Lanes[0].DisabledReason)
	require.WithinDuration(t, now, all.Lanes[0].LastFailureAt, time.Minute)
	require.False(t, all.Lanes[0].Healthy)
	require.True(t, all.Lanes[1].Healthy)
	require.Equal(t, OpenCounts{Pending: 3, Sending: 2, Lanes: 2}, all.Open)

	own, err := r.LagOf(t.Context(), acme, 10)
	require.NoError(t, err)
	require.Len(t, own.Lanes, 1)
	require.Equal(t, a, own.Lanes[0].EndpointID)
	require.Equal(t, circuit.Closed, own.Lanes[0].Circuit)
	require.Equal(t, OpenCounts{Pending: 2, Sending: 1, Lanes: 1}, own.Open)
	require.Less(t, own.Oldest, 10*time.Minute)

	s.exec(`UPDATE malote.lanes SET paused_until = now() - interval '1 second' WHERE endpoint_id = $1`, c)
	tried, err := r.LagOf(t.Context(), globex, 10)
	require.NoError(t, err)
	require.Equal(t, circuit.HalfOpen, tried.Lanes[0].Circuit)
}
