package registry

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

func TestFIFO_WhatIsOpenTakesItsPlaceByAge(t *testing.T) {
	t.Parallel()
	r := open(t)
	addTenant(t, r, "acme")
	endpoint, other := addEndpoint(t, r, "acme"), addEndpoint(t, r, "acme")
	sending := addOpen(t, r, endpoint, delivery.Sending, 2)
	pending := addOpen(t, r, endpoint, delivery.Pending, 40)
	addOpen(t, r, other, delivery.Pending, 3)
	// Due in another order than that of their ages.
	execute(t, r, `UPDATE malote.queue SET next_attempt_at = now() - random() * interval '1 hour'`)

	setFIFO := func(to bool) {
		_, err := r.UpdateEndpoint(t.Context(), AnyTenant, endpoint.ID, EndpointPatch{FIFO: ptr(to)}, standard)
		require.NoError(t, err)
	}
	inOrder := func() []delivery.ID {
		return one[[]delivery.ID](t, r, `SELECT array_agg(id ORDER BY fifo_position, id) FROM malote.queue
			WHERE endpoint_id = $1 AND fifo_position < -(1::bigint << 61)`, endpoint.ID)
	}
	setFIFO(true)
	require.Equal(t, append(sending, pending...), inOrder())
	require.Zero(t, one[int](t, r, `SELECT count(*) FROM malote.queue WHERE endpoint_id = $1 AND fifo_position IS NOT NULL`, other.ID),
		"another lane's have no place")

	// Between two times as an ordered lane, deliveries come without a place. The
	// second time they stand behind those that have one of the first.
	execute(t, r, `UPDATE malote.queue SET fifo_position = nextval('malote.fifo_positions') WHERE id = $1`, pending[39])
	setFIFO(true) // already
	require.Len(t, inOrder(), 41, "places of the sequence are left alone while the order holds")
	setFIFO(false)
	between := addOpen(t, r, endpoint, delivery.Pending, 2)
	setFIFO(true)
	require.Equal(t, append(append(sending, pending...), between...), inOrder())
}

// Places are given ahead, step by step, whatever order deliveries are due in.
func TestFIFO_PlacesAheadWithoutTheLane(t *testing.T) {
	t.Parallel()
	r := open(t)
	addTenant(t, r, "acme")
	endpoint := addEndpoint(t, r, "acme")
	pending := addOpen(t, r, endpoint, delivery.Pending, 2*placeBatch+10)
	execute(t, r, `UPDATE malote.queue SET next_attempt_at = date_trunc('hour', now()) + (random() * 5)::integer * interval '1 s'`)
	placed := func() int {
		return one[int](t, r, `SELECT count(*) FROM malote.queue WHERE fifo_position IS NOT NULL`)
	}
	tx, err := r.pool.Begin(t.Context())
	require.NoError(t, err)
	_, err = lockLane(t.Context(), tx, AnyTenant, endpoint.ID) // somebody else has it
	require.NoError(t, err)
	to := EndpointPatch{FIFO: ptr(true)}
	require.ErrorIs(t, r.placeAhead(t.Context(), OfTenant("globex"), endpoint.ID, to, standard), ErrNoEndpoint)
	require.NoError(t, r.placeAhead(t.Context(), AnyTenant, endpoint.ID, EndpointPatch{FIFO: ptr(false)}, standard))
	require.NoError(t, r.placeAhead(t.Context(), AnyTenant, endpoint.ID, EndpointPatch{Policy: ptr("standard")}, standard))
	require.Zero(t, placed())
	require.NoError(t, r.placeAhead(t.Context(), AnyTenant, endpoint.ID, EndpointPatch{Policy: ptr("standard")}, paced))
	require.Equal(t, len(pending), placed())
	require.NoError(t, tx.Rollback(t.Context()))

	_, err = r.UpdateEndpoint(t.Context(), AnyTenant, endpoint.ID, to, standard)
	require.NoError(t, err)
	require.Equal(t, pending, one[[]delivery.ID](t, r, `SELECT array_agg(id ORDER BY fifo_position, id) FROM malote.queue`))

	// Once ordered, places are the sequence's.
	execute(t, r, `UPDATE malote.queue SET fifo_position = nextval('malote.fifo_positions')`)
	require.NoError(t, r.placeAhead(t.Context(), AnyTenant, endpoint.ID, to, standard))
	step := r.pool.QueryRow(t.Context(), placeAheadSQL, endpoint.ID.Shard(), endpoint.ID, nil, [16]byte{}, placeBatch)
	require.ErrorIs(t, step.Scan(nil, nil), pgx.ErrNoRows, "also if it became so between two steps")
	require.Zero(t, one[int](t, r, `SELECT count(*) FROM malote.queue WHERE fifo_position < 0`))
}
