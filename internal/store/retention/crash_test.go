package retention

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

// steps that a run over a day with something needed comes by.
var steps = []string{
	"go through events", "rebuild deliveries", "exchange deliveries", "rebuild events", "exchange events",
	"go through attempts", "exchange attempts",
}

// partlyNeeded is a day of which some is needed, and what of it.
func partlyNeeded(t *testing.T) (*world, contents) {
	w := newWorld(t, 40)
	dead := w.add(row{at: noon(40), state: delivery.Dead, attempts: []int{0}})
	pending := w.add(row{at: noon(40), state: delivery.Pending, attempts: []int{0}})
	for range 5 {
		w.add(row{at: noon(40), state: delivery.Delivered, attempts: []int{0}})
	}
	both := sorted([]delivery.ID{dead.event, pending.event})
	return w, contents{
		events: both, renderings: both, deliveries: {dead.delivery}, "queue": {pending.delivery},
		attempts: sorted(append(dead.tokens, pending.tokens...)),
	}
}

func TestRetire_MayEndAnywhere(t *testing.T) {
	t.Parallel()
	w, needed := partlyNeeded(t)
	for _, last := range steps {
		ctx, crash := context.WithCancel(t.Context())
		w.keeper.step = func(step string) {
			if step == last {
				crash()
			}
		}
		_, err := w.keeper.Retire(ctx, time.Now())
		require.ErrorIs(t, err, context.Canceled, last)
		w.has(needed)
	}
	w.finishes(needed)
}

func TestRetire_MayLoseItsConnectionsAnywhere(t *testing.T) {
	t.Parallel()
	w, needed := partlyNeeded(t)
	executioner, err := pgx.Connect(t.Context(), w.dsn)
	require.NoError(t, err)
	defer executioner.Close(t.Context())
	for _, last := range []string{"exchange deliveries", "exchange events", "exchange attempts"} {
		w.keeper.step = func(step string) {
			if step != last {
				return
			}
			_, err := executioner.Exec(t.Context(), `SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
				WHERE datname = current_database() AND pid <> pg_backend_pid()`)
			require.NoError(t, err)
		}
		_, err := w.keeper.Retire(t.Context(), time.Now())
		require.Error(t, err, last)
		require.Eventually(w, func() bool { return w.store.Ping(w.Context()) == nil }, 10*time.Second, 10*time.Millisecond)
		w.has(needed)
	}
	w.finishes(needed)
}

// has says that all that is needed is there.
func (w *world) has(needed contents) {
	w.Helper()
	require.Zero(w, w.strays())
	for table, ids := range w.contents() {
		require.Subset(w, ids, needed[table], table)
	}
}

// finishes says that the next run does what is left, and leaves just that.
func (w *world) finishes(needed contents) {
	w.Helper()
	w.keeper.step = func(string) {}
	w.retire()
	require.Equal(w, needed, w.contents())
}
