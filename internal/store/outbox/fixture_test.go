package outbox_test

import (
	"context"
	"crypto/rand"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/store/outbox"
	"github.com/malotehq/malote/internal/store/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// everything that Take may take at once.
const (
	manyRows  = 1000
	manyBytes = 1 << 30
)

// shop is an application's database with an outbox, and three roles with no more
// rights than they are granted.
type shop struct {
	*testing.T
	owner, publisher, relay string // DSNs
	conn                    *pgx.Conn
}

func newShop(t *testing.T) *shop {
	t.Helper()
	dsn := pgtest.EmptyDSN(t)
	s := &shop{T: t, conn: connect(t, dsn)}
	name, _ := url.Parse(dsn)
	s.owner = s.role(dsn, "CREATE ON DATABASE "+strings.TrimPrefix(name.Path, "/"))
	s.publisher, s.relay = s.role(dsn, ""), s.role(dsn, "")
	version, err := outbox.Install(t.Context(), s.owner)
	require.NoError(t, err)
	require.Equal(t, outbox.Newest(), version)
	owner := connect(t, s.owner)
	for _, statement := range outbox.Grants([]string{userOf(s.publisher)}, []string{userOf(s.relay)}) {
		execute(t, owner, statement)
	}
	return s
}

const password = "correct-horse-battery-staple"

// role makes one that may log in, and gives its DSN.
func (s *shop) role(dsn, right string) string {
	s.Helper()
	name := "role_" + strings.ToLower(rand.Text())
	execute(s.T, s.conn, "CREATE ROLE "+name+" LOGIN PASSWORD '"+password+"'")
	s.Cleanup(func() {
		conn, err := pgx.Connect(context.Background(), dsn)
		require.NoError(s.T, err)
		defer conn.Close(context.Background()) //nolint:errcheck // the test is over
		_, err = conn.Exec(context.Background(), "DROP OWNED BY "+name+" CASCADE; DROP ROLE "+name)
		require.NoError(s.T, err)
	})
	if right != "" {
		execute(s.T, s.conn, "GRANT "+right+" TO "+name)
	}
	address, err := url.Parse(dsn)
	require.NoError(s.T, err)
	address.User = url.UserPassword(name, password)
	return address.String()
}

func userOf(dsn string) string {
	address, _ := url.Parse(dsn)
	return address.User.Username()
}

// outbox opens the relay's view, with only the relay's rights.
func (s *shop) outbox() *outbox.Outbox { return open(s.T, s.relay) }

func open(t *testing.T, dsn string) *outbox.Outbox {
	t.Helper()
	box := outbox.New(dsn)
	t.Cleanup(box.Close)
	return box
}

// publish runs SELECT malote.publish…(arguments) as the publisher and gives the id.
func (s *shop) publish(call string, arguments ...any) string {
	s.Helper()
	var id string
	require.NoError(s.T, connect(s.T, s.publisher).QueryRow(s.Context(), "SELECT malote."+call+"::text", arguments...).Scan(&id))
	return id
}

// takeAll takes whatever there is and gives it back.
func (s *shop) takeAll() []outbox.Row {
	s.Helper()
	batch, err := s.outbox().Take(s.Context(), 0, manyRows, manyBytes)
	require.NoError(s.T, err)
	if len(batch.Rows) > 0 {
		batch.Release(s.Context())
	}
	return batch.Rows
}

// count counts a table's rows.
func (s *shop) count(table string) (n int) {
	s.Helper()
	require.NoError(s.T, s.conn.QueryRow(s.Context(), "SELECT count(*) FROM malote."+table).Scan(&n))
	return n
}

func connect(t *testing.T, dsn string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close(context.Background()) }) //nolint:errcheck // the test is over
	return conn
}

func execute(t *testing.T, conn *pgx.Conn, statement string, arguments ...any) {
	t.Helper()
	_, err := conn.Exec(t.Context(), statement, arguments...)
	require.NoError(t, err, statement)
}

// encodedDSN is an empty database of another encoding.
func encodedDSN(t *testing.T, encoding string) string {
	t.Helper()
	dsn := pgtest.EmptyDSN(t)
	name := "encoded_" + strings.ToLower(rand.Text())
	execute(t, connect(t, dsn), "CREATE DATABASE "+name+" ENCODING '"+encoding+"' LOCALE 'C' TEMPLATE template0")
	t.Cleanup(func() {
		conn, err := pgx.Connect(context.Background(), dsn)
		require.NoError(t, err)
		defer conn.Close(context.Background()) //nolint:errcheck // the test is over
		_, err = conn.Exec(context.Background(), "DROP DATABASE "+name+" WITH (FORCE)")
		require.NoError(t, err)
	})
	address, err := url.Parse(dsn)
	require.NoError(t, err)
	address.Path = "/" + name
	return address.String()
}
