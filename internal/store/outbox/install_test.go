package outbox_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/store/outbox"
	"github.com/malotehq/malote/internal/store/pgtest"
)

func TestGrants_PublishersCanPublishAndNoMore(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.publish(`publish('acme', 'a', '1')`)
	publisher := connect(t, s.publisher)
	for _, forbidden := range []string{
		`SELECT * FROM malote.outbox`, `DELETE FROM malote.outbox`, `UPDATE malote.outbox SET tenant = 'globex'`, `TRUNCATE malote.outbox`,
		`SELECT * FROM malote.outbox_refused`, `SELECT * FROM malote.outbox_migrations`, `INSERT INTO malote.outbox (position) VALUES (1)`,
		`CREATE TABLE malote.x (i int)`, `DROP TABLE malote.outbox`,
	} {
		_, err := publisher.Exec(t.Context(), forbidden)
		var refusal *pgconn.PgError
		require.ErrorAs(t, err, &refusal, forbidden)
		require.Equal(t, "42501", refusal.Code, forbidden)
	}
	stranger := connect(t, s.role(s.conn.Config().ConnString(), ""))
	_, err := stranger.Exec(t.Context(), `SELECT malote.publish('acme', 'a', '1')`)
	require.Error(t, err)
}

func TestPublish_RefusesWhatMaloteWould(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	conn := connect(t, s.publisher)
	for name, call := range map[string]string{
		"no tenant": `publish(NULL, 'a', '1')`, "no type": `publish('acme', NULL, '1')`, "no data": `publish('acme', 'a', NULL::jsonb)`,
		"no JSON": `publish_json('acme', 'a', '{')`, "two values": `publish_json('acme', 'a', '1 2')`, "no body": `publish('acme', 'a', NULL::bytea, 'text/plain')`,
		"long key":        `publish('acme', 'a', '1', idempotency_key => repeat('k', 257))`,
		"long id":         `publish('acme', 'a', '1', aggregate_type => repeat('k', 200), aggregate_id => repeat('k', 60))`,
		"content type":    `publish('acme', 'a', 'x'::bytea, E'text/plain\r\nX: y')`,
		"no such year":    `publish('acme', 'a', '1', occurred_at => 'infinity')`,
		"no endpoint":     `publish('acme', 'a', '1', endpoint_ids => '{}')`,
		"a NULL endpoint": `publish('acme', 'a', '1', endpoint_ids => ARRAY[NULL]::text[])`,
		"no endpoint id":  `publish('acme', 'a', '1', endpoint_ids => '{evt_1}')`,
	} {
		_, err := conn.Exec(t.Context(), "SELECT malote."+call)
		require.Error(t, err, name)
	}
	require.Zero(t, s.count("outbox"))
}

// Names are those that the rest of Malote takes.
func TestPublish_TakesTheNamesThatMaloteTakes(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	conn := connect(t, s.publisher)
	for _, name := range []string{
		"a", "A.b-c_9", "", " ", "a b", "a\n", "\na", "é", "a/b", "a,b", "a:b", "a'b", strings.Repeat("x", 64), strings.Repeat("x", 65),
		strings.Repeat("x", 256), strings.Repeat("x", 257), ".", "-",
	} {
		_, err := conn.Exec(t.Context(), `SELECT malote.publish($1, 'a', '1')`, name)
		require.Equal(t, delivery.ValidTenant(name), err == nil, "tenant %q: %v", name, err)
		_, err = conn.Exec(t.Context(), `SELECT malote.publish('acme', $1, '1')`, name)
		require.Equal(t, delivery.ValidType(name), err == nil, "type %q: %v", name, err)
	}
}

func TestInstall_AgainAndAtOnceIsNothing(t *testing.T) {
	t.Parallel()
	dsn := pgtest.EmptyDSN(t)
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			if _, err := outbox.Install(context.Background(), dsn); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	execute(t, connect(t, dsn), `SELECT malote.publish('acme', 'a', '1')`)
	_, err := outbox.Install(t.Context(), dsn)
	require.NoError(t, err)
	version, err := outbox.Version(t.Context(), dsn)
	require.NoError(t, err)
	require.Equal(t, outbox.Newest(), version)
}

func TestOutbox_WithoutOneOrOfAnotherVersion(t *testing.T) {
	t.Parallel()
	empty := pgtest.EmptyDSN(t)
	_, err := open(t, empty).Take(t.Context(), 0, 1, 1)
	require.ErrorIs(t, err, outbox.ErrNotInstalled)
	require.ErrorIs(t, outbox.Uninstall(t.Context(), empty, false), outbox.ErrNotInstalled)

	s := newShop(t)
	for _, other := range []int64{outbox.Newest() + 1, outbox.Newest() + 2} {
		execute(t, s.conn, `INSERT INTO malote.outbox_migrations (version_id, is_applied) VALUES ($1, true)`, other)
		_, err = s.outbox().Lag(t.Context())
		var version *outbox.VersionError
		require.ErrorAs(t, err, &version)
		require.Contains(t, version.Error(), "use a newer malote")
	}
	require.Contains(t, (&outbox.VersionError{Found: 1, Wanted: 2}).Error(), "run malote outbox install again")
}

func TestMalotesOwnIsNotForInstalling(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DSN(t)
	_, err := outbox.Install(t.Context(), dsn)
	require.ErrorIs(t, err, outbox.ErrIsMalote)
	require.ErrorIs(t, outbox.Uninstall(t.Context(), dsn, true), outbox.ErrIsMalote)
	lag, err := open(t, dsn).Lag(t.Context())
	require.NoError(t, err)
	require.Zero(t, lag)
}

func TestUninstall(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	id := s.publish(`publish('acme', 'a', '1')`)
	err := outbox.Uninstall(t.Context(), s.owner, false)
	var held *outbox.NotEmptyError
	require.ErrorAs(t, err, &held)
	require.Equal(t, outbox.NotEmptyError{Waiting: 1}, *held)
	require.Equal(t, id, s.takeAll()[0].ID, "and all is as it was")

	execute(t, s.conn, `CREATE TABLE malote.mine (i int)`)
	require.NoError(t, outbox.Uninstall(t.Context(), s.owner, true))
	execute(t, s.conn, `SELECT * FROM malote.mine`)
	_, err = outbox.Version(t.Context(), s.owner)
	require.ErrorIs(t, err, outbox.ErrNotInstalled)
	execute(t, s.conn, `DROP TABLE malote.mine`)

	_, err = outbox.Install(t.Context(), s.owner)
	require.NoError(t, err)
	require.NoError(t, outbox.Uninstall(t.Context(), s.owner, false))
	var isThere bool
	require.NoError(t, s.conn.QueryRow(t.Context(), `SELECT to_regnamespace('malote') IS NOT NULL`).Scan(&isThere))
	require.False(t, isThere)
}

// No password in what people read.
func TestErrors_KeepThePasswordToThemselves(t *testing.T) {
	t.Parallel()
	for _, dsn := range []string{
		"postgres://u:" + password + "@127.0.0.1:1/x", "postgres://u:" + password + "@[::1/x", "host=127.0.0.1 port=x password=" + password,
		"postgres://u:" + password + "@nowhere.invalid/x", "postgres://u:" + password + "@127.0.0.1:1/x?sslmode=nonsense",
	} {
		_, err := outbox.New(dsn).Lag(t.Context())
		require.Error(t, err)
		require.NotContains(t, err.Error(), password)
		_, err = outbox.Install(t.Context(), dsn)
		require.Error(t, err)
		require.NotContains(t, err.Error(), password)
	}
}
