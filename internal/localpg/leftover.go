package localpg

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const pollEvery = 20 * time.Millisecond

// stopLeftovers clears away what an earlier Malote left running or lying here
// when it died. We hold the lock, so no living Malote needs it.
func (h *home) stopLeftovers(ctx context.Context, log *slog.Logger) error {
	for _, name := range []string{dataName, unfinished} {
		if err := h.stopPostmaster(ctx, name, log); err != nil {
			return fmt.Errorf("stopping the PostgreSQL of an earlier run in %s: %w", h.path, err)
		}
		if err := h.killBackends(name); err != nil {
			return fmt.Errorf("ending the PostgreSQL backends of an earlier run in %s: %w", h.path, err)
		}
	}
	return nil
}

// stopPostmaster stops the server that the pid file names. If that pid is alive
// but somebody else's by now, or a zombie, or unreadable, it removes the file,
// which would stop PostgreSQL from starting; a file with a dead pid is left to
// PostgreSQL, which then also looks after the shared memory named in it.
func (h *home) stopPostmaster(ctx context.Context, name string, log *slog.Logger) error {
	pidFile := filepath.Join(name, "postmaster.pid")
	content, err := h.root.ReadFile(pidFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	data, err := h.root.Stat(name)
	if err != nil {
		return err
	}
	first, _, _ := strings.Cut(string(content), "\n")
	pid, err := strconv.Atoi(first)
	if err == nil && pid > 0 && servesFrom(pid, data) {
		log.Warn("stopping the PostgreSQL that an earlier run left behind", "pid", pid)
		signal := func(s os.Signal) error { return syscall.Kill(pid, s.(syscall.Signal)) }
		return shutDown(ctx, signal, whenGone(ctx, pid, data))
	}
	if err == nil && pid > 0 && errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return nil
	}
	log.Warn("removing a stale postmaster.pid", "pid", first)
	return h.root.Remove(pidFile)
}

// whenGone polls for the end of a process that is not our child. It outlives ctx
// by as long as shutDown can take.
func whenGone(ctx context.Context, pid int, data fs.FileInfo) <-chan struct{} {
	gone := make(chan struct{})
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), fastPatience+immediatePatience+killPatience)
	go func() {
		defer cancel()
		if pollUntil(ctx, func() bool { return !servesFrom(pid, data) }) == nil {
			close(gone)
		}
	}()
	return gone
}

// killBackends ends the processes that outlived their postmaster (a busy one
// does not notice its death), or initdb. To the cluster that is one crash, not
// two: the shared memory is lost already.
func (h *home) killBackends(name string) error {
	data, err := h.root.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), killPatience)
	defer cancel()
	err = pollUntil(ctx, func() bool {
		left := serversOf(data)
		for _, pid := range left {
			_ = syscall.Kill(pid, syscall.SIGKILL) // gone meanwhile: the next look tells
		}
		return len(left) == 0
	})
	if err != nil {
		return errImmortal
	}
	return nil
}

func pollUntil(ctx context.Context, done func() bool) error {
	ticker := time.NewTicker(pollEvery)
	defer ticker.Stop()
	for !done() {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}
