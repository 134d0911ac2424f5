package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// asProgram, in the environment, makes the test binary withpg ("withpg") or a
// command that asks the server for its settings ("client").
const asProgram = "WITHPG_TEST_AS"

func TestMain(m *testing.M) {
	switch os.Getenv(asProgram) {
	case "withpg":
		os.Setenv(asProgram, "client") // for the command
		main()
	case "client":
		os.Exit(client())
	}
	os.Exit(m.Run())
}

func client() int {
	connection, err := pgx.Connect(context.Background(), os.Getenv(urlVariable))
	if err != nil {
		fmt.Println(err)
		return 1
	}
	var fsync, connections string
	err = connection.QueryRow(context.Background(),
		"SELECT current_setting('fsync'), current_setting('max_connections')").Scan(&fsync, &connections)
	fmt.Println(fsync, connections, err, strings.Join(os.Args[1:], "|"))
	return 42
}

// withpg returns the program, not yet started, and the directory in which it
// makes its temporary files.
func withpg(t *testing.T, args ...string) (*exec.Cmd, string) {
	t.Helper()
	temporary, err := os.MkdirTemp("", "withpg-test-")
	require.NoError(t, err)
	require.NoError(t, os.Chmod(temporary, 0o755)) // the server's account passes through
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(temporary)) })
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), asProgram+"=withpg", "TMPDIR="+temporary)
	return cmd, temporary
}

func requireEmpty(t *testing.T, directory string) {
	t.Helper()
	entries, err := os.ReadDir(directory)
	require.NoError(t, err)
	require.Empty(t, entries)
}

func TestWithpg_RunsTheCommandAndPassesItsCode(t *testing.T) {
	t.Parallel()
	cmd, temporary := withpg(t, "--", os.Args[0], "two words", "--")
	output, _ := cmd.Output()
	require.Equal(t, "off 300 <nil> two words|--\n", string(output))
	require.Equal(t, 42, cmd.ProcessState.ExitCode())
	requireEmpty(t, temporary)
}

func TestWithpg_ForwardsSignals(t *testing.T) {
	t.Parallel()
	for signal, code := range map[syscall.Signal]int{syscall.SIGTERM: 7, syscall.SIGINT: 8} {
		cmd, temporary := withpg(t, "sh", "-c", `trap 'kill $!; exit 7' TERM; trap 'kill $!; exit 8' INT; sleep 60 & echo ready; wait`)
		output, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		line, err := bufio.NewReader(output).ReadString('\n')
		require.NoError(t, err)
		require.Equal(t, "ready\n", line)
		require.NoError(t, cmd.Process.Signal(signal))
		_ = cmd.Wait() // "exit status 7"
		require.Equal(t, code, cmd.ProcessState.ExitCode())
		requireEmpty(t, temporary)
	}
}

func TestWithpg_SignalWhileTheServerStarts(t *testing.T) {
	t.Parallel()
	cmd, temporary := withpg(t, "echo", "never")
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	require.NoError(t, cmd.Start())
	require.Eventually(t, func() bool {
		entries, _ := os.ReadDir(temporary)
		return len(entries) > 0
	}, 20*time.Second, time.Millisecond)
	require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	_ = cmd.Wait() // "exit status 125"
	require.Equal(t, "withpg: received terminated\n", output.String())
	require.Equal(t, exitNoServer, cmd.ProcessState.ExitCode())
	requireEmpty(t, temporary)
}

func TestWithpg_CodesOfItsOwn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		code int
	}{
		{[]string{"--"}, exitUsage},
		{[]string{"/no/such/command"}, exitNotStarted},
		{[]string{"sh", "-c", "kill -9 $$"}, 128 + 9},
	} {
		cmd, temporary := withpg(t, c.args...)
		_ = cmd.Run() // the code is what counts
		require.Equal(t, c.code, cmd.ProcessState.ExitCode(), c.args)
		requireEmpty(t, temporary)
	}
}
