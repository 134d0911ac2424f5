package gaprepair

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
	"github.com/malotehq/malote/internal/publish"
	"github.com/malotehq/malote/internal/store/inbound"
	"github.com/malotehq/malote/internal/store/pgtest"
	"github.com/malotehq/malote/internal/store/registry"
)

// books are the keys and positions of a real database, as a process has them.
type books struct{ *inbound.Records }

func (b books) Known(ctx context.Context, source delivery.ID, keys []string) (map[string]bool, error) {
	return b.RecentIDs(ctx, source, keys)
}

func (b books) Load(ctx context.Context, source delivery.ID) (Position, error) {
	repair, err := b.Position(ctx, source)
	return Position{State: repair.Position, CheckedAt: repair.CheckedAt, LastError: repair.LastError}, err
}

func (b books) Save(ctx context.Context, source delivery.ID, p Position, found int) error {
	progress := inbound.Progress{Position: p.State, CheckedAt: p.CheckedAt, Found: int64(found), LastError: p.LastError}
	if p.LastError != "" {
		progress.FailedAt = time.Now()
	}
	return b.SavePosition(ctx, source, progress)
}

// firsts counts what was an event and no repeat.
type firsts struct {
	Publisher
	mu     sync.Mutex
	events map[string]int
}

func (f *firsts) Publish(ctx context.Context, requests []publish.Request) ([]publish.Result, error) {
	results, err := f.Publisher.Publish(ctx, requests)
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, result := range results {
		if !result.Duplicate {
			f.events[requests[i].IdempotencyKey]++
		}
	}
	return results, err
}

type silent struct{}

func (silent) Published(int, int, int)                    {}
func (silent) PublishCommitted(int, time.Duration, error) {}
func (silent) Wake([]delivery.LaneRef)                    {}
func (silent) Policy(name string) (*policy.Policy, error) {
	p, known := policy.Preset(name)
	if !known {
		return nil, errors.New("no such policy")
	}
	return p, nil
}

// On a real database: while two processes compare, the door takes in the same
// events over connections of its own.
func TestRunner_G01_ARaceWithTheDoorMakesNoEventTwice(t *testing.T) {
	t.Parallel()
	s := pgtest.Open(t)
	sources := registry.New(s, registry.Options{})
	_, _, err := sources.CreateTenant(t.Context(), registry.Tenant{ID: "acme"}, registry.Once{})
	require.NoError(t, err)
	made, _, err := sources.CreateSource(t.Context(), registry.NewSource{Tenant: "acme", Name: "s", Provider: Stripe}, registry.Once{})
	require.NoError(t, err)
	service := publish.New(publish.Options{Storage: s, Policies: silent{}, Waker: silent{}, Observer: silent{}})
	ctx, stop := context.WithCancel(t.Context())
	var serving sync.WaitGroup
	serving.Go(func() { service.Run(ctx) })
	t.Cleanup(func() { stop(); serving.Wait() })

	w := newWorld(Stripe)
	w.source.ID = made.ID
	for n := range 300 {
		w.happens(time.Duration(300-n) * time.Minute)
	}
	taking := &firsts{Publisher: service, events: make(map[string]int)}
	kept := books{inbound.New(s, inbound.Options{})}
	var racing sync.WaitGroup
	for range 2 {
		racing.Go(func() {
			r := New(Options{
				Sources: w, Keys: kept, Publisher: taking, Positions: kept, Observer: w, Client: &http.Client{Transport: w}, Now: w.ourTime,
			})
			for more := true; more; {
				var err error
				if more, err = r.Step(ctx); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for door := range 4 {
		racing.Go(func() {
			for n, one := range w.newest() {
				if n%5 == door { // a fifth of them came to no door
					_, err := taking.Publish(ctx, []publish.Request{{
						Tenant: "acme", Type: "invoice.paid", Body: []byte(one.body), Source: made.ID, IdempotencyKey: one.key,
					}})
					if err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	racing.Wait()
	require.Len(t, taking.events, 300)
	for key, n := range taking.events {
		require.Equal(t, 1, n, key)
	}
	position, err := kept.Load(t.Context(), made.ID)
	require.NoError(t, err)
	require.Equal(t, noon.Add(-settle), position.CheckedAt)
	repair, err := kept.Position(t.Context(), made.ID)
	require.NoError(t, err)
	require.GreaterOrEqual(t, repair.Found, int64(60))
}
