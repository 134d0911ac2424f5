package publish

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

func TestService_NothingOfABadBatchIsTaken(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, &ledger{}, 1)
		batch := events(3, 0)
		batch[2].Data = []byte("{")
		_, err := r.Publish(t.Context(), batch)
		var invalid *InvalidError
		require.ErrorAs(t, err, &invalid)
		require.Equal(t, 2, invalid.Index)
		require.Empty(t, r.ledger.commits)

		results, err := r.Publish(t.Context(), nil)
		require.NoError(t, err)
		require.Empty(t, results)
	})
}

func TestService_ARefusalSaysWhyAndIsCounted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, &ledger{refusesOne: func(*delivery.Draft) error { return delivery.ErrKeyReused }}, 1)
		_, err := r.Publish(t.Context(), events(3, 0))
		require.ErrorIs(t, err, delivery.ErrKeyReused)
		require.ErrorAs(t, err, new(*RefusedError))
		require.Equal(t, 3, r.observer.refused)
		require.Zero(t, r.observer.events+r.observer.duplicates)
	})
}

func TestService_CountsEventsAndDuplicates(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, &ledger{}, 1)
		results, err := r.Publish(t.Context(), events(200, 0))
		require.NoError(t, err)
		duplicates := 0
		for _, result := range results {
			if result.Duplicate {
				duplicates++
			}
		}
		require.Equal(t, duplicates, r.observer.duplicates)
		require.Equal(t, 200-duplicates, r.observer.events)
	})
}

func TestService_PublishesATest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, target := start(t, &ledger{}, 1), newID()
		event, err := r.PublishTest(t.Context(), "acme", target)
		require.NoError(t, err)
		draft := r.ledger.commits[0][0]
		require.Equal(t, event, draft.Event.ID)
		require.Equal(t, TestType, draft.Event.Type)
		require.Equal(t, delivery.TriggerTest, draft.Trigger)
		require.Equal(t, []delivery.ID{target}, draft.EndpointIDs)

		r.ledger.refusesOne = func(*delivery.Draft) error { return delivery.ErrUnknownEndpoint }
		_, err = r.PublishTest(t.Context(), "acme", target)
		require.ErrorIs(t, err, delivery.ErrUnknownEndpoint)
		_, err = r.PublishTest(t.Context(), "no/tenant", target)
		require.ErrorAs(t, err, new(*InvalidError))
	})
}

func TestService_WaitsForRunToBegin(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := New(Options{Storage: &ledger{}, Policies: presets{}, Waker: &woken{}, Observer: &counted{}})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := s.Publish(ctx, events(1, 0))
		require.ErrorIs(t, err, context.DeadlineExceeded)
	})
}
