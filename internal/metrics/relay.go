package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// relayed counts what outboxes bring. Their names are the operator's own.
type relayed struct {
	rows     *prometheus.CounterVec
	failures *prometheus.CounterVec
	waiting  *prometheus.GaugeVec
	oldest   *prometheus.GaugeVec
	refused  *prometheus.GaugeVec
}

func newRelayed() relayed {
	return relayed{
		rows:     counters("malote_relayed_rows_total", "Rows of outboxes by what became of them: event, duplicate, or refused.", "outbox", "result"),
		failures: counters("malote_relay_failures_total", "Batches of an outbox that could not be carried and are tried again.", "outbox"),
		waiting:  gauges("malote_outbox_waiting_rows", "Committed rows that were not carried yet, counted up to 10,000.", "outbox"),
		oldest:   gauges("malote_outbox_oldest_age_seconds", "Since the oldest of them was written.", "outbox"),
		refused:  gauges("malote_outbox_refused_rows", "Rows that cannot become events and wait for somebody to see to them, counted up to 10,000.", "outbox"),
	}
}

func (r relayed) collectors() []prometheus.Collector {
	return []prometheus.Collector{r.rows, r.failures, r.waiting, r.oldest, r.refused}
}

// Relayed implements relay.Observer.
func (m *Metrics) Relayed(outbox string, events, duplicates, refused int) {
	m.relayed.rows.WithLabelValues(outbox, "event").Add(float64(events))
	m.relayed.rows.WithLabelValues(outbox, "duplicate").Add(float64(duplicates))
	m.relayed.rows.WithLabelValues(outbox, "refused").Add(float64(refused))
}

// RelayFailed implements relay.Observer.
func (m *Metrics) RelayFailed(outbox string) { m.relayed.failures.WithLabelValues(outbox).Inc() }

// RelayLag implements relay.Observer.
func (m *Metrics) RelayLag(outbox string, waiting int64, oldest time.Duration, refused int64) {
	m.relayed.waiting.WithLabelValues(outbox).Set(float64(waiting))
	m.relayed.oldest.WithLabelValues(outbox).Set(oldest.Seconds())
	m.relayed.refused.WithLabelValues(outbox).Set(float64(refused))
}
