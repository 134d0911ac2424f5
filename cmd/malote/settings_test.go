package main

import (
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/localpg"
)

// The way to the private PostgreSQL is the one that package localpg itself has.
func TestRunningPrivateDSN_IsThatOfTheServer(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "malote-cli-") // t.TempDir is closed to PostgreSQL's user
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	require.NoError(t, os.Chmod(dir, passable))
	_, err = runningPrivateDSN(dir)
	require.ErrorIs(t, err, errNoPrivateDatabase)

	server, err := localpg.Start(t.Context(), localpg.Options{DataDir: dir, Ephemeral: true})
	require.NoError(t, err)
	defer func() { require.NoError(t, server.Stop(context.Background())) }()
	dsn, err := runningPrivateDSN(dir)
	require.NoError(t, err)
	require.Equal(t, server.URL(), dsn)
	require.Contains(t, examined(t, "--data-dir", dir)["database"].Found, "PostgreSQL")
}
