package notices

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

// world is a database and notices in it.
type world struct {
	*testing.T
	*Store
	store *store.Store
}

func newWorld(t *testing.T) *world {
	s := pgtest.Open(t)
	return &world{t, New(s), s}
}

func (w *world) exec(sql string, parameters ...any) {
	w.Helper()
	_, err := w.store.Pool().Exec(w.Context(), sql, parameters...)
	require.NoError(w, err)
}

func scalar[T any](w *world, sql string, parameters ...any) (value T) {
	w.Helper()
	require.NoError(w, w.store.Pool().QueryRow(w.Context(), sql, parameters...).Scan(&value))
	return value
}

func (w *world) tenant(name string, contacts delivery.Contacts) {
	w.Helper()
	if contacts.AlertEmails == nil {
		contacts.AlertEmails = []string{}
	}
	w.exec(`INSERT INTO malote.tenants (shard, id, alert_emails, technical_contact) VALUES ($1, $2, $3, $4)
		ON CONFLICT (shard, id) DO UPDATE SET alert_emails = excluded.alert_emails, technical_contact = excluded.technical_contact`,
		delivery.ShardOf(name), name, contacts.AlertEmails, contacts.TechnicalContact)
}

// raise writes a signal as others do, which know nothing of notices.
func (w *world) raise(tenant string, kind delivery.SignalKind, ago time.Duration) delivery.ID {
	w.Helper()
	at := time.Now().Add(-ago)
	id := delivery.NewID(delivery.ShardOf(tenant), at, rand.Reader)
	w.exec(`INSERT INTO malote.signals (shard, id, tenant, kind, detail, created_at) VALUES ($1, $2, $3, $4, 'x', $5)`,
		delivery.ShardOf(tenant), id, tenant, kind, at)
	return id
}

// everything settles all signals with a notice of the first.
func everything(untold delivery.Untold) (telling delivery.Telling) {
	for _, s := range untold.Signals {
		telling.Settled = append(telling.Settled, s.ID)
	}
	telling.Told = []delivery.SignalKind{untold.Signals[0].Kind}
	telling.Notices = []delivery.Notice{{
		Key: untold.Signals[0].ID.Format(delivery.SignalPrefix), Kind: untold.Signals[0].Kind, Type: "malote.x", Data: []byte(`{"n":1}`),
		OccurredAt: untold.Signals[0].At,
	}}
	return telling
}

func ids(signals []delivery.Signal) (list []delivery.ID) {
	for _, s := range signals {
		list = append(list, s.ID)
	}
	return list
}
