package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/malotehq/malote/internal/circuit"
	"github.com/malotehq/malote/internal/delivery"
)

// alerts counts what people are told, and what became of telling them.
type alerts struct {
	notices *prometheus.CounterVec
	own     *prometheus.CounterVec
}

func newAlerts() alerts {
	return alerts{
		notices: counters("malote_notices_total", "Notices of signals, by whom they are for: operators, or contacts, the addresses of tenants.", "audience", "kind"),
		own:     counters("malote_own_signals_total", "Signals about the endpoints and deliveries of Malote's own tenant, which alerts go through. Nobody else is told of them.", "kind"),
	}
}

func (a alerts) collectors() []prometheus.Collector { return []prometheus.Collector{a.notices, a.own} }

// preset makes the series of own signals exist before they count: no notice tells
// of them, so that an alert rule has to.
func (a alerts) preset() {
	for _, kind := range circuit.SignalKinds {
		a.own.WithLabelValues(string(kind))
	}
	for _, kind := range delivery.SignalKinds {
		if !kind.OfWhole() {
			a.own.WithLabelValues(string(kind))
		}
	}
}

// NoticePublished implements alert.Observer.
func (m *Metrics) NoticePublished(audience string, kind delivery.SignalKind) {
	m.alerts.notices.WithLabelValues(audience, string(kind)).Inc()
}

// OwnSignal implements alert.Observer.
func (m *Metrics) OwnSignal(kind delivery.SignalKind) {
	m.alerts.own.WithLabelValues(string(kind)).Inc()
}
