package main

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/store/pgtest"
)

func TestOutbox_InstallStatusUninstall(t *testing.T) {
	t.Parallel()
	dsn := pgtest.EmptyDSN(t)
	missing := malote(t, "outbox", "status", "--dsn", dsn)
	require.Equal(t, exitFailed, missing.code)
	require.Contains(t, missing.stderr, "run malote outbox install")

	installed := succeeds(t, "outbox", "install", "--dsn", dsn, "--publisher", "shop", "--relay", "carrier")
	require.Contains(t, installed, `GRANT USAGE ON SCHEMA malote TO "shop";`)
	require.Contains(t, installed, `ON malote.outbox TO "carrier";`)
	conn, err := pgx.Connect(t.Context(), dsn)
	require.NoError(t, err)
	defer conn.Close(t.Context()) //nolint:errcheck // the test is over
	_, err = conn.Exec(t.Context(), `SELECT malote.publish('acme', 'a.b', '1')`)
	require.NoError(t, err)
	require.Contains(t, succeeds(t, "outbox", "status", "--dsn", dsn), "1 row waits")
	require.Contains(t, succeeds(t, "outbox", "status", "--dsn", dsn, "--json"), `"waiting":1`)

	held := malote(t, "outbox", "install", "--dsn", dsn, "--uninstall")
	require.Equal(t, exitFailed, held.code)
	require.Contains(t, held.stderr, "1 rows that wait")
	require.Contains(t, held.stderr, "--lose-rows")
	_, err = conn.Exec(t.Context(), `DELETE FROM malote.outbox`)
	require.NoError(t, err)
	require.Contains(t, succeeds(t, "outbox", "install", "--dsn", dsn, "--uninstall"), "gone")

	own := malote(t, "outbox", "install", "--dsn", pgtest.DSN(t))
	require.Equal(t, exitFailed, own.code)
	require.Contains(t, own.stderr, "has its outbox already")
	require.Equal(t, exitUsage, malote(t, "outbox", "retry", "nonsense", "--dsn", dsn).code)
	require.Equal(t, exitUsage, malote(t, "outbox", "retry", "--dsn", dsn).code)
}

func TestServe_RefusesAnOutboxWithoutRepeatingIt(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"postgres://u:hush@h/d", "Shop=postgres://u:hush@h/d", "malote=postgres://u:hush@h/d"} {
		got := malote(t, "serve", "--outbox", bad, "--data-dir", t.TempDir())
		require.NotZero(t, got.code)
		require.NotContains(t, got.stdout+got.stderr, "hush")
	}
}
