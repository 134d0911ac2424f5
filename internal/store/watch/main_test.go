package watch

import (
	"crypto/rand"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/circuit"
	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
	"github.com/malotehq/malote/internal/store"
	"github.com/malotehq/malote/internal/store/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// world is a database and a watcher over it.
type world struct {
	*testing.T
	*Watcher
	store *store.Store
}

func newWorld(t *testing.T) *world {
	s := pgtest.Open(t)
	return &world{t, New(s, Options{Circuits: presets}), s}
}

func presets(name string) (*circuit.Settings, error) {
	if p, known := policy.Preset(name); known {
		return &p.Circuit, nil
	}
	return nil, errors.New("no such policy")
}

func (w *world) exec(sql string, parameters ...any) {
	w.Helper()
	_, err := w.store.Pool().Exec(w.Context(), sql, parameters...)
	require.NoError(w, err)
}

func (w *world) tenant(name string) {
	w.Helper()
	w.exec(`INSERT INTO malote.tenants (shard, id) VALUES ($1, $2) ON CONFLICT DO NOTHING`, delivery.ShardOf(name), name)
}

// failing makes an endpoint that has been failing for so long.
func (w *world) failing(contract string, since time.Duration) delivery.ID {
	w.Helper()
	w.tenant("acme")
	shard := delivery.ShardOf("acme")
	id := delivery.NewID(shard, time.Now(), rand.Reader)
	w.exec(`INSERT INTO malote.endpoints (shard, id, tenant, url, policy) VALUES ($1, $2, 'acme', 'https://acme.example/', $3)`, shard, id, contract)
	w.exec(`INSERT INTO malote.lanes (shard, endpoint_id, tenant, max_in_flight, lease_seconds, claim_limit,
			consecutive_failures, first_failure_at, last_failure_at)
		VALUES ($1, $2, 'acme', 4, 60, 4, 30, now() - make_interval(secs => $3), now())`, shard, id, since.Seconds())
	return id
}

// later lets time go by for an endpoint.
func (w *world) later(d time.Duration) {
	w.exec(`UPDATE malote.lanes SET first_failure_at = first_failure_at - make_interval(secs => $1)`, d.Seconds())
}

// lane says what is stored of an endpoint.
func (w *world) lane(id delivery.ID) (status string, level int) {
	w.Helper()
	require.NoError(w, w.store.Pool().QueryRow(w.Context(),
		`SELECT status, warned_level FROM malote.lanes WHERE endpoint_id = $1`, id).Scan(&status, &level))
	return status, level
}

func (w *world) endpoints() Raised {
	w.Helper()
	raised, err := w.Endpoints(w.Context())
	require.NoError(w, err)
	return raised
}

func (w *world) deadLetters() Raised {
	w.Helper()
	raised, err := w.DeadLetters(w.Context())
	require.NoError(w, err)
	return raised
}

func (w *world) list(filter Filter) []Signal {
	w.Helper()
	page, err := w.Signals(w.Context(), filter, delivery.ID{}, 0)
	require.NoError(w, err)
	return page.Signals
}

// died writes what a completion does when deliveries enter the DLQ: n of them, so
// long ago.
func (w *world) died(tenant string, n int, ago time.Duration, trigger delivery.Trigger) []delivery.ID {
	w.Helper()
	w.tenant(tenant)
	shard, at := delivery.ShardOf(tenant), time.Now().Add(-ago)
	batch := &pgx.Batch{}
	ids := make([]delivery.ID, n)
	for i := range ids {
		ids[i] = delivery.NewID(shard, time.Now(), rand.Reader)
		batch.Queue(`INSERT INTO malote.deliveries (shard, id, endpoint_id, event_id, tenant, state, trigger, closed_at)
			VALUES ($1, $2, $2, $2, $3, 'dead', $4, $5)`, shard, ids[i], tenant, trigger, at)
		batch.Queue(`INSERT INTO malote.signals (shard, id, tenant, delivery_id, kind, created_at)
			VALUES ($1, $2, $3, $4, 'delivery_dead', $5)`, shard, delivery.NewID(shard, at, rand.Reader), tenant, ids[i], at)
	}
	require.NoError(w, w.store.Pool().SendBatch(w.Context(), batch).Close())
	return ids
}

// agoSignals makes signals of a kind older.
func (w *world) agoSignals(kind delivery.SignalKind, by time.Duration) {
	w.exec(`UPDATE malote.signals SET created_at = created_at - make_interval(secs => $2) WHERE kind = $1`, kind, by.Seconds())
}
