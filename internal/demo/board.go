package demo

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/receiver"
)

// phase is a part of the demo.
type phase string

// The phases, in their order.
const (
	settingUp  phase = "setting up"
	publishing phase = "publishing"
	draining   phase = "draining"
	accounting phase = "accounting"
)

// board is what the live view shows at one instant.
type board struct {
	at      time.Time // when the API was asked
	phase   phase
	part    float64 // of the phase that is done, 0 to 1
	words   string  // the same in words
	trouble string  // why the figures are old; "": they are not
	rows    []row   // the most troubled first
}

// row is one endpoint.
type row struct {
	title     string
	expect    expectation
	state     string
	tone      tone
	pending   int
	inFlight  int
	delivered int // different events that its receiver accepted
	dead      int
	oldest    time.Duration   // age of the oldest pending delivery; -1: none
	latencies []time.Duration // from acceptance to the first receipt, sorted
}

// rowOf is an endpoint's row, by the API's word and its receiver's.
func rowOf(e *endpoint, view endpointView, dead int, now time.Time) row {
	r := row{
		title: e.title(), expect: e.character.expect, pending: view.Pending, inFlight: view.InFlight,
		delivered: e.receiver.Counts().Accepted, dead: dead, oldest: -1,
	}
	r.state, r.tone = stateOf(view, now)
	if view.OldestPendingAge != nil {
		r.oldest = time.Duration(*view.OldestPendingAge) * time.Second
	}
	for _, record := range e.receiver.Records() {
		if record.Latency != receiver.NoLatency {
			r.latencies = append(r.latencies, record.Latency)
		}
	}
	slices.Sort(r.latencies)
	return r
}

// stateOf is an endpoint's state in two words.
func stateOf(view endpointView, now time.Time) (string, tone) {
	switch {
	case view.Status == delivery.DisabledBySystem || view.Status == delivery.DisabledByUser:
		return "disabled", bad
	case view.Status == delivery.Paused:
		return "paused", careful
	case view.PausedUntil.After(now):
		return "paused " + short(view.PausedUntil.Sub(now).Round(time.Second)), careful
	case view.ConsecutiveFailures > 0:
		return fmt.Sprintf("failing ×%d", view.ConsecutiveFailures), careful
	default:
		return "ok", good
	}
}

// sortRows puts first what deserves attention: the troubled, then the settling,
// then the healthy, each with the longest wait first.
func sortRows(rows []row) {
	slices.SortStableFunc(rows, func(a, b row) int {
		return cmp.Or(cmp.Compare(b.expect, a.expect), cmp.Compare(b.oldest, a.oldest), cmp.Compare(b.pending, a.pending),
			cmp.Compare(a.title, b.title))
	})
}

// total adds rows up under one title.
func total(title string, rows []row) row {
	sum := row{title: title, oldest: -1}
	for _, r := range rows {
		sum.pending += r.pending
		sum.inFlight += r.inFlight
		sum.delivered += r.delivered
		sum.dead += r.dead
		sum.oldest = max(sum.oldest, r.oldest)
		sum.latencies = append(sum.latencies, r.latencies...)
	}
	slices.Sort(sum.latencies)
	return sum
}

// settled says whether everything that can be delivered soon has been.
func (b *board) settled() bool {
	return !slices.ContainsFunc(b.rows, func(r row) bool {
		return r.expect != troubled && r.pending+r.inFlight > 0
	})
}

func (b *board) healthyRows() []row {
	return slices.DeleteFunc(slices.Clone(b.rows), func(r row) bool { return r.expect != healthy })
}
