package localpg

import (
	"context"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"
)

// durableSettings are what a server for keeping things must run with.
var durableSettings = map[string]string{
	"listen_addresses":        "",
	"fsync":                   "on",
	"synchronous_commit":      "on",
	"full_page_writes":        "on",
	"data_checksums":          "on",
	"max_connections":         "100",
	"jit":                     "off",
	"server_encoding":         "UTF8",
	"lc_collate":              "C",
	"log_error_verbosity":     "terse",
	"autovacuum_naptime":      "10s",
	"password_encryption":     "scram-sha-256",
	"unix_socket_permissions": "0700",
}

func TestStart_NewClusterIsPrivateAndDurable(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err == nil { // else something on this machine has the port, which is as good
		defer taken.Close()
	}
	dir := filepath.Join(newDataDir(t), `odd "quoted" 'name' & 100% +`)
	began := time.Now()
	server := startWith(t, Options{DataDir: dir, Log: testLog(t)})
	require.Less(t, time.Since(began), 30*time.Second, "ready in seconds, even on a machine busy with tests")

	connection := connect(t, server)
	for name, want := range durableSettings {
		require.Equal(t, want, query[string](t, connection, "SELECT current_setting('"+name+"')"), name)
	}
	require.Equal(t, "malote", query[string](t, connection, "SELECT current_database()"))
	require.EqualValues(t, sharedBuffers(availableMemory())>>20,
		query[int64](t, connection, "SELECT pg_size_bytes(current_setting('shared_buffers')) >> 20"))
	offered := query[[]string](t, connection, "SELECT coalesce(enumvals, '{}') FROM pg_settings WHERE name = 'wal_compression'")
	want := noCompression
	if slices.Contains(offered, quickCompression) {
		want = quickCompression
	}
	require.Equal(t, want, query[string](t, connection, "SELECT current_setting('wal_compression')"), "of %v", offered)

	t.Run("a wrong password is refused", func(t *testing.T) {
		dsn, err := url.Parse(server.URL())
		require.NoError(t, err)
		dsn.User = url.UserPassword(role, "guess")
		_, err = pgx.Connect(t.Context(), dsn.String())
		var refusal *pgconn.PgError
		require.ErrorAs(t, err, &refusal)
		require.Equal(t, "28P01", refusal.Code)
	})
	t.Run("secrets are closed to others", func(t *testing.T) {
		for name, want := range map[string]os.FileMode{"": 0o700, passwordName: 0o600, dataName: 0o700, socketName: 0o700, logName: 0o600} {
			info, err := os.Stat(filepath.Join(dir, homeName, name))
			require.NoError(t, err)
			require.Equal(t, want, info.Mode().Perm(), name)
		}
	})
	t.Run("the server is unprivileged and has its own session", func(t *testing.T) {
		pid := postmasterPID(t, dir)
		info, err := os.Stat(pidFilePath(dir))
		require.NoError(t, err)
		require.NotZero(t, info.Sys().(*syscall.Stat_t).Uid)
		group, err := syscall.Getpgid(pid)
		require.NoError(t, err)
		require.Equal(t, pid, group, "a ^C on our terminal would reach it")
	})
	t.Run("a second Malote is told who has the directory", func(t *testing.T) {
		_, err := Start(t.Context(), Options{DataDir: dir})
		var inUse *InUseError
		require.ErrorAs(t, err, &inUse)
		require.Equal(t, os.Getpid(), inUse.PID)
		require.NotContains(t, err.Error(), "\n")
		require.NoError(t, connection.Ping(t.Context()))
	})
	t.Run("stop disconnects, and frees the directory", func(t *testing.T) {
		require.NoError(t, server.Err())
		require.NoError(t, server.Stop(t.Context()))
		<-server.Done()
		require.NoError(t, server.Err())
		require.Error(t, connection.Ping(t.Context()))
		require.NoFileExists(t, pidFilePath(dir), "not a clean shutdown")
		again := startIn(t, dir)
		require.Equal(t, server.URL(), again.URL())
	})
}

func TestStart_TemporaryDirectoryIsRemoved(t *testing.T) {
	t.Parallel()
	server := startWith(t, Options{Ephemeral: true})
	connection := connect(t, server)
	require.Equal(t, "off", query[string](t, connection, "SELECT current_setting('fsync')"))
	require.Equal(t, "off", query[string](t, connection, "SELECT current_setting('synchronous_commit')"))
	require.Equal(t, "300", query[string](t, connection, "SELECT current_setting('max_connections')"))
	dataDir := filepath.Dir(server.home.path)
	require.DirExists(t, dataDir)
	require.NoError(t, server.Stop(t.Context()))
	require.NoDirExists(t, dataDir)
}

func TestStart_PathUnfitForASocket(t *testing.T) {
	t.Parallel()
	for name, path := range map[string]string{
		"too long": filepath.Join(strings.Repeat("long", 15), strings.Repeat("path", 15)),
		"comma":    "one, two",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			options := Options{DataDir: filepath.Join(newDataDir(t), path), Ephemeral: true}
			copyClusterTo(t, options.DataDir)
			server := startWith(t, options)
			require.NoError(t, connect(t, server).Ping(t.Context()))
			require.Less(t, len(server.home.socketDir), 30)
			info, err := os.Stat(server.home.socketDir)
			require.NoError(t, err)
			require.Equal(t, os.FileMode(0o700), info.Mode().Perm())

			server.Kill() // a crash must not change the URL either
			require.NoDirExists(t, server.home.socketDir)
			again := startWith(t, options)
			require.NoError(t, connect(t, again).Ping(t.Context()))
			require.Equal(t, server.URL(), again.URL())
		})
	}
}

func TestStart_SettingsOfTheAdministratorWin(t *testing.T) {
	t.Parallel()
	dir := copyOfCluster(t)
	options := Options{DataDir: dir, Ephemeral: true}
	server := startWith(t, options)
	_, err := connect(t, server).Exec(t.Context(), "ALTER SYSTEM SET max_connections = 42")
	require.NoError(t, err)
	require.NoError(t, server.Stop(t.Context()))
	again := startWith(t, options)
	require.Equal(t, "42", query[string](t, connect(t, again), "SELECT current_setting('max_connections')"))

	t.Run("and a mistake in them is reported", func(t *testing.T) {
		require.NoError(t, again.Stop(t.Context()))
		file, err := os.OpenFile(filepath.Join(dir, homeName, dataName, "postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0)
		require.NoError(t, err)
		_, err = file.WriteString("no_such_setting = 1\n")
		require.NoError(t, err)
		require.NoError(t, file.Close())
		_, err = Start(t.Context(), options)
		var failed *StartError
		require.ErrorAs(t, err, &failed)
		require.Contains(t, failed.Reason, "contains errors")
		require.Contains(t, err.Error(), filepath.Join(dir, homeName, logName))
	})
}

func TestStart_CancelledDuringInitdb(t *testing.T) {
	t.Parallel()
	dir := newDataDir(t)
	running := func() []int {
		data, err := os.Stat(filepath.Join(dir, homeName, unfinished))
		if err != nil {
			return nil
		}
		return serversOf(data)
	}
	cancelledWhen(t, Options{DataDir: dir, Ephemeral: true}, systemPlaces(), func() bool { return len(running()) > 0 })
	require.Empty(t, running())
	require.NoError(t, connect(t, startWith(t, Options{DataDir: dir, Ephemeral: true})).Ping(t.Context()))
}

func TestStart_CancelledBeforeTheServerIsReady(t *testing.T) {
	t.Parallel()
	dir := copyOfCluster(t)
	installed, err := systemPlaces().find(t.Context(), ourAccount(t))
	require.NoError(t, err)
	// This server never becomes ready: its socket has another name.
	bin := fakeInstallation(t, newDataDir(t), "0")
	real := installed[0].program("postgres")
	script := "#!/bin/sh\ncase $1 in --version) exec " + real + " --version;; esac\nexec " + real + " \"$@\" -c port=5433\n"
	require.NoError(t, os.WriteFile(filepath.Join(bin, "postgres"), []byte(script), 0o755))

	cancelledWhen(t, Options{DataDir: dir, Ephemeral: true}, places{path: bin}, func() bool {
		_, err := os.Stat(pidFilePath(dir))
		return err == nil
	})
	data, err := os.Stat(filepath.Join(dir, homeName, dataName))
	require.NoError(t, err)
	require.Empty(t, serversOf(data))
	require.NoError(t, connect(t, startWith(t, Options{DataDir: dir, Ephemeral: true})).Ping(t.Context()))
}

// cancelledWhen starts a server, cancels that once the condition holds, and
// returns when Start has failed of it.
func cancelledWhen(t *testing.T, options Options, where places, condition func() bool) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	failed := make(chan error, 1)
	go func() {
		_, err := start(ctx, options, where)
		failed <- err
	}()
	require.Eventually(t, condition, ownerPatience, time.Millisecond)
	cancel()
	require.ErrorIs(t, <-failed, context.Canceled)
}

func TestStop_IsBoundedByItsContext(t *testing.T) {
	t.Parallel()
	options := Options{DataDir: copyOfCluster(t), Ephemeral: true}
	server := startWith(t, options)
	connection := connect(t, server)
	_, err := connection.Exec(t.Context(), "SET synchronous_commit = on; CREATE TABLE kept AS SELECT 7 AS n")
	require.NoError(t, err)
	// A backend that cannot react holds up a fast shutdown for ever.
	backend := query[int](t, connection, "SELECT pg_backend_pid()")
	require.NoError(t, syscall.Kill(backend, syscall.SIGSTOP))

	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	began := time.Now()
	require.NoError(t, server.Stop(ctx))
	require.Less(t, time.Since(began), immediatePatience)
	require.NoError(t, server.Err(), "an immediate shutdown that we asked for is no crash")
	require.False(t, runs(backend))

	again := startWith(t, options)
	require.Equal(t, 7, query[int](t, connect(t, again), "SELECT n FROM kept"))
}
