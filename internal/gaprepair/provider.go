package gaprepair

import (
	"context"
	"time"
)

const (
	// keysKept is for how long the door knows an event at least (G01).
	keysKept = 7 * 24 * time.Hour
	// settle is the age from which an event is missed: until then it may be on its way.
	settle = 2 * time.Minute
	// overlap is how late a provider may list an event, and how far out of order.
	overlap = 30 * time.Minute
	// largestPage is how many items are asked for at once, and so the most that are
	// looked up and published at once. Both providers give no more.
	largestPage = 100
)

// A provider is one API's way to list, newest first.
type provider interface {
	base() string
	// reach is how far back it makes sense to look.
	reach() time.Duration
	// list gives the page at a cursor; empty: the newest. It may leave out what
	// happened before from, if that is set. Its errors are *APIError.
	list(ctx context.Context, c *caller, from time.Time, cursor string) (listing, error)
}

// An asker brings an event in by asking the provider to send it again.
type asker interface {
	ask(ctx context.Context, c *caller, one item) error
}

var providers = map[string]provider{GitHub: github{}, Stripe: stripe{}}

// A listing is one page.
type listing struct {
	items []item
	next  string    // cursor of the next page; empty: it is the last
	date  time.Time // of the answer, by the provider's clock
}

// An item is an event as the provider lists it.
type item struct {
	id   string // the list's name for it
	key  string // the door's
	at   time.Time
	skip bool // it only has a place in the list

	kind string // its type, and
	body []byte // exactly its bytes, where it is fed from the list
}
