package ingest

import (
	"context"
	"time"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/publish"
	"github.com/malotehq/malote/internal/source"
)

// Source is what the door knows of a source.
type Source struct {
	ID       delivery.ID
	Tenant   string
	Provider string // a name that source.Find knows
	Settings []byte // JSON, see ParseSettings
	Secrets  []source.Secret
	// Version is another one after any change to the rest, secrets included.
	Version int64
	Paused  bool
	// FreshFor is how long this holds at most, since a secret expires then; 0: no
	// secret does.
	FreshFor time.Duration
}

// Sources finds sources with their live secrets. found is false for what never
// was and for what was deleted.
type Sources interface {
	FindSource(ctx context.Context, id delivery.ID) (found Source, ok bool, err error)
}

// Publisher commits events, all or none, before it returns. See publish.Service.
type Publisher interface {
	Publish(ctx context.Context, requests []publish.Request) ([]publish.Result, error)
}

// Fetcher gets what verification needs, within seconds. owner is who pays for it.
// An error with a method Final() bool that says true will be the same next time;
// one with a method Summary() string says with it what a tenant may know.
type Fetcher interface {
	Fetch(ctx context.Context, owner delivery.ID, want source.Fetch) ([]byte, error)
}

// Rejection is requests that one source turned away for one reason.
type Rejection struct {
	Source delivery.ID
	Tenant string
	Reason source.Reason // one of Reasons
	Detail string        // of the last one: no body, no secret
	Count  int64
	First  time.Time
	Last   time.Time
}

// Rejections writes some down, in one statement.
type Rejections interface {
	RecordRejections(ctx context.Context, rejections []Rejection) error
}

// Observer is told about every request, for the metrics. The provider is empty
// where no source was found. It must not block.
type Observer interface {
	// InboundAccepted counts what one request brought, once it is committed.
	// Filtered are events that the source's filter left out.
	InboundAccepted(provider string, events, duplicates, filtered int)
	InboundRejected(provider string, reason source.Reason)
	// InboundAnswered has the whole time, the arrival of the body included.
	InboundAnswered(provider string, status int, took time.Duration)
}
