package localpg

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// ownerOf, in the environment, makes the test binary a process that owns a
// server in that directory, so that tests can kill it.
const (
	ownerOf       = "LOCALPG_TEST_OWNER_OF"
	ownerPatience = 20 * time.Second
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(ownerOf); dir != "" {
		_, err := Start(context.Background(), Options{DataDir: dir, Ephemeral: os.Getenv("LOCALPG_TEST_EPHEMERAL") != ""})
		fmt.Println("started", err)
		select {}
	}
	code := m.Run()
	if template.made {
		_ = os.RemoveAll(template.dir)
	}
	os.Exit(code)
}

// template is a data directory with a stopped cluster: copying it is faster than
// initdb.
var template struct {
	once sync.Once
	made bool
	dir  string
	err  error
}

func makeTemplate() {
	if template.dir, template.err = os.MkdirTemp("", "localpg-template-"); template.err != nil {
		return
	}
	template.made = true
	if template.err = os.Chmod(template.dir, 0o755); template.err != nil {
		return
	}
	server, err := Start(context.Background(), Options{DataDir: template.dir, Ephemeral: true})
	if err == nil {
		err = server.Stop(context.Background())
	}
	template.err = err
}

// copyOfCluster returns a data directory with a cluster that nothing serves.
func copyOfCluster(t *testing.T) string {
	t.Helper()
	dir := newDataDir(t)
	copyClusterTo(t, dir)
	return dir
}

func copyClusterTo(t *testing.T, dir string) {
	t.Helper()
	template.once.Do(makeTemplate)
	require.NoError(t, template.err)
	require.NoError(t, os.MkdirAll(dir, 0o755))
	output, err := exec.Command("cp", "-a", template.dir+"/.", dir).CombinedOutput()
	require.NoError(t, err, string(output))
}

// startOwner returns a process that has started a server in dir.
func startOwner(t *testing.T, dir string, environment ...string) *exec.Cmd {
	t.Helper()
	owner := exec.Command(os.Args[0])
	owner.Env = append(append(os.Environ(), ownerOf+"="+dir), environment...)
	output, err := owner.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, owner.Start())
	t.Cleanup(func() {
		_ = owner.Process.Kill()
		_ = owner.Wait()
	})
	line, err := bufio.NewReader(output).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "started <nil>\n", line)
	return owner
}

// newDataDir differs from t.TempDir in that the server's account can reach it
// when we are root, and in that it lies close to the root.
func newDataDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "localpg-test-")
	require.NoError(t, err)
	require.NoError(t, os.Chmod(dir, 0o755))
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	return dir
}

// startIn starts a durable server that the test's end stops.
func startIn(t *testing.T, dir string) *Server {
	t.Helper()
	return startWith(t, Options{DataDir: dir})
}

func startWith(t *testing.T, options Options) *Server {
	t.Helper()
	server, err := Start(t.Context(), options)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Stop(context.Background())) })
	return server
}

func connect(t *testing.T, server *Server) *pgx.Conn {
	t.Helper()
	connection, err := pgx.Connect(t.Context(), server.URL())
	require.NoError(t, err)
	t.Cleanup(func() { connection.Close(context.Background()) })
	return connection
}

func query[T any](t *testing.T, connection *pgx.Conn, sql string) T {
	t.Helper()
	var value T
	require.NoError(t, connection.QueryRow(t.Context(), sql).Scan(&value))
	return value
}

func pidFilePath(dir string) string { return filepath.Join(dir, homeName, dataName, "postmaster.pid") }

func postmasterPID(t *testing.T, dir string) int {
	t.Helper()
	content, err := os.ReadFile(pidFilePath(dir))
	require.NoError(t, err)
	first, _, _ := strings.Cut(string(content), "\n")
	pid, err := strconv.Atoi(first)
	require.NoError(t, err)
	return pid
}

func requireGone(t *testing.T, pid int) {
	t.Helper()
	require.Eventually(t, func() bool { return !runs(pid) }, ownerPatience, 10*time.Millisecond, "process %d still runs", pid)
}

// runs tells whether a process exists and is more than a zombie.
func runs(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || !strings.Contains(string(stat), ") Z ")
}

// testLog sends the package's log lines to the test's.
func testLog(t *testing.T) *slog.Logger {
	return slog.New(slog.NewTextHandler(t.Output(), nil))
}
