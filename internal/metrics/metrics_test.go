package metrics

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/malotehq/malote/internal/circuit"
	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var errAway = errors.New("the database is away")

// gauge is a Storage that tells what it is given.
type gauge struct {
	lag   Lag
	err   error
	hangs bool
	reads atomic.Int32
}

func (g *gauge) Lag(ctx context.Context) (Lag, error) {
	g.reads.Add(1)
	if g.hangs {
		<-ctx.Done()
		return Lag{}, ctx.Err()
	}
	return g.lag, g.err
}

func (*gauge) PartitionsUntil(context.Context) (time.Time, error) {
	return time.Unix(2_000_000_000, 0), nil
}

func (*gauge) Pools() []Pool {
	return []Pool{
		{Name: "hot", InUse: 3, Idle: 2, Max: 8, Waits: 7, Waited: 1500 * time.Millisecond},
		{Name: "general", InUse: 0, Idle: 1, Max: 8},
	}
}

// delayed are n endpoints, each later than the next.
func delayed(n int) (lanes []LaneLag) {
	for i := range n {
		lanes = append(lanes, LaneLag{
			Endpoint: fmt.Sprintf("whe_%d", i), Tenant: "acme", Oldest: time.Duration(n-i) * time.Minute, Pending: 10 * (n - i),
		})
	}
	return lanes
}

func newMetrics(g *gauge) *Metrics {
	m := New("1.2.3")
	m.WatchStorage(g, slog.New(slog.DiscardHandler))
	return m
}

// useAll lets everything happen that is counted, well and badly.
func useAll(m *Metrics) {
	for _, err := range []error{nil, errAway} {
		m.PublishCommitted(3, 4*time.Millisecond, err)
		m.Claimed(5, 2, 4*time.Millisecond, err)
		m.Completed(6, policy.Completed{Lost: 1}, 4*time.Millisecond, err)
		m.TaskRan("sweep", err)
	}
	m.Published(5, 2, 1)
	for _, code := range append([]delivery.ErrorCode{""}, delivery.ErrorCodes...) {
		m.AttemptStarted()
		m.AttemptEnded(code, code == "", 20*time.Millisecond)
	}
	result := policy.Completed{States: make(map[delivery.State]int), Signals: make(map[circuit.SignalKind]int)}
	for _, state := range delivery.States {
		result.States[state] = 1
	}
	for _, kind := range circuit.SignalKinds {
		result.Signals[kind] = 1
	}
	m.Completed(1, result, time.Millisecond, nil)
	m.Stranded(2)
	m.Rescued(3)
	m.SignalsRaised("many_failures", 2)
	m.RowsRemoved("events", 7)
	m.InboundAccepted("github", 3, 2, 1)
	m.InboundRejected("github", "bad_signature")
	m.InboundAnswered("github", 401, time.Millisecond)
	m.GapsFound("stripe", 3, 2, 1)
	m.Relayed("shop", 3, 2, 1)
	m.RelayFailed("shop")
	m.RelayLag("shop", 1, time.Second, 1)
	for _, kind := range delivery.SignalKinds {
		m.NoticePublished("operators", kind)
	}
	m.NoticePublished("contacts", delivery.DeliveryDead)
	m.OwnSignal(delivery.DeliveryDead)
	m.Requests("api", http.NotFoundHandler()).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
}

func TestMetrics_NamesAndLabelsAreWellFormed(t *testing.T) {
	t.Parallel()
	m := newMetrics(&gauge{lag: Lag{Lanes: delayed(20)}})
	useAll(m)
	problems, err := testutil.GatherAndLint(m.registry)
	require.NoError(t, err)
	require.Empty(t, problems)
}

func TestMetrics_NamesAndLabelsAreBounded(t *testing.T) {
	t.Parallel()
	m := newMetrics(&gauge{lag: Lag{Lanes: delayed(20)}})
	for range 3 {
		useAll(m)
	}
	families, err := m.registry.Gather()
	require.NoError(t, err)
	seen := make(map[string]string)
	for _, family := range families {
		if !strings.HasPrefix(family.GetName(), "malote_") {
			continue
		}
		require.NotEmpty(t, family.GetHelp(), family.GetName())
		require.LessOrEqual(t, len(family.GetMetric()), 20, family.GetName())
		var names []string
		for _, label := range family.GetMetric()[0].GetLabel() {
			names = append(names, label.GetName())
		}
		slices.Sort(names)
		seen[family.GetName()] = strings.ToLower(family.GetType().String()) + " " + strings.Join(names, ",")
	}
	require.Equal(t, documented(t), seen)
}

// compared are the metrics that counted shows whole.
var compared = []string{
	"malote_attempts_in_flight", "malote_claimed_deliveries_total", "malote_deliveries_total", "malote_expired_leases_total",
	"malote_info", "malote_lost_claims_total", "malote_maintenance_runs_total", "malote_published_events_total",
	"malote_removed_rows_total", "malote_signals_total",
}

const counted = `
# HELP malote_attempts_in_flight Attempts under way in this process.
# TYPE malote_attempts_in_flight gauge
malote_attempts_in_flight 1
# HELP malote_claimed_deliveries_total Deliveries claimed by this process.
# TYPE malote_claimed_deliveries_total counter
malote_claimed_deliveries_total 7
# HELP malote_deliveries_total Completed claims by the state that their delivery then had.
# TYPE malote_deliveries_total counter
malote_deliveries_total{state="dead"} 1
malote_deliveries_total{state="delivered"} 2
malote_deliveries_total{state="pending"} 0
malote_deliveries_total{state="superseded"} 0
# HELP malote_expired_leases_total Claims whose worker was lost.
# TYPE malote_expired_leases_total counter
malote_expired_leases_total 3
# HELP malote_info Always 1.
# TYPE malote_info gauge
malote_info{version="1.2.3"} 1
# HELP malote_lost_claims_total Completions whose claim was no longer theirs.
# TYPE malote_lost_claims_total counter
malote_lost_claims_total 1
# HELP malote_maintenance_runs_total Runs of periodic tasks.
# TYPE malote_maintenance_runs_total counter
malote_maintenance_runs_total{result="error",task="sweep"} 0
malote_maintenance_runs_total{result="ok",task="sweep"} 1
# HELP malote_published_events_total Events by what became of their publish.
# TYPE malote_published_events_total counter
malote_published_events_total{result="duplicate"} 2
malote_published_events_total{result="event"} 5
malote_published_events_total{result="refused"} 1
# HELP malote_removed_rows_total Rows that were older than the retention, by table.
# TYPE malote_removed_rows_total counter
malote_removed_rows_total{table="events"} 7
# HELP malote_signals_total What somebody should hear of.
# TYPE malote_signals_total counter
malote_signals_total{kind="circuit_closed"} 0
malote_signals_total{kind="circuit_opened"} 1
malote_signals_total{kind="dead_unattended"} 0
malote_signals_total{kind="delivery_dead"} 0
malote_signals_total{kind="endpoint_disabled"} 0
malote_signals_total{kind="endpoint_failing"} 0
malote_signals_total{kind="lag_high"} 0
malote_signals_total{kind="lag_recovered"} 0
malote_signals_total{kind="many_failures"} 2
malote_signals_total{kind="relay_lagging"} 0
malote_signals_total{kind="relay_recovered"} 0
`

func TestMetrics_CountWhatTheyAreTold(t *testing.T) {
	t.Parallel()
	m := New("1.2.3")
	m.Published(5, 2, 1)
	m.Claimed(5, 3, time.Millisecond, nil)
	m.Claimed(0, 0, time.Millisecond, nil)
	m.Claimed(0, 0, time.Millisecond, errAway)
	m.AttemptStarted()
	m.AttemptStarted()
	m.AttemptStarted()
	m.AttemptEnded("", true, time.Second)
	m.AttemptEnded(delivery.Timeout, false, time.Second)
	m.PublishCommitted(8, time.Millisecond, nil)
	m.PublishCommitted(8, time.Millisecond, errAway)
	m.Completed(4, policy.Completed{
		Lost: 1, States: map[delivery.State]int{delivery.Delivered: 2, delivery.Dead: 1},
		Signals: map[circuit.SignalKind]int{circuit.CircuitOpened: 1},
		Next:    delivery.Claimed{Claims: make([]*delivery.Claim, 2)},
	}, time.Millisecond, nil)
	m.Completed(4, policy.Completed{}, time.Millisecond, errAway)
	m.Stranded(2)
	m.Rescued(3)
	m.SignalsRaised("many_failures", 2)
	m.RowsRemoved("events", 7)
	m.TaskRan("sweep", nil)
	require.NoError(t, testutil.GatherAndCompare(m.registry, strings.NewReader(counted), compared...))

	page := scrape(t, m)
	for _, line := range []string{
		`malote_attempts_total{code="",outcome="success"} 1`,
		`malote_attempts_total{code="timeout",outcome="failure"} 1`,
		`malote_attempts_total{code="dns",outcome="failure"} 0`, // an alert may ask for it before it happens
		`malote_stranded_lanes_total 2`,
		`malote_attempt_seconds_count 2`,
		`malote_claim_seconds_count{result="ok"} 2`,
		`malote_claim_seconds_count{result="error"} 1`,
		`malote_commit_seconds_count{kind="publish",result="error"} 1`,
		`malote_batch_size_count{kind="publish"} 1`, // what failed is tried again, and counts once
		`malote_batch_size_sum{kind="publish"} 8`,
		`malote_batch_size_count{kind="completion"} 1`,
		`malote_batch_size_sum{kind="claim"} 7`,
		`malote_batch_size_count{kind="claim"} 2`, // not the looks at an idle queue
	} {
		require.Contains(t, page, line+"\n")
	}
}

func scrape(t *testing.T, m *Metrics) string {
	t.Helper()
	answer := httptest.NewRecorder()
	m.Handler().ServeHTTP(answer, httptest.NewRequest("GET", "/metrics", nil))
	require.Equal(t, 200, answer.Code)
	return answer.Body.String()
}

func TestStorage_F17_OneSlowCustomerIsNotAPlatformWithoutCapacity(t *testing.T) {
	t.Parallel()
	page := scrape(t, newMetrics(&gauge{lag: Lag{
		OldestAll: time.Hour, OldestHealthy: 2 * time.Second, Pending: 500, Sending: 7,
		Lanes: []LaneLag{{Endpoint: "whe_1", Tenant: "acme", Oldest: time.Hour, Pending: 499}},
	}}))
	for _, line := range []string{
		`malote_oldest_pending_age_seconds{endpoints="all"} 3600`,
		`malote_oldest_pending_age_seconds{endpoints="healthy"} 2`,
		`malote_lane_oldest_pending_age_seconds{endpoint="whe_1",tenant="acme"} 3600`,
		`malote_lane_pending_deliveries{endpoint="whe_1",tenant="acme"} 499`,
		`malote_pending_deliveries 500`,
		`malote_sending_deliveries 7`,
		`malote_database_connections{pool="hot",state="in_use"} 3`,
		`malote_database_connections{pool="hot",state="idle"} 2`,
		`malote_database_connections{pool="general",state="max"} 8`,
		`malote_database_waits_total{pool="hot"} 7`,
		`malote_database_wait_seconds_total{pool="hot"} 1.5`,
	} {
		require.Contains(t, page, line+"\n")
	}
}

func TestStorage_IsAskedOnceForManyScrapes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := &gauge{lag: Lag{Pending: 1}}
		m := newMetrics(g)
		var scrapers sync.WaitGroup
		for range 10 {
			scrapers.Go(func() { scrape(t, m) })
		}
		scrapers.Wait()
		time.Sleep(lagAge - time.Millisecond)
		scrape(t, m)
		require.EqualValues(t, 1, g.reads.Load())
		time.Sleep(time.Millisecond)
		g.lag.Pending = 2
		require.Contains(t, scrape(t, m), "malote_pending_deliveries 2\n")
		require.EqualValues(t, 2, g.reads.Load())
	})
}

// While the database is away, the rest is served, and no scrape waits long.
func TestStorage_G12_ADatabaseThatHangsIsWaitedForOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := &gauge{hangs: true}
		m, began := newMetrics(g), time.Now()
		for range 10 {
			page := scrape(t, m)
			require.NotContains(t, page, "malote_pending_deliveries ", "what is not known is not shown")
			require.Contains(t, page, "malote_database_connections{")
			require.Contains(t, page, "malote_info{")
		}
		require.Equal(t, lagTimeout, time.Since(began))
		require.EqualValues(t, 1, g.reads.Load())

		g.hangs, g.lag = false, Lag{Pending: 9}
		time.Sleep(lagAge)
		require.Contains(t, scrape(t, m), "malote_pending_deliveries 9\n", "and it comes back")
	})
}

func TestMetrics_AreSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	m := newMetrics(&gauge{lag: Lag{Lanes: delayed(3)}})
	var users sync.WaitGroup
	for range 8 {
		users.Go(func() {
			useAll(m)
			scrape(t, m)
		})
	}
	users.Wait()
	require.Zero(t, testutil.ToFloat64(m.inFlight))
	require.EqualValues(t, 16, testutil.ToFloat64(m.stranded))
}
