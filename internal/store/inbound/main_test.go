package inbound

import (
	"crypto/rand"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/store"
	"github.com/malotehq/malote/internal/store/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// world is a database and the records in it.
type world struct {
	*testing.T
	*Records
	store *store.Store
}

func newWorld(t *testing.T) *world {
	s := pgtest.Open(t)
	return &world{t, New(s, Options{}), s}
}

func (w *world) exec(sql string, parameters ...any) {
	w.Helper()
	_, err := w.pool.Exec(w.Context(), sql, parameters...)
	require.NoError(w, err)
}

func (w *world) count(sql string, parameters ...any) (n int) {
	w.Helper()
	require.NoError(w, w.pool.QueryRow(w.Context(), sql, parameters...).Scan(&n))
	return n
}

// source makes a source of a tenant.
func (w *world) source(tenant string) delivery.ID {
	w.Helper()
	shard := delivery.ShardOf(tenant)
	id := newID(tenant, time.Now())
	w.exec(`INSERT INTO malote.tenants (shard, id) VALUES ($1, $2) ON CONFLICT DO NOTHING`, shard, tenant)
	w.exec(`INSERT INTO malote.sources (shard, id, tenant, name, provider) VALUES ($1, $2, $3, 's', 'p')`, shard, id, tenant)
	return id
}

func (w *world) deleteSource(id delivery.ID) {
	w.Helper()
	w.exec(`UPDATE malote.sources SET deleted_at = now() WHERE id = $1`, id)
}

func newID(tenant string, at time.Time) delivery.ID {
	return delivery.NewID(delivery.ShardOf(tenant), at, rand.Reader)
}
