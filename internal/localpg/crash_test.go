package localpg

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestCrash_PostmasterDies(t *testing.T) {
	t.Parallel()
	dir := copyOfCluster(t)
	server := startIn(t, dir)
	connection := connect(t, server)
	_, err := connection.Exec(t.Context(), "CREATE TABLE kept AS SELECT 7 AS n")
	require.NoError(t, err)
	// A backend in a busy loop does not notice that its postmaster has died.
	backend := query[int](t, connection, "SELECT pg_backend_pid()")
	busy := make(chan error, 1)
	go func() {
		_, err := connection.Exec(context.Background(), "DO $$ BEGIN LOOP END LOOP; END $$")
		busy <- err
	}()
	observer := connect(t, server)
	require.Eventually(t, func() bool {
		return query[bool](t, observer, fmt.Sprintf("SELECT state = 'active' FROM pg_stat_activity WHERE pid = %d", backend))
	}, ownerPatience, 10*time.Millisecond)

	require.NoError(t, syscall.Kill(postmasterPID(t, dir), syscall.SIGKILL))
	<-server.Done()
	var crash *CrashError
	require.ErrorAs(t, server.Err(), &crash)
	require.Equal(t, "signal: killed", crash.State)
	require.Error(t, <-busy)
	// Its connection closes before the process is gone.
	require.Eventually(t, func() bool { return !runs(backend) }, ownerPatience, 10*time.Millisecond)
	require.FileExists(t, pidFilePath(dir), "this was meant to be a stale pid file")

	again := startIn(t, dir)
	require.Equal(t, server.URL(), again.URL())
	require.Equal(t, 7, query[int](t, connect(t, again), "SELECT n FROM kept"))
	require.NoError(t, server.Stop(t.Context()), "the dead server's Stop must not touch the new one")
	require.NoError(t, connect(t, again).Ping(t.Context()))
}

func TestCrash_ForeignPidInTheFile(t *testing.T) {
	t.Parallel()
	dir := copyOfCluster(t)
	server := startWith(t, Options{DataDir: dir, Ephemeral: true})
	// A process of the same account, which PostgreSQL by itself would take for
	// another server on the directory.
	stranger := server.home.who.command(t.Context(), "/", "sleep", "60")
	require.NoError(t, stranger.Start())
	t.Cleanup(func() {
		_ = stranger.Process.Kill()
		_ = stranger.Wait()
	})
	// A child that has ended and that nobody has waited for.
	zombie := exec.Command("true")
	require.NoError(t, zombie.Start())
	t.Cleanup(func() { _ = zombie.Wait() })

	for name, pid := range map[string]string{
		"stranger": fmt.Sprint(stranger.Process.Pid),
		"zombie":   fmt.Sprint(zombie.Process.Pid),
		"empty":    "",
	} {
		require.NoError(t, server.Stop(t.Context()))
		content := pid
		if content != "" {
			content += "\n" + filepath.Join(dir, homeName, dataName) + "\n1700000000\n5432\n/nowhere\n\n"
		}
		require.NoError(t, server.writeAsOwner(pidFilePath(dir), content))
		var err error
		server, err = Start(t.Context(), Options{DataDir: dir, Ephemeral: true, Log: testLog(t)})
		require.NoError(t, err, name)
		require.NoError(t, connect(t, server).Ping(t.Context()), name)
		require.NoError(t, syscall.Kill(stranger.Process.Pid, 0), "the stranger was hurt")
	}
	require.NoError(t, server.Stop(t.Context()))
}

func (s *Server) writeAsOwner(path, content string) error {
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		return err
	}
	return os.Chown(path, s.home.who.uid, s.home.who.gid)
}

func TestCrash_OwnerKilled(t *testing.T) {
	t.Parallel()
	dir := copyOfCluster(t)
	owner := startOwner(t, dir)
	orphan := postmasterPID(t, dir)

	_, err := Start(t.Context(), Options{DataDir: dir})
	var inUse *InUseError
	require.ErrorAs(t, err, &inUse)
	require.Equal(t, owner.Process.Pid, inUse.PID)

	require.NoError(t, owner.Process.Kill())
	_ = owner.Wait() // "signal: killed"
	require.True(t, runs(orphan), "a durable server outlives its owner")

	server := startWith(t, Options{DataDir: dir, Log: testLog(t)})
	require.NoError(t, connect(t, server).Ping(t.Context()))
	require.False(t, runs(orphan))
	require.NotEqual(t, orphan, postmasterPID(t, dir))
	log, err := os.ReadFile(server.home.logPath())
	require.NoError(t, err)
	require.NotContains(t, string(log), "not properly shut down", "the orphan was not asked to stop but killed")
}

func TestCrash_OwnerOfEphemeralKilled(t *testing.T) {
	t.Parallel()
	dir := copyOfCluster(t)
	owner := startOwner(t, dir, "LOCALPG_TEST_EPHEMERAL=1")
	orphan := postmasterPID(t, dir)
	require.NoError(t, owner.Process.Kill())
	_ = owner.Wait() // "signal: killed"
	requireGone(t, orphan)
}

func TestCrash_DuringInitdb(t *testing.T) {
	t.Parallel()
	dir := newDataDir(t)
	half := filepath.Join(dir, homeName, unfinished)
	require.NoError(t, os.MkdirAll(half, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(half, "PG_VERSION"), []byte("15\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, homeName, passwordName), nil, 0o600))
	server := startWith(t, Options{DataDir: dir, Ephemeral: true})
	require.NoError(t, connect(t, server).Ping(t.Context()))
	require.NoDirExists(t, half)
}
