package store_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
	"github.com/malotehq/malote/internal/store/pgtest"
)

func TestFairQueue_F13_NewerReplacesPending(t *testing.T) {
	f := newFixture(t)
	f.endpoint("acme", 4)
	f.publish(draft("acme", "old", coalesced("order-7")))
	newer := f.publish(draft("acme", "new", coalesced("order-7")), draft("acme", "fact"), draft("acme", "fact"))
	require.Equal(t, map[string]int{"pending": 3, "superseded": 1}, f.states(), "facts are never coalesced")

	claims := f.claim(10)
	require.Len(t, claims, 3)
	for _, c := range claims {
		if c.Event.CoalesceKey == "" {
			continue
		}
		// Trap (b): the new event's id, time and age.
		require.Equal(t, newer[0].ID, c.Event.ID)
		require.Equal(t, "new", string(c.Event.Body))
		require.Equal(t, newer[0].ID.Time().UnixMilli(), c.DeliveryID.Time().UnixMilli())
	}
	require.Equal(t, "replaced_by_newer", scalar[string](f, `SELECT reason FROM malote.deliveries WHERE superseded_by IS NOT NULL`))
}

func TestFairQueue_F13_WithinOneBatchTheLastWins(t *testing.T) {
	f := newFixture(t)
	f.endpoint("acme", 4)
	f.publish(draft("acme", "1", coalesced("k")), draft("acme", "2", coalesced("k")), draft("acme", "3", coalesced("k")))
	require.Equal(t, map[string]int{"pending": 1, "superseded": 2}, f.states())
	require.Equal(t, "3", string(f.claim(5)[0].Event.Body))
}

func TestFairQueue_F13_FailedWhileNewerIsPendingEndsSuperseded(t *testing.T) {
	f := newFixture(t)
	f.endpoint("acme", 4)
	f.publish(draft("acme", "A", coalesced("k")))
	sending := f.claim(1)
	f.publish(draft("acme", "B", coalesced("k")), draft("acme", "other"))
	require.Equal(t, map[string]int{"sending": 1, "pending": 2}, f.states(), "trap (a): what is being sent stays")

	others := f.claim(10)
	require.Len(t, others, 1, "I8: the queue goes on, but B waits for A to end")
	require.Equal(t, "other", string(others[0].Event.Body))

	f.answer(500, sending...)
	require.Equal(t, map[string]int{"sending": 1, "pending": 1, "superseded": 1}, f.states())
	next := f.claim(10)
	require.Len(t, next, 1, "A's end woke the lane for B")
	require.Equal(t, "B", string(next[0].Event.Body))
}

func TestFairQueue_F13_I8_CoalescingNeverBlocks(t *testing.T) {
	f := newFixture(t)
	f.noCircuit()
	const publishers, each, entities = 4, 40, 3
	f.endpoint("acme", 2)
	group, ctx := errgroup.WithContext(t.Context())
	for p := range publishers {
		publisher := pgtest.OpenDSN(t, f.dsn)
		group.Go(func() error {
			for i := range each {
				d := draft("acme", fmt.Sprintf("%d-%d", p, i), coalesced(fmt.Sprintf("entity-%d", i%entities)))
				if _, err := f.publishOn(ctx, publisher, d); err != nil {
					return err
				}
			}
			return nil
		})
	}
	stop := make(chan struct{})
	worked := make(chan error, 1)
	go func() {
		for status := 200; ; status = 700 - status { // 200, 500, 200, …
			select {
			case <-stop:
				worked <- nil
				return
			default:
			}
			if err := f.workAs(t.Context(), status); err != nil {
				worked <- err
				return
			}
		}
	}()
	require.NoError(t, group.Wait(), "no publisher may fail or wait for ever")
	close(stop)
	require.NoError(t, within(t, worked, "the worker ends"))
	counts := f.states()
	require.LessOrEqual(t, counts["pending"]+counts["sending"], entities, "F13: as long as the number of entities")
	total := 0
	for _, n := range counts {
		total += n
	}
	require.Equal(t, publishers*each, total, "every delivery has its record")
}

// workAs claims and answers with a status.
func (f *fixture) workAs(ctx context.Context, status int) error {
	claimed, err := f.store.Claim(ctx, 4)
	if err != nil || len(claimed.Claims) == 0 {
		return err
	}
	var done []policy.Completion
	for _, c := range claimed.Claims {
		done = append(done, f.completion(c, delivery.Outcome{Status: status, StartedAt: c.ClaimedAt}))
	}
	_, err = f.store.Complete(ctx, done)
	return err
}
