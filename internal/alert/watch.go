package alert

import (
	"context"
	"fmt"
	"time"

	"github.com/malotehq/malote/internal/delivery"
)

// Conditions keeps what is wrong with the whole.
type Conditions interface {
	// IsRaised says whether a condition holds and was signalled.
	IsRaised(ctx context.Context, name string) (bool, error)
	// Observe notes whether the condition of the signal's Subject holds. One that has
	// held for some time is signalled, and one that was, when it ends.
	Observe(ctx context.Context, holds bool, forTime time.Duration, signal delivery.Signal) (signalled bool, _ error)
	// Overdue is for how long the oldest delivery has been due that only want of
	// capacity holds up.
	Overdue(ctx context.Context) (time.Duration, error)
}

// Thresholds say what is too late. 0: that is not watched.
type Thresholds struct {
	Lag      time.Duration // of deliveries to endpoints that are well
	RelayLag time.Duration // of rows in outboxes
}

// The defaults of Thresholds.
const (
	DefaultLag      = 5 * time.Minute
	DefaultRelayLag = 2 * time.Minute
)

// holdFor is how long a condition must be seen to hold before anybody is told: a
// slow endpoint's queue looks late for a moment, again and again.
const holdFor = 30 * time.Second

// Watch compares how late things are with the thresholds.
type Watch struct {
	conditions Conditions
	thresholds Thresholds
}

// NewWatch makes a watch.
func NewWatch(conditions Conditions, thresholds Thresholds) *Watch {
	return &Watch{conditions, thresholds}
}

// lateness is a reading of how late something is.
type lateness struct {
	name              string
	value, threshold  time.Duration
	raised, recovered delivery.SignalKind
	what              string // %s: how late it is
}

// Lag looks at deliveries to endpoints that are well (F17), and gives the kind of
// signal that this raised, or "".
func (w *Watch) Lag(ctx context.Context) (delivery.SignalKind, error) {
	overdue, err := w.conditions.Overdue(ctx)
	if err != nil {
		return "", err
	}
	return w.look(ctx, lateness{
		name: "lag", value: overdue, threshold: w.thresholds.Lag, raised: delivery.LagHigh, recovered: delivery.LagRecovered,
		what: "the oldest delivery that could be sent is %s late",
	})
}

// Outbox takes a reading of an outbox: how old its oldest row is, or for how long
// nobody could say.
func (w *Watch) Outbox(ctx context.Context, name string, oldest time.Duration) (delivery.SignalKind, error) {
	return w.look(ctx, lateness{
		name: "relay:" + name, value: oldest, threshold: w.thresholds.RelayLag, raised: delivery.RelayLagging, recovered: delivery.RelayRecovered,
		what: "the oldest row of the outbox " + name + " has been waiting for %s",
	})
}

func (w *Watch) look(ctx context.Context, l lateness) (delivery.SignalKind, error) {
	raised, err := w.conditions.IsRaised(ctx, l.name)
	if err != nil {
		return "", err
	}
	holds := l.isLate(raised)
	signal := delivery.Signal{Kind: l.raised, Subject: l.name, Detail: l.detail()}
	if !holds {
		signal.Kind = l.recovered
	}
	signalled, err := w.conditions.Observe(ctx, holds, holdFor, signal)
	if err != nil || !signalled {
		return "", err
	}
	return signal.Kind, nil
}

// isLate has two thresholds, so that a value around one of them is no news at
// every look: what was raised is over at half of it.
func (l lateness) isLate(raised bool) bool {
	if l.threshold <= 0 {
		return false
	}
	return l.value > l.threshold || raised && l.value > l.threshold/2
}

func (l lateness) detail() string {
	text := fmt.Sprintf(l.what, l.value.Round(time.Second))
	if l.threshold > 0 {
		text += fmt.Sprintf(" (the threshold is %s)", l.threshold)
	}
	return text
}
