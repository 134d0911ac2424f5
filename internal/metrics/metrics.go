package metrics

import (
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/malotehq/malote/internal/circuit"
	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
)

// Metrics counts what a process does. It is safe for concurrent use.
type Metrics struct {
	registry *prometheus.Registry

	published   *prometheus.CounterVec
	commits     *prometheus.HistogramVec
	batches     *prometheus.HistogramVec
	claims      *prometheus.HistogramVec
	claimed     prometheus.Counter
	attempts    *prometheus.CounterVec
	attemptTime prometheus.Histogram
	inFlight    prometheus.Gauge
	closed      *prometheus.CounterVec
	lost        prometheus.Counter
	signals     *prometheus.CounterVec
	stranded    prometheus.Counter
	rescued     prometheus.Counter
	maintenance *prometheus.CounterVec
	removed     *prometheus.CounterVec
	inbound     inbound
	relayed     relayed
	alerts      alerts
	requests    *prometheus.HistogramVec
}

// statementTime are the buckets of database work, in seconds.
var statementTime = []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}

// attemptTime are the buckets of attempts, in seconds.
var attemptTime = []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 15, 30}

// New makes the metrics of a process of the given version.
func New(version string) *Metrics {
	m := &Metrics{
		registry:    prometheus.NewRegistry(),
		published:   counters("malote_published_events_total", "Events by what became of their publish.", "result"),
		commits:     histograms("malote_commit_seconds", "Duration of publish and completion transactions.", statementTime, "kind", "result"),
		batches:     histograms("malote_batch_size", "Events, claims or outcomes that shared a transaction that worked.", prometheus.ExponentialBuckets(1, 2, 9), "kind"),
		claims:      histograms("malote_claim_seconds", "Duration of claims.", statementTime, "result"),
		claimed:     counter("malote_claimed_deliveries_total", "Deliveries claimed by this process."),
		attempts:    counters("malote_attempts_total", "Attempts by outcome; code is empty for a success.", "outcome", "code"),
		attemptTime: prometheus.NewHistogram(prometheus.HistogramOpts{Name: "malote_attempt_seconds", Help: "Duration of attempts.", Buckets: attemptTime}),
		inFlight:    prometheus.NewGauge(prometheus.GaugeOpts{Name: "malote_attempts_in_flight", Help: "Attempts under way in this process."}),
		closed:      counters("malote_deliveries_total", "Completed claims by the state that their delivery then had.", "state"),
		lost:        counter("malote_lost_claims_total", "Completions whose claim was no longer theirs."),
		signals:     counters("malote_signals_total", "What somebody should hear of.", "kind"),
		stranded:    counter("malote_stranded_lanes_total", "Lanes with due work that nobody would have woken; found and woken by the sweep. Anything but 0 is a bug, or a publisher killed at the wrong moment."),
		rescued:     counter("malote_expired_leases_total", "Claims whose worker was lost."),
		maintenance: counters("malote_maintenance_runs_total", "Runs of periodic tasks.", "task", "result"),
		removed:     counters("malote_removed_rows_total", "Rows that were older than the retention, by table.", "table"),
		inbound:     newInbound(),
		relayed:     newRelayed(),
		alerts:      newAlerts(),
		requests:    newRequests(),
	}
	info := prometheus.NewGauge(prometheus.GaugeOpts{Name: "malote_info", Help: "Always 1.", ConstLabels: prometheus.Labels{"version": version}})
	info.Set(1)
	m.registry.MustRegister(m.published, m.commits, m.batches, m.claims, m.claimed, m.attempts, m.attemptTime, m.inFlight,
		m.closed, m.lost, m.signals, m.stranded, m.rescued, m.maintenance, m.removed, m.requests, info,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.registry.MustRegister(m.inbound.collectors()...)
	m.registry.MustRegister(m.relayed.collectors()...)
	m.registry.MustRegister(m.alerts.collectors()...)
	m.preset()
	return m
}

// preset makes the series that an alert may ask for exist before they count: a
// counter that begins with 1 shows no increase.
func (m *Metrics) preset() {
	for _, result := range []string{"event", "duplicate", "refused"} {
		m.published.WithLabelValues(result)
	}
	for _, code := range delivery.ErrorCodes {
		m.attempts.WithLabelValues("failure", string(code))
	}
	m.attempts.WithLabelValues("success", "")
	for _, state := range []delivery.State{delivery.Pending, delivery.Delivered, delivery.Dead, delivery.Superseded} {
		m.closed.WithLabelValues(string(state))
	}
	for _, kind := range circuit.SignalKinds {
		m.signals.WithLabelValues(string(kind))
	}
	for _, kind := range delivery.SignalKinds {
		m.signals.WithLabelValues(string(kind))
	}
	m.alerts.preset()
}

// Handler serves the metrics in Prometheus' text format.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{EnableOpenMetrics: true})
}

// Published implements publish.Observer.
func (m *Metrics) Published(events, duplicates, refused int) {
	m.published.WithLabelValues("event").Add(float64(events))
	m.published.WithLabelValues("duplicate").Add(float64(duplicates))
	m.published.WithLabelValues("refused").Add(float64(refused))
}

// PublishCommitted implements publish.Observer.
func (m *Metrics) PublishCommitted(batch int, took time.Duration, err error) {
	m.commits.WithLabelValues("publish", result(err)).Observe(took.Seconds())
	m.observeBatch("publish", batch, err)
}

// observeBatch leaves out what failed: it is tried again, perhaps in parts.
func (m *Metrics) observeBatch(kind string, size int, err error) {
	if err == nil {
		m.batches.WithLabelValues(kind).Observe(float64(size))
	}
}

// Claimed implements dispatch.Observer.
func (m *Metrics) Claimed(deliveries, _ int, took time.Duration, err error) {
	m.claims.WithLabelValues(result(err)).Observe(took.Seconds())
	m.claimed.Add(float64(deliveries))
	if deliveries > 0 { // most of the others are looks at an idle queue
		m.observeBatch("claim", deliveries, err)
	}
}

// AttemptStarted implements dispatch.Observer.
func (m *Metrics) AttemptStarted() { m.inFlight.Inc() }

// AttemptEnded implements dispatch.Observer.
func (m *Metrics) AttemptEnded(code delivery.ErrorCode, success bool, took time.Duration) {
	m.inFlight.Dec()
	outcome := "failure"
	if success {
		outcome = "success"
	}
	m.attempts.WithLabelValues(outcome, string(code)).Inc()
	m.attemptTime.Observe(took.Seconds())
}

// Completed implements dispatch.Observer.
func (m *Metrics) Completed(batch int, completed policy.Completed, took time.Duration, err error) {
	m.commits.WithLabelValues("completion", result(err)).Observe(took.Seconds())
	m.observeBatch("completion", batch, err)
	m.lost.Add(float64(completed.Lost))
	if claimed := len(completed.Next.Claims); claimed > 0 {
		m.claimed.Add(float64(claimed))
		m.observeBatch("claim", claimed, completed.NextErr)
	}
	for state, n := range completed.States {
		m.closed.WithLabelValues(string(state)).Add(float64(n))
	}
	for kind, n := range completed.Signals {
		m.signals.WithLabelValues(string(kind)).Add(float64(n))
	}
}

// Stranded implements maintenance.Observer.
func (m *Metrics) Stranded(lanes int) { m.stranded.Add(float64(lanes)) }

// Rescued implements maintenance.Observer.
func (m *Metrics) Rescued(claims int) { m.rescued.Add(float64(claims)) }

// TaskRan implements maintenance.Observer.
func (m *Metrics) TaskRan(task string, err error) {
	m.maintenance.WithLabelValues(task, "error") // exists from the first run
	m.maintenance.WithLabelValues(task, result(err)).Inc()
}

// SignalsRaised implements maintenance.Tally.
func (m *Metrics) SignalsRaised(kind string, signals int) {
	m.signals.WithLabelValues(kind).Add(float64(signals))
}

// RowsRemoved implements maintenance.Tally.
func (m *Metrics) RowsRemoved(table string, rows int64) {
	m.removed.WithLabelValues(table).Add(float64(rows))
}

func result(err error) string {
	if err != nil {
		return "error"
	}
	return "ok"
}

func counter(name, help string) prometheus.Counter {
	return prometheus.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
}

func counters(name, help string, labels ...string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
}

func gauges(name, help string, labels ...string) *prometheus.GaugeVec {
	return prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, labels)
}

func histograms(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
	return prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets}, labels)
}
