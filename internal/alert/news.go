package alert

import (
	"time"

	"github.com/malotehq/malote/internal/delivery"
)

// news is what there is to tell of a family's pending signals.
type news struct {
	byKind  map[delivery.SignalKind][]delivery.Signal
	settled []delivery.ID     // what need not be told any more
	own     []delivery.Signal // about Malote's own endpoints: no alert is about an alert
}

// newsOf sorts signals. Of what began and ended, each endpoint or condition has its
// last signal left, and none where it is back to what was told of it.
func newsOf(family []delivery.SignalKind, signals []delivery.Signal) news {
	n := news{byKind: make(map[delivery.SignalKind][]delivery.Signal)}
	var others []delivery.Signal
	for _, s := range signals {
		if s.Tenant == delivery.OwnTenant && !s.Kind.OfWhole() {
			n.own, n.settled = append(n.own, s), append(n.settled, s.ID)
			continue
		}
		others = append(others, s)
	}
	if len(family) > 1 {
		others = n.latest(others)
	}
	for _, s := range others {
		n.byKind[s.Kind] = append(n.byKind[s.Kind], s)
	}
	return n
}

// about is what signals that end each other have in common.
type about struct {
	endpoint delivery.ID
	subject  string
}

// latest goes by the order in which signals were raised. Beginnings and ends
// alternate; so if the first of those pending is a beginning, the end was told, or
// nothing ever was.
func (n *news) latest(signals []delivery.Signal) []delivery.Signal {
	first, last := make(map[about]delivery.SignalKind), make(map[about]delivery.ID)
	for _, s := range signals {
		key := about{s.EndpointID, s.Subject}
		if _, known := first[key]; !known {
			first[key] = s.Kind
		}
		last[key] = s.ID
	}
	var left []delivery.Signal
	for _, s := range signals {
		key := about{s.EndpointID, s.Subject}
		if s.ID == last[key] && s.Kind == first[key] {
			left = append(left, s)
		} else {
			n.settled = append(n.settled, s.ID)
		}
	}
	return left
}

// due says whether a kind's window is over.
func due(untold delivery.Untold, kind delivery.SignalKind, window time.Duration) bool {
	last, was := untold.Last[kind]
	return !was || untold.Now.Sub(last) >= window
}

// tellOperators says what becomes of a family's pending signals, and which of them
// are about Malote's own endpoints.
func tellOperators(family []delivery.SignalKind, untold delivery.Untold, window time.Duration) (delivery.Telling, []delivery.Signal) {
	n := newsOf(family, untold.Signals)
	telling := delivery.Telling{Settled: n.settled}
	for _, kind := range family {
		signals := n.byKind[kind]
		t, known := topicOf(kind)
		if len(signals) == 0 || !known || !due(untold, kind, window) {
			continue
		}
		telling.Notices = append(telling.Notices, delivery.Notice{
			Key: signals[0].ID.Format(delivery.SignalPrefix), Kind: kind, Type: t.event,
			Data: operatorsData(t, signals, untold), OccurredAt: signals[0].At,
		})
		telling.Told = append(telling.Told, kind)
		for _, s := range signals {
			telling.Settled = append(telling.Settled, s.ID)
		}
	}
	return telling, n.own
}
