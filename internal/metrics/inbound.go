package metrics

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/malotehq/malote/internal/source"
)

// inbound counts what comes in by the door. Providers and reasons are those that
// the program knows; an unknown source has no provider.
type inbound struct {
	events   *prometheus.CounterVec
	rejected *prometheus.CounterVec
	answers  *prometheus.HistogramVec
	gaps     *prometheus.CounterVec
}

func newInbound() inbound {
	return inbound{
		events:   counters("malote_inbound_events_total", "Events that providers brought, by what became of them: event, duplicate, or filtered.", "provider", "result"),
		rejected: counters("malote_inbound_rejections_total", "Requests of providers that were turned away.", "provider", "reason"),
		answers:  histograms("malote_inbound_seconds", "Time from a provider's request to its answer, by the class of its status.", statementTime, "provider", "status"),
		gaps:     counters("malote_inbound_gaps_total", "Events of providers' own lists that had not come in, by what was done.", "provider", "result"),
	}
}

func (i inbound) collectors() []prometheus.Collector {
	return []prometheus.Collector{i.events, i.rejected, i.answers, i.gaps}
}

// InboundAccepted implements ingest.Observer.
func (m *Metrics) InboundAccepted(provider string, events, duplicates, filtered int) {
	m.inbound.events.WithLabelValues(provider, "event").Add(float64(events))
	m.inbound.events.WithLabelValues(provider, "duplicate").Add(float64(duplicates))
	m.inbound.events.WithLabelValues(provider, "filtered").Add(float64(filtered))
}

// InboundRejected implements ingest.Observer.
func (m *Metrics) InboundRejected(provider string, reason source.Reason) {
	m.inbound.rejected.WithLabelValues(provider, string(reason)).Inc()
}

// InboundAnswered implements ingest.Observer.
func (m *Metrics) InboundAnswered(provider string, status int, took time.Duration) {
	m.inbound.answers.WithLabelValues(provider, strconv.Itoa(status/100)+"xx").Observe(took.Seconds())
}

// GapsFound counts what a comparison with a provider's list came to.
func (m *Metrics) GapsFound(provider string, missing, brought, refused int) {
	m.inbound.gaps.WithLabelValues(provider, "missing").Add(float64(missing))
	m.inbound.gaps.WithLabelValues(provider, "brought").Add(float64(brought))
	m.inbound.gaps.WithLabelValues(provider, "refused").Add(float64(refused))
}
