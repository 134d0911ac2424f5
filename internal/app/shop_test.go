package app_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/malotehq/malote/internal/store/outbox"
	"github.com/malotehq/malote/internal/store/pgtest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// shop is an application with a table of its own beside the outbox.
type shop struct {
	t   *testing.T
	dsn string // as the application: it may publish and keep orders, no more
}

// newShop installs an outbox in a database of the application's own, and gives
// the relay's DSN.
func newShop(t *testing.T) (_ *shop, relay string) {
	t.Helper()
	owner := pgtest.EmptyDSN(t)
	_, err := outbox.Install(t.Context(), owner)
	require.NoError(t, err)
	publisher, carrier := loginRole(t, owner), loginRole(t, owner)
	conn := connectTo(t, owner)
	for _, statement := range outbox.Grants([]string{userOf(publisher)}, []string{userOf(carrier)}) {
		_, err := conn.Exec(t.Context(), statement)
		require.NoError(t, err)
	}
	s := &shop{t: t, dsn: publisher}
	s.open(owner, userOf(publisher))
	return s, carrier
}

// sharingShop keeps its table in Malote's own database.
func sharingShop(t *testing.T, dsn string) *shop {
	s := &shop{t: t, dsn: dsn}
	s.open(dsn, userOf(dsn))
	return s
}

func (s *shop) open(owner, user string) {
	_, err := connectTo(s.t, owner).Exec(s.t.Context(), `CREATE TABLE public.orders (id text PRIMARY KEY);
		GRANT SELECT, INSERT ON public.orders TO `+pgx.Identifier{user}.Sanitize())
	require.NoError(s.t, err)
}

// loginRole makes a role without any right, and gives the DSN as it.
func loginRole(t *testing.T, dsn string) string {
	t.Helper()
	address, err := url.Parse(dsn)
	require.NoError(t, err)
	name := fmt.Sprintf("role_%016x", rand.Uint64())
	_, err = connectTo(t, dsn).Exec(t.Context(), "CREATE ROLE "+name+" LOGIN PASSWORD 'horse'")
	require.NoError(t, err)
	t.Cleanup(func() {
		conn, err := pgx.Connect(context.Background(), dsn)
		require.NoError(t, err)
		defer conn.Close(context.Background()) //nolint:errcheck // the test is over
		_, err = conn.Exec(context.Background(), "DROP OWNED BY "+name+" CASCADE; DROP ROLE "+name)
		require.NoError(t, err)
	})
	address.User = url.UserPassword(name, "horse")
	return address.String()
}

func userOf(dsn string) string {
	address, _ := url.Parse(dsn)
	return address.User.Username()
}

func connectTo(t *testing.T, dsn string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close(context.Background()) }) //nolint:errcheck // the test is over
	return conn
}

// orders are what was committed, sorted.
func (s *shop) orders() []string { return texts(s.t, s.dsn, `SELECT id FROM public.orders`) }

func texts(t *testing.T, dsn, query string) []string {
	t.Helper()
	rows, _ := connectTo(t, dsn).Query(t.Context(), query)
	list, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	slices.Sort(list)
	return list
}

// published are the events by the orders that they tell of, with repeats, sorted.
func published(t *testing.T, malote string) []string {
	return texts(t, malote, `SELECT external_id FROM malote.events WHERE type = 'order.paid'`)
}

// awaitCarried waits until nothing is left in an outbox, and fails if a row was
// refused.
func awaitCarried(t *testing.T, dsn string) {
	t.Helper()
	conn := connectTo(t, dsn)
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		var waiting, refused int
		require.NoError(c, conn.QueryRow(context.Background(),
			`SELECT (SELECT count(*) FROM malote.outbox), (SELECT count(*) FROM malote.outbox_refused)`).Scan(&waiting, &refused))
		require.Zero(c, waiting)
		require.Zero(c, refused)
	}, 60*time.Second, 50*time.Millisecond)
}
