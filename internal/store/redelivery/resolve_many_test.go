package redelivery

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

func TestResolveMany_D11_ThoseThatAreDead(t *testing.T) {
	t.Parallel()
	s, w := seeded(t)
	endpoint, foreign := s.endpoint("acme"), s.endpoint("globex")
	var ids []delivery.ID
	for _, state := range delivery.States {
		ids = append(ids, s.delivery(row{tenant: "acme", endpoint: endpoint, state: state}))
	}
	another := s.delivery(row{tenant: "globex", endpoint: foreign, state: delivery.Dead})
	unknown := delivery.FloorID(time.Now())

	_, err := w.ResolveMany(t.Context(), ids, "", "too short")
	require.ErrorIs(t, err, ErrResolution)
	results, err := w.ResolveMany(t.Context(), append(ids, another, unknown, ids[0]), "acme", " told the customer ")
	require.NoError(t, err)
	require.Len(t, results, len(ids)+2)
	for i, state := range delivery.States {
		want := Resolved{ID: ids[i], Tenant: "acme", State: state}
		if state == delivery.Dead {
			want.State, want.Done = delivery.Resolved, true
			require.Equal(t, 1, s.count(`SELECT count(*) FROM malote.deliveries WHERE shard = $1 AND id = $2
				AND reason = 'resolved_by_user' AND resolution = 'told the customer'`, ids[i].Shard(), ids[i]))
		}
		require.Equal(t, want, results[i])
		require.Equal(t, want.State, s.stateOf(ids[i]))
	}
	require.Equal(t, []Resolved{{ID: another}, {ID: unknown}}, results[len(ids):])
	require.Equal(t, delivery.Dead, s.stateOf(another), "another tenant's")

	results, err = w.ResolveMany(t.Context(), []delivery.ID{another, ids[0]}, "", "told the customer")
	require.NoError(t, err)
	require.True(t, results[0].Done)
	require.False(t, results[1].Done)
}
