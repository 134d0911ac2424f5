package gaprepair

import (
	"context"
	"time"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/publish"
)

// Sources says what there is to repair.
type Sources interface {
	// Repairable lists the sources that have a token and take requests: neither
	// those that are paused, nor those that tell repetitions by another rule than
	// the provider's id. An error may stand beside the others that it lists.
	Repairable(ctx context.Context) ([]Source, error)
}

// Keys is the door's memory.
type Keys interface {
	// Known says which of at most a hundred keys the source has, expired ones
	// left out. It must see what was committed before it was asked.
	Known(ctx context.Context, source delivery.ID, keys []string) (map[string]bool, error)
}

// Publisher commits events; see publish.Service.
type Publisher interface {
	Publish(ctx context.Context, requests []publish.Request) ([]publish.Result, error)
}

// A Position is how far a source was compared.
type Position struct {
	// State is this package's own: the pass under way, and when to go on.
	State string
	// CheckedAt is the time, by the provider's clock, up to which everything was
	// compared and has come in. It may go back: what is listed late, was missing.
	CheckedAt time.Time
	// LastError says what is wrong, for people; empty: nothing.
	LastError string
}

// Positions keeps positions. Whoever saves last, wins: every state that is saved
// is true by itself, and an older one costs only that its pages are compared again.
type Positions interface {
	// Load gives a source's position; the zero one if it has none yet.
	Load(ctx context.Context, source delivery.ID) (Position, error)
	// Save replaces a source's position, and adds to the number of events that
	// were found not to have come in.
	Save(ctx context.Context, source delivery.ID, position Position, found int) error
}

// Observer is told what every turn of a source did, for the metrics.
type Observer interface {
	GapsCompared(provider string, report Report, err error)
}

// A Report counts what was done. Events that are too new to be missed, too old
// to be told apart, or not within the span that was asked for, are in no number.
type Report struct {
	Listed  int // of the provider's, redeliveries not counted again
	Known   int // had come in, also while this one looked
	Missing int // had not

	Filtered int // of those that had not: the source's filter leaves them out (Stripe)
	Fed      int // were published from the list (Stripe)
	Asked    int // were asked for anew (GitHub)
	Refused  int // cannot be published, or the provider will not send them again
	GivenUp  int // did not come however often they were asked for, and are not asked for again
}
