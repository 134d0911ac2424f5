package publish

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/malotehq/malote/internal/delivery"
)

// Defaults of Options.
const (
	DefaultMaxBody    = 1 << 20 // bytes
	DefaultCommitters = 2
)

// Storage is what publishing needs of the database.
type Storage interface {
	// Publish commits drafts, each unit whole or not at all, and names the
	// lanes that have new work. It gives every event its id (see delivery.Draft)
	// before it asks the planner.
	Publish(ctx context.Context, drafts []*delivery.Draft, plan delivery.Planner) ([]delivery.Published, []delivery.LaneRef, error)
}

// Waker is told which lanes have new work, after the commit. It must not block.
type Waker interface {
	Wake(lanes []delivery.LaneRef)
}

// Observer is told about every commit, for the metrics.
type Observer interface {
	Published(events, duplicates, refused int)
	PublishCommitted(batch int, took time.Duration, err error)
}

// Options of New. Storage, Policies, Waker and Observer must be given.
type Options struct {
	Storage  Storage
	Policies Policies
	Waker    Waker
	Observer Observer
	Log      *slog.Logger

	MaxBody    int // bytes of what the publisher sends, before any envelope; default DefaultMaxBody
	Committers int // transactions at once; default DefaultCommitters
}

// ErrStopped is returned once Run has ended. Nothing was written.
var ErrStopped = errors.New("publishing has stopped; try again with another process")

// Service takes requests and commits them in groups. Run must be running.
type Service struct {
	drafter drafter
	group   *groupCommit
}

// New makes a service.
func New(options Options) *Service {
	if options.MaxBody == 0 {
		options.MaxBody = DefaultMaxBody
	}
	if options.Committers == 0 {
		options.Committers = DefaultCommitters
	}
	return &Service{drafter: drafter{maxBody: options.MaxBody}, group: newGroupCommit(options)}
}

// Run commits what Publish brings, until ctx ends. Then it finishes what it has
// taken, and returns; whoever is not served by then gets ErrStopped.
func (s *Service) Run(ctx context.Context) { s.group.run(ctx) }

// Publish commits one request's events, all or none, and returns once they are
// on disk. Its errors are InvalidError, TooLargeError and RefusedError, after
// which nothing was written, ErrStopped, the context's, or the database's: after
// the last two the outcome may be unknown, and the same request with its
// idempotency key may be sent again. It waits for Run to begin. The requests'
// bytes are not copied: they must not change afterwards, whatever it returns.
func (s *Service) Publish(ctx context.Context, requests []Request) ([]Result, error) {
	drafts := make([]*delivery.Draft, len(requests))
	for i, request := range requests {
		draft, err := s.drafter.foreign(i, request)
		if err != nil {
			return nil, err
		}
		drafts[i] = draft
	}
	if len(drafts) == 0 {
		return []Result{}, nil
	}
	published, err := s.group.submit(ctx, drafts)
	if err != nil {
		return nil, fmt.Errorf("publishing: %w", err)
	}
	return results(published)
}

// TestType is the type of test events.
const TestType = "malote.test"

// PublishTest queues a test event for one endpoint, ahead of what waits there.
// It gets one attempt.
func (s *Service) PublishTest(ctx context.Context, tenant string, endpoint delivery.ID) (delivery.ID, error) {
	draft, err := s.drafter.draft(0, Request{
		Tenant: tenant, Type: TestType, EndpointIDs: []delivery.ID{endpoint},
		Data: []byte(`{"message":"This is a test. If you can read it and its signature holds, all is well."}`),
	})
	if err != nil {
		return delivery.ID{}, err
	}
	draft.Trigger = delivery.TriggerTest
	published, err := s.group.submit(ctx, []*delivery.Draft{draft})
	if err != nil {
		return delivery.ID{}, fmt.Errorf("publishing a test: %w", err)
	}
	list, err := results(published)
	if err != nil {
		return delivery.ID{}, err
	}
	return list[0].ID, nil
}

func results(published []delivery.Published) ([]Result, error) {
	list := make([]Result, len(published))
	for i, p := range published {
		if p.Err != nil && !errors.Is(p.Err, delivery.ErrUnitRefused) {
			return nil, &RefusedError{Index: i, Err: p.Err}
		}
		list[i] = resultFrom(p)
	}
	return list, nil
}

func resultFrom(p delivery.Published) Result {
	return Result{ID: p.ID, Duplicate: p.Duplicate, Deliveries: p.Deliveries, Skipped: p.Skipped}
}
