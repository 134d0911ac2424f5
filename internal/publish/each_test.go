package publish

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

func TestPublishEach_WhatOneIsRefusedForIsNoMatterOfTheOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		requests := events(6, 0)
		requests[1].Data = []byte("{")
		requests[4].Data = make([]byte, maxGroupBytes+1)
		r := start(t, &ledger{refusesOne: func(d *delivery.Draft) error {
			if d.Event.Type == requests[2].Type {
				return delivery.ErrKeyReused
			}
			return nil
		}}, 1)
		outcomes, err := r.PublishEach(t.Context(), requests)
		require.NoError(t, err)
		require.Len(t, outcomes, 6)
		for i, outcome := range outcomes {
			switch i {
			case 1:
				require.ErrorAs(t, outcome.Err, new(*InvalidError))
			case 2:
				require.ErrorIs(t, outcome.Err, delivery.ErrKeyReused)
				require.ErrorContains(t, outcome.Err, "event 2")
			case 4:
				require.ErrorAs(t, outcome.Err, new(*TooLargeError))
			default:
				require.NoError(t, outcome.Err)
				require.False(t, outcome.ID.IsZero())
			}
		}
		require.Equal(t, [][]string{{requests[0].Type, requests[2].Type, requests[3].Type, requests[5].Type}}, r.ledger.committed(), "one transaction, in order")
		units := map[int]bool{}
		for _, draft := range r.ledger.commits[0] {
			units[draft.Unit] = true
		}
		require.Len(t, units, 4, "each for itself")
	})
}

func TestPublishEach_NothingToWriteAsksNobody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, &ledger{}, 1)
		bad := events(1, 0)
		bad[0].Tenant = ""
		outcomes, err := r.PublishEach(t.Context(), bad)
		require.NoError(t, err)
		require.Error(t, outcomes[0].Err)
		require.Empty(t, r.ledger.commits)
	})
}

func TestPublishEach_AFailureIsOfAll(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		away := errors.New("away")
		r := start(t, &ledger{commitTime: time.Millisecond, refuses: func(context.Context, []*delivery.Draft) error { return away }}, 1)
		_, err := r.PublishEach(t.Context(), events(3, 0))
		require.ErrorIs(t, err, away)
	})
}

func TestPublishOwn_NobodyElsePublishesForMalote(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, &ledger{}, 1)
		forged := events(1, 0)
		forged[0].Tenant = delivery.OwnTenant
		_, err := r.Publish(t.Context(), forged)
		refused, ok := errors.AsType[*InvalidError](err)
		require.True(t, ok, err)
		require.Equal(t, Field("tenant"), refused.Field)
		outcomes, err := r.PublishEach(t.Context(), forged)
		require.NoError(t, err)
		require.ErrorAs(t, outcomes[0].Err, new(*InvalidError), "nor by an outbox")
		require.Empty(t, r.ledger.commits)

		outcomes, err = r.PublishOwn(t.Context(), events(2, 0))
		require.NoError(t, err)
		for i, draft := range r.ledger.commits[0] {
			require.NoError(t, outcomes[i].Err)
			require.Equal(t, delivery.OwnTenant, draft.Event.Tenant)
		}
	})
}

// An earlier round of a shared publish may be committed when a later one fails:
// its lanes are looked at, or they wait for the sweep (I4).
func TestGroup_LanesOfWhatWasCommittedAreWokenBesideAnError(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, &ledger{}, 1)
		id := newID()
		storage := halfway{lane: delivery.LaneRef{EndpointID: id}}
		r.Service.group.storage = storage
		_, err := r.Publish(t.Context(), events(1, 0))
		require.ErrorIs(t, err, errAway)
		require.True(t, r.waker.has(id))
	})
}

// halfway is a storage that fails in its second round.
type halfway struct{ lane delivery.LaneRef }

func (h halfway) Publish(context.Context, []*delivery.Draft, delivery.Planner) ([]delivery.Published, []delivery.LaneRef, error) {
	return nil, []delivery.LaneRef{h.lane}, errAway
}
