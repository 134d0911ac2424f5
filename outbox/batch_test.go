package outbox_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/malotehq/malote/internal/store/outbox"
	public "github.com/malotehq/malote/outbox"
)

func TestPublishBatch_WritesWhatWasSaidInOrder(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	for way, write := range s.writers(t) {
		var events []public.Event
		var want []outbox.Row
		for _, c := range cases() {
			events, want = append(events, c.event), append(want, c.row)
		}
		for i := range 200 {
			name := fmt.Sprint("n", i)
			events = append(events, public.Event{Tenant: "acme", Type: name, Data: json.RawMessage(`1`)})
			want = append(want, outbox.Row{Tenant: "acme", Type: name, Body: []byte(`1`)})
		}
		var ids []public.ID
		write(t, func(tx public.Tx) {
			var err error
			ids, err = public.PublishBatch(t.Context(), tx, events)
			require.NoError(t, err, way)
		})
		rows := s.take(t)
		require.Len(t, rows, len(want), way)
		require.Len(t, ids, len(want), way)
		for i, row := range rows {
			requireRow(t, want[i], row, ids[i], way)
		}
	}
}

func TestPublishBatch_OfNone(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	for _, write := range s.writers(t) {
		write(t, func(tx public.Tx) {
			ids, err := public.PublishBatch(t.Context(), tx, []public.Event{})
			require.NoError(t, err)
			require.Empty(t, ids)
		})
	}
}

// Whatever the checks let pass, the database takes, and it makes no difference
// whether events go together or one by one.
func TestPublishBatch_IsPublishOfEach(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	write := s.writers(t)["pgx, cache statement"]
	rapid.Check(t, func(rt *rapid.T) {
		events := rapid.SliceOfN(anyEvent().Filter(isValid), 1, 5).Draw(rt, "events")
		var ids []public.ID
		write(rt, func(tx public.Tx) {
			batch, err := public.PublishBatch(t.Context(), tx, events)
			require.NoError(rt, err)
			ids = batch
			for _, event := range events {
				id, err := public.Publish(t.Context(), tx, event)
				require.NoError(rt, err)
				ids = append(ids, id)
			}
		})
		rows := s.take(rt)
		require.Len(rt, rows, 2*len(events))
		for i, together := range rows[:len(events)] {
			requireRow(rt, together, rows[len(events)+i], ids[len(events)+i], "alone")
			require.Equal(rt, ids[i].String(), together.ID)
		}
	})
}
