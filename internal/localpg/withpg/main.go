// Command withpg runs another command beside an ephemeral PostgreSQL of its own:
//
//	go run ./internal/localpg/withpg [-durable] [--] COMMAND ARGS...
//
// The command finds the server's DSN in MALOTE_TEST_DATABASE_URL and has our
// standard streams. When it ends, the server is stopped and removed, and withpg
// exits with the command's code (128 + n if signal n killed it). With -durable the
// server writes to disk as in production, for measurements. It knows nothing of
// what it runs.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"golang.org/x/term"

	"github.com/malotehq/malote/internal/localpg"
)

const urlVariable = "MALOTE_TEST_DATABASE_URL"

// Exit codes of our own, as shells and env(1) use them.
const (
	exitUsage      = 2
	exitNoServer   = 125
	exitNotStarted = 127
)

func main() { os.Exit(run(os.Args[1:], os.Stderr)) }

func run(args []string, complaints io.Writer) int {
	durable := len(args) > 0 && args[0] == "-durable"
	if durable {
		args = args[1:]
	}
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		fmt.Fprintln(complaints, "usage: withpg [-durable] [--] COMMAND ARGS...")
		return exitUsage
	}
	// Subscribed before the server starts: a signal at any moment must stop it.
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(signals)

	server, err := startServer(signals, !durable, complaints)
	if err != nil {
		fmt.Fprintln(complaints, "withpg:", err)
		return exitNoServer
	}
	code := runCommand(args, server.URL(), signals, complaints)
	if err := server.Stop(context.Background()); err != nil {
		fmt.Fprintln(complaints, "withpg: stopping PostgreSQL:", err)
	}
	return code
}

// startServer gives up at the first signal.
func startServer(signals <-chan os.Signal, ephemeral bool, complaints io.Writer) (*localpg.Server, error) {
	ctx, cancel := context.WithCancelCause(context.Background())
	started := make(chan struct{})
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		select {
		case received := <-signals:
			cancel(fmt.Errorf("received %v", received))
		case <-started:
		}
	}()
	log := slog.New(slog.NewTextHandler(complaints, &slog.HandlerOptions{Level: slog.LevelWarn}))
	server, err := localpg.Start(ctx, localpg.Options{Ephemeral: ephemeral, Log: log})
	close(started)
	<-watched
	interrupted := context.Cause(ctx)
	cancel(nil)
	if interrupted == nil {
		return server, err
	}
	if err == nil { // the signal came too late to stop the start
		return nil, errors.Join(interrupted, server.Stop(context.Background()))
	}
	return nil, interrupted
}

func runCommand(args []string, databaseURL string, signals <-chan os.Signal, complaints io.Writer) int {
	cmd := exec.Command(args[0], args[1:]...) //nolint:noctx // ended by the signals that we pass on
	cmd.Env = append(os.Environ(), urlVariable+"="+databaseURL)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(complaints, "withpg:", err)
		return exitNotStarted
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	// ^C on a terminal reaches the command without us; a second one would tell
	// many programs to quit without cleaning up.
	terminal := term.IsTerminal(int(os.Stdin.Fd()))
	for {
		select {
		case received := <-signals:
			if received != syscall.SIGINT || !terminal {
				_ = cmd.Process.Signal(received) // fails only if it has just ended
			}
		case err := <-ended:
			return exitCode(cmd.ProcessState, err)
		}
	}
}

func exitCode(state *os.ProcessState, err error) int {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	if err != nil && state.ExitCode() == 0 {
		return 1
	}
	return state.ExitCode()
}
