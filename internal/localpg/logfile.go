package localpg

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

const (
	logLimit      = 16 << 20 // bytes; the log and its predecessor are each about this long at most
	logCheckEvery = time.Minute
)

func (h *home) logPath() string { return filepath.Join(h.path, logName) }

// openLog opens the server's log for appending, also for the server: to write
// into a file, unlike into a pipe of ours, survives our death. It returns the
// log's length so far.
func (h *home) openLog() (*os.File, int64, error) {
	if err := h.rotateLog(logLimit); err != nil {
		return nil, 0, err
	}
	file, err := h.root.OpenFile(logName, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, 0, fmt.Errorf("opening PostgreSQL's log: %w", err)
	}
	info, err := file.Stat()
	if err := errors.Join(err, h.give(file)); err != nil {
		file.Close()
		return nil, 0, fmt.Errorf("opening PostgreSQL's log: %w", err)
	}
	return file, info.Size(), nil
}

// rotateLog copies a log that has reached the limit to its predecessor and
// empties it in place, because the server keeps it open; lines written in
// between are lost.
func (h *home) rotateLog(limit int64) error {
	info, err := h.root.Lstat(logName)
	if err != nil || info.Size() < limit {
		return nil // nothing to rotate; openLog says what is wrong with it
	}
	from, err := h.root.OpenFile(logName, os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("rotating PostgreSQL's log: %w", err)
	}
	defer from.Close()
	previous := logName + ".1"
	if err := h.replaceFile(previous, ""); err != nil {
		return fmt.Errorf("rotating PostgreSQL's log: %w", err)
	}
	to, err := h.root.OpenFile(previous, os.O_WRONLY, 0)
	if err != nil {
		return fmt.Errorf("rotating PostgreSQL's log: %w", err)
	}
	_, err = io.Copy(to, from)
	if err := errors.Join(err, to.Close(), from.Truncate(0)); err != nil {
		return fmt.Errorf("rotating PostgreSQL's log: %w", err)
	}
	return nil
}

// logSince returns what the server logged after the offset.
func (h *home) logSince(offset int64) string {
	file, err := h.root.Open(logName)
	if err != nil {
		return ""
	}
	defer file.Close()
	content, _ := io.ReadAll(io.NewSectionReader(file, offset, 64<<10)) // what could be read is better than nothing
	return string(content)
}
