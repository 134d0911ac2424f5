package history

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/circuit"
	"github.com/malotehq/malote/internal/delivery"
)

// about allows for the time that a test itself takes.
func about(t *testing.T, want, got time.Duration) {
	t.Helper()
	require.GreaterOrEqual(t, got, want)
	require.Less(t, got, want+time.Minute)
}

func pendingSince(tenant string, endpoint delivery.ID, age time.Duration) seedEvent {
	return seedEvent{tenant, "a", time.Now().Add(-age), []seedDelivery{{endpoint, delivery.Pending}}}
}

func TestLag_F17_TellsTheSlowCustomerFromTheSlowPlatform(t *testing.T) {
	t.Parallel()
	s, r := seeded(t)
	tenant := s.tenant("acme")
	failing, paused, disabled, healthy, idle := s.endpoint(tenant), s.endpoint(tenant), s.endpoint(tenant), s.endpoint(tenant), s.endpoint(tenant)
	s.write(pendingSince(tenant, failing, 4*time.Hour), pendingSince(tenant, failing, time.Hour),
		pendingSince(tenant, paused, 5*time.Hour), pendingSince(tenant, disabled, 6*time.Hour),
		pendingSince(tenant, healthy, 2*time.Minute),
		seedEvent{tenant, "a", time.Now(), []seedDelivery{{healthy, delivery.Sending}, {idle, delivery.Sending}, {idle, delivery.Dead}}})
	until := time.Now().Add(time.Hour).UTC().Truncate(time.Microsecond)
	lane := `UPDATE malote.lanes SET consecutive_failures = $3, paused_until = $4, status = $5, claim_limit = 1 WHERE shard = $1 AND endpoint_id = $2`
	s.exec(lane, failing.Shard(), failing, 7, nil, "active")
	s.exec(lane, paused.Shard(), paused, 0, until, "active")
	s.exec(lane, disabled.Shard(), disabled, 0, nil, "disabled_by_user")
	s.exec(`UPDATE malote.queue SET last_error = 'timeout' WHERE shard = $1 AND endpoint_id = $2`, failing.Shard(), failing)

	lag, err := r.Lag(t.Context(), 3)
	require.NoError(t, err)
	about(t, 6*time.Hour, lag.Oldest)
	about(t, 2*time.Minute, lag.OldestHealthy)
	require.Equal(t, OpenCounts{Pending: 5, Sending: 2, Lanes: 4}, lag.Open)
	require.Len(t, lag.Lanes, 3)
	require.Equal(t, []delivery.ID{disabled, paused, failing}, endpointsOf(lag.Lanes))
	require.Equal(t, until, lag.Lanes[1].PausedUntil)
	worst := lag.Lanes[2]
	about(t, 4*time.Hour, worst.OldestAge)
	worst.OldestAge = 0
	require.Equal(t, LaneLag{EndpointID: failing, Tenant: tenant, URL: "https://acme.example/hook", Status: delivery.Active,
		Pending: 2, Limit: 1, MaxInFlight: 4, ConsecutiveFailures: 7, LastError: delivery.Timeout, Circuit: circuit.Closed}, worst)

	all, err := r.Lag(t.Context(), 20)
	require.NoError(t, err)
	require.Len(t, all.Lanes, 4, "idle lanes are not late")
	require.Equal(t, 1, all.Lanes[3].InFlight)
	open, err := r.Open(t.Context())
	require.NoError(t, err)
	require.Equal(t, all.Open, open)
}

func TestLag_PauseThatIsOverIsHealthy(t *testing.T) {
	t.Parallel()
	s, r := seeded(t)
	tenant := s.tenant("acme")
	endpoint := s.endpoint(tenant)
	s.write(pendingSince(tenant, endpoint, time.Hour))
	s.exec(`UPDATE malote.lanes SET paused_until = now() - interval '1 second' WHERE shard = $1`, endpoint.Shard())
	lag, err := r.Lag(t.Context(), 20)
	require.NoError(t, err)
	about(t, time.Hour, lag.OldestHealthy)
}

func TestLag_NothingPending(t *testing.T) {
	t.Parallel()
	s, r := seeded(t)
	s.endpoint(s.tenant("acme"))
	lag, err := r.Lag(t.Context(), 20)
	require.NoError(t, err)
	require.Empty(t, lag.Lanes)
	lag.Lanes = nil
	require.Equal(t, Lag{}, lag)
}

// With many lanes each is looked at in part first; those on top in full.
func TestLag_LooksAgainAtTheLanesOnTop(t *testing.T) {
	t.Parallel()
	s, r := seeded(t)
	const lanes = 25
	perLane := rowsLookedAt / lanes
	tenant := s.tenant("acme")
	var endpoints []delivery.ID
	for range lanes {
		endpoints = append(endpoints, s.endpoint(tenant))
		s.write(pendingSince(tenant, endpoints[len(endpoints)-1], time.Minute))
	}
	long := endpoints[3]
	events := make([]seedEvent, perLane)
	for i := range events {
		events[i] = pendingSince(tenant, long, 2*time.Minute)
	}
	s.write(events...)
	_, late := s.write(pendingSince(tenant, long, time.Hour)) // waits for a retry far in the future
	s.exec(`UPDATE malote.queue SET next_attempt_at = now() + interval '8 hours' WHERE shard = $1 AND id = $2`, late[0].Shard(), late[0])

	lag, err := r.Lag(t.Context(), 2)
	require.NoError(t, err)
	require.Len(t, lag.Lanes, 2)
	require.Equal(t, long, lag.Lanes[0].EndpointID)
	require.Equal(t, perLane+2, lag.Lanes[0].Pending)
	about(t, time.Hour, lag.Lanes[0].OldestAge)
	about(t, time.Hour, lag.Oldest)
	require.True(t, lag.Open.PendingCapped)
	require.Equal(t, lanes, lag.Open.Lanes)
}

func TestCounts_PerLaneAndByState(t *testing.T) {
	t.Parallel()
	s, r := seeded(t)
	tenant, other := s.tenant("acme"), s.tenant("other")
	first, second, stranger := s.endpoint(tenant), s.endpoint(tenant), s.endpoint(other)
	now := time.Now()
	s.write(pendingSince(tenant, first, time.Hour),
		seedEvent{tenant, "a", now, []seedDelivery{{first, delivery.Sending}, {first, delivery.Dead}, {first, delivery.Dead},
			{second, delivery.Dead}, {second, delivery.Delivered}, {state: delivery.Skipped}}},
		seedEvent{other, "a", now, []seedDelivery{{stranger, delivery.Dead}}},
		seedEvent{tenant, "a", now.Add(-3 * time.Hour), []seedDelivery{{first, delivery.Delivered}}})
	for hour := range 3 {
		s.exec(`INSERT INTO malote.lane_stats (shard, endpoint_id, hour, ok, failed) VALUES ($1, $2, $3, 5, 2)`,
			first.Shard(), first, now.Add(time.Duration(-hour)*time.Hour).Truncate(time.Hour))
	}

	counts, err := r.LaneCounts(t.Context(), []delivery.ID{second, delivery.FloorID(now), first, stranger})
	require.NoError(t, err)
	require.Len(t, counts, 3)
	about(t, time.Hour, counts[1].OldestAge)
	counts[1].OldestAge = 0
	require.Equal(t, []LaneCounts{
		{EndpointID: second, Tenant: tenant, Dead: 1},
		{EndpointID: first, Tenant: tenant, Pending: 1, InFlight: 1, Delivered: 15, Dead: 2},
		{EndpointID: stranger, Tenant: other, Dead: 1},
	}, counts)

	tally, err := r.Tally(t.Context(), tenant, now.Add(-2*time.Hour))
	require.NoError(t, err)
	require.Equal(t, map[delivery.State]int{delivery.Pending: 1, delivery.Sending: 1, delivery.Dead: 3,
		delivery.Delivered: 1, delivery.Skipped: 1}, tally)
	none, err := r.LaneCounts(t.Context(), nil)
	require.NoError(t, err)
	require.Empty(t, none)
}
