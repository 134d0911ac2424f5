package localpg

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// takeLock makes this process the only Malote in the home, or fails with an
// *InUseError. The kernel drops the lock when we die, however we die; the file
// stays, its pid then means nothing.
func (h *home) takeLock() error {
	file, err := h.root.OpenFile(lockName, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("opening the lock in %s: %w", h.path, err)
	}
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		content, _ := h.root.ReadFile(lockName)
		pid, _ := strconv.Atoi(strings.TrimSpace(string(content))) // 0 if its holder has not written it yet
		file.Close()
		return &InUseError{Path: h.path, PID: pid}
	}
	h.lock = file
	if err == nil {
		err = errors.Join(h.give(file), file.Truncate(0))
	}
	if err == nil {
		_, err = fmt.Fprintf(file, "%d\n", os.Getpid())
	}
	if err != nil {
		return fmt.Errorf("locking %s: %w", h.path, err)
	}
	return nil
}

// releaseLock unlocks before it closes: a child that is being forked at this
// moment still shares the open file until it execs, and would keep the lock.
func (h *home) releaseLock() {
	if h.lock != nil {
		_ = syscall.Flock(int(h.lock.Fd()), syscall.LOCK_UN)
		h.lock.Close()
	}
}
