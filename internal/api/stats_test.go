package api

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/malotehq/malote/internal/delivery"
)

func TestLag_F17_SaysWhatHoldsEachUp(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	lag := r.call("GET", "/v1/stats/lag", adminKey, "").object(t, http.StatusOK)
	require.Equal(t, 60., lag["oldest_pending_age_seconds"])
	require.Equal(t, 1., lag["oldest_healthy_pending_age_seconds"])
	require.Equal(t, 7., lag["pending"])
	require.Equal(t, 2., lag["in_flight"])
	lanes := lag["webhook_endpoints"].([]any)
	require.Len(t, lanes, 2)
	lane := lanes[0].(map[string]any)
	for member, want := range map[string]any{
		"tenant": "acme", "status": "active", "circuit": "half_open", "healthy": false, "pending": 5., "limit": 1., "max_in_flight": 4.,
		"oldest_pending_age_seconds": 60., "consecutive_failures": 20., "paused_until": nil, "last_error_code": "timeout",
		"disabled_reason": nil, "last_success_at": nil,
	} {
		require.Equal(t, want, lane[member], member)
	}
	require.NotNil(t, lane["last_failure_at"])

	own := r.call("GET", "/v1/stats/lag", readKey, "").object(t, http.StatusOK)["webhook_endpoints"].([]any)
	require.Len(t, own, 1, "a tenant's key sees its own")
	require.Equal(t, "acme", own[0].(map[string]any)["tenant"])
	r.call("GET", "/v1/stats/lag?tenant=globex", readKey, "").problem(t, UnknownTenant)
}

func TestNow_RatesAreOfTheSpan(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	idle := r.call("GET", "/v1/stats/now", adminKey, "").object(t, http.StatusOK)
	require.Nil(t, idle["success_rate"], "of nothing")
	require.Nil(t, idle["latency_p99_ms"])
	require.Zero(t, idle["attempts_per_second"])

	r.figures.now = Now{
		At: time.Now(), Span: 30 * time.Second, Published: 600, OK: 299, Failed: 1, Processes: 3,
		Latency: Histogram{Bounds: []int64{10, 100}, Counts: []int64{150, 149, 1}},
		Open:    Open{Pending: 9, PendingCapped: true, InFlight: 4, Lanes: 2}, Oldest: time.Minute, OldestHealthy: time.Second,
	}
	now := r.call("GET", "/v1/stats/now", adminKey, "").object(t, http.StatusOK)
	for member, want := range map[string]any{
		"window_seconds": 30., "published_per_second": 20., "attempts_per_second": 10., "processes": 3.,
		"pending": 9., "pending_at_least": true, "in_flight": 4., "webhook_endpoints_with_pending": 2.,
		"oldest_pending_age_seconds": 60., "oldest_healthy_pending_age_seconds": 1., "latency_p50_ms": 10.,
	} {
		require.Equal(t, want, now[member], member)
	}
	require.InDelta(t, 299./300, now["success_rate"], 1e-9)
}

func TestSeries_HasEveryHour(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	at := func(hour int) time.Time { return time.Date(2026, 3, 1, hour, 0, 0, 0, time.UTC) }
	r.figures.hours = []Hour{
		{Hour: at(3), OK: 1, Failed: 2, Latency: Histogram{Bounds: []int64{10}, Counts: []int64{3, 0}}}, {Hour: at(1), OK: 5},
	}
	series := r.call("GET", "/v1/stats/series?since=2026-03-01T00:30:00Z&until=2026-03-01T04:10:00Z", adminKey, "").object(t, http.StatusOK)
	require.Equal(t, "2026-03-01T00:00:00.000Z", series["since"])
	data := series["data"].([]any)
	require.Len(t, data, 5, "the last has begun")
	var sent []float64
	for _, hour := range data {
		sent = append(sent, hour.(map[string]any)["sent"].(float64))
	}
	require.Equal(t, []float64{0, 5, 0, 3, 0}, sent)
	require.Equal(t, "2026-03-01T03:00:00.000Z", data[3].(map[string]any)["hour"])
	require.Equal(t, 5., data[3].(map[string]any)["latency_p50_ms"])
	require.Nil(t, data[0].(map[string]any)["latency_p50_ms"])
	require.Equal(t, HourFilter{Since: at(0), Until: at(4).Add(10 * time.Minute)}, r.figures.hourFilter)

	usual := r.call("GET", "/v1/stats/series?endpoint="+r.globex.Format(delivery.EndpointPrefix), acmeKey, "").object(t, http.StatusOK)
	require.Contains(t, []int{25, 24}, len(usual["data"].([]any)))
	require.Equal(t, "acme", r.figures.hourFilter.Tenant, "so that another's endpoint has no hours")
	require.Equal(t, r.globex, r.figures.hourFilter.EndpointID)
	for _, query := range []string{
		"since=2026-03-02T00:00:00Z&until=2026-03-01T00:00:00Z", "since=2025-03-02T00:00:00Z&until=2026-03-01T00:00:00Z", "endpoint=whd_x",
	} {
		r.call("GET", "/v1/stats/series?"+query, adminKey, "").problem(t, InvalidRequest)
	}
	r.call("GET", "/v1/stats/series?tenant=globex", acmeKey, "").problem(t, UnknownTenant)
}

func TestDead_A07_GroupedWithWhatIsLate(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	none := r.call("GET", "/v1/stats/dead", adminKey, "").object(t, http.StatusOK)
	require.Nil(t, none["oldest_at"])
	require.Empty(t, none["groups"])

	old, young := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	r.figures.dead = []DeadGroup{
		{Tenant: "acme", EndpointID: r.acme, URL: "https://a.example/", Reason: delivery.AttemptsExhausted, LastError: delivery.HTTPStatus, LastStatus: 503, Count: 4, Late: 1, Oldest: young, Newest: young},
		{Tenant: "globex", EndpointID: r.globex, Reason: delivery.Gone, Count: 2, Late: 2, Oldest: old, Newest: young},
	}
	r.figures.deadCapped = true
	dead := r.call("GET", "/v1/stats/dead", adminKey, "").object(t, http.StatusOK)
	for member, want := range map[string]any{
		"total": 6., "at_least": true, "over_24h": 3., "oldest_at": "2026-03-01T00:00:00.000Z", "group_count": 2.,
	} {
		require.Equal(t, want, dead[member], member)
	}
	group := dead["groups"].([]any)[0].(map[string]any)
	require.Equal(t, map[string]any{
		"tenant": "acme", "endpoint_id": r.acme.Format(delivery.EndpointPrefix), "url": "https://a.example/", "dead_reason": "attempts_exhausted",
		"last_error_code": "http_status", "last_response_status": 503., "count": 4., "over_24h": 1.,
		"oldest_at": "2026-03-02T00:00:00.000Z", "newest_at": "2026-03-02T00:00:00.000Z",
	}, group)

	require.Equal(t, []any{
		map[string]any{"dead_reason": "attempts_exhausted", "last_error_code": "http_status", "count": 4., "over_24h": 1.},
		map[string]any{"dead_reason": "gone", "last_error_code": nil, "count": 2., "over_24h": 2.},
	}, dead["reasons"])
	own := r.call("GET", "/v1/stats/dead?endpoint="+r.globex.Format(delivery.EndpointPrefix), acmeKey, "").object(t, http.StatusOK)
	require.Equal(t, 4., own["total"], "the store is asked for acme's with that endpoint; memory looks at the tenant alone")
	require.Equal(t, r.globex, r.figures.endpoint)
	r.call("GET", "/v1/stats/dead?endpoint=x", acmeKey, "").problem(t, InvalidRequest)
}

func TestHistogram_Quantiles(t *testing.T) {
	t.Parallel()
	bounds := []int64{10, 20, 100}
	for _, c := range []struct {
		counts []int64
		q      float64
		want   float64
	}{
		{[]int64{10, 0, 0, 0}, .5, 5}, {[]int64{10, 10, 0, 0}, .5, 10}, {[]int64{0, 10, 0, 0}, .95, 19.5},
		{[]int64{50, 0, 50, 0}, .75, 60}, {[]int64{0, 0, 0, 7}, .5, 100}, {[]int64{98, 0, 0, 2}, .99, 100},
	} {
		got, ok := Histogram{bounds, c.counts}.quantile(c.q)
		require.True(t, ok)
		require.InDelta(t, c.want, got, 1e-9, c)
	}
	for _, counts := range [][]int64{nil, {0, 0, 0, 0}, {1, 1}} {
		_, ok := Histogram{bounds, counts}.quantile(.5)
		require.False(t, ok, counts)
	}
}

// An estimate lies in the bucket that the true value is in, and never falls as q
// grows.
func TestHistogram_EstimatesLieInTheRightBucket(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		counts := rapid.SliceOfN(rapid.Int64Range(0, 50), 4, 4).Draw(t, "counts")
		h := Histogram{[]int64{10, 20, 100}, counts}
		before := 0.0
		for _, q := range []float64{.01, .5, .95, .99, 1} {
			got, ok := h.quantile(q)
			if !ok {
				return
			}
			require.GreaterOrEqual(t, got, before)
			before = got
			var total, seen int64
			for _, n := range counts {
				total += n
			}
			lower := 0.0
			for i, bound := range append(h.Bounds, 100) {
				if seen += counts[i]; float64(seen) >= q*float64(total) {
					require.GreaterOrEqual(t, got, lower)
					require.LessOrEqual(t, got, float64(bound))
					break
				}
				lower = float64(bound)
			}
		}
	})
}
