package history

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

// publishing makes a draft whose id the store gives it.
func publishing(tenant, body string) *delivery.Draft {
	return &delivery.Draft{
		Event:       delivery.Event{Tenant: tenant, Type: "a", ContentType: "application/json", Body: []byte(body)},
		Fingerprint: sha256.Sum256([]byte(body)),
	}
}

func toNobody(d *delivery.Draft, _ []*delivery.Endpoint) (delivery.Plan, error) {
	return delivery.Plan{Bodies: [][]byte{d.Event.Body},
		Deliveries: []delivery.Planned{{State: delivery.Skipped, Reason: delivery.NoEndpoint}}}, nil
}

// TestDracma_D15_ALateCommitIsNotMissed pages forwards while eight publish, one of
// whom holds its transaction for five seconds after its events got their ids:
// smaller ones than those of all that commits meanwhile.
func TestDracma_D15_ALateCommitIsNotMissed(t *testing.T) {
	t.Parallel()
	s, r := seeded(t)
	tenant := s.tenant("acme")
	done := make(chan struct{})
	published := make(chan delivery.ID, 1<<16)
	publish := func(body string, plan delivery.Planner) (id delivery.ID) {
		results, _, err := s.store.Publish(t.Context(), []*delivery.Draft{publishing(tenant, body)}, plan)
		if err == nil && results[0].Err == nil {
			id = results[0].ID
			published <- id
		}
		return id
	}
	var writers sync.WaitGroup
	for writer := range 7 {
		writers.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-done:
					return
				default:
					publish(fmt.Sprintf(`{"writer":%d,"n":%d}`, writer, n), toNobody)
				}
			}
		})
	}
	held := make(chan struct{})
	var late delivery.ID
	writers.Go(func() {
		late = publish(`{"slow":true}`, func(d *delivery.Draft, endpoints []*delivery.Endpoint) (delivery.Plan, error) {
			s.exec(`SELECT pg_sleep(5)`) // the length of the transaction is what is tested
			close(held)
			return toNobody(d, endpoints)
		})
		close(done)
	})

	follow := follower{t: t, r: r, tenant: tenant}
	for reading := true; reading; {
		select {
		case <-held:
			reading = false
		default:
			follow.read()
		}
	}
	writers.Wait()
	follow.read()
	follow.read()
	close(published)
	want := make(map[delivery.ID]bool)
	for id := range published {
		want[id] = true
	}
	require.Equal(t, len(want), len(follow.got))
	require.Equal(t, want, follow.distinct())
	at := slices.Index(follow.got, late)
	require.Greater(t, len(follow.got)-at, 100, "others published past the slow one")
}

// follower pages forwards for ever, each time from where it was complete.
type follower struct {
	t      *testing.T
	r      *Reader
	tenant string
	since  time.Time
	got    []delivery.ID
}

func (f *follower) read() {
	filter := EventFilter{Tenant: f.tenant, Since: f.since, Limit: 250}
	for {
		page, err := f.r.Events(f.t.Context(), filter)
		require.NoError(f.t, err)
		for _, e := range page.Events {
			f.got = append(f.got, e.ID)
		}
		f.since = page.CompleteUntil
		if filter.After = page.Next; filter.After.IsZero() {
			return
		}
	}
}

// distinct are the events seen, which must have come once each, in order.
func (f *follower) distinct() map[delivery.ID]bool {
	seen := make(map[delivery.ID]bool)
	for i, id := range f.got {
		require.False(f.t, seen[id], "twice: %s", id.Format(delivery.EventPrefix))
		require.True(f.t, i == 0 || compareIDs(f.got[i-1], id) < 0, "out of order")
		seen[id] = true
	}
	return seen
}

// What is answered is in the next page at once: nobody waits for a margin.
func TestEvents_AnEventIsListedAsSoonAsItIsPublished(t *testing.T) {
	t.Parallel()
	s, r := seeded(t)
	tenant := s.tenant("acme")
	for n := range 20 {
		results, _, err := s.store.Publish(t.Context(), []*delivery.Draft{publishing(tenant, fmt.Sprint(n))}, toNobody)
		require.NoError(t, err)
		page, err := r.Events(t.Context(), EventFilter{Tenant: tenant, Since: results[0].ID.Time().Truncate(time.Millisecond)})
		require.NoError(t, err)
		if len(page.Events) == 0 {
			// Published within the millisecond that is not over yet.
			require.Eventually(t, func() bool {
				page, err = r.Events(t.Context(), EventFilter{Tenant: tenant, Since: results[0].ID.Time().Truncate(time.Millisecond)})
				return err == nil && len(page.Events) > 0
			}, time.Second, time.Millisecond)
		}
		require.Equal(t, results[0].ID, page.Events[len(page.Events)-1].ID)
	}
}
