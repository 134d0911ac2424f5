package main

import (
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"time"

	"github.com/malotehq/malote/internal/app"
	"github.com/malotehq/malote/internal/demo"
)

// demoStage is the directory that a demo happens in.
type demoStage struct {
	dir       string
	temporary bool // goes with the demo, unless there is something to look at
	log       *os.File
}

const (
	// demoLog is where the demo's server logs: the terminal is taken.
	demoLog = "malote.log"

	// demoDrain is short: what hangs in a demo hangs on purpose.
	demoDrain = 2 * time.Second

	// passable lets PostgreSQL's user, if that is another, through to its own
	// directory; everything else in there is closed to it.
	passable = 0o711
)

func openStage(dataDir string, keep bool) (*demoStage, error) {
	s := &demoStage{dir: dataDir}
	err := os.MkdirAll(dataDir, passable)
	if dataDir == "" {
		s.temporary = !keep
		if s.dir, err = os.MkdirTemp("", "malote-demo-"); err == nil {
			err = os.Chmod(s.dir, passable)
		}
	}
	if err == nil {
		s.log, err = os.OpenFile(filepath.Join(s.dir, demoLog), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	}
	if err != nil {
		return nil, fmt.Errorf("preparing the demo's directory: %w; choose another with --data-dir", err)
	}
	return s, nil
}

func (s *demoStage) options(f *demoCommand) app.Options {
	return app.Options{
		DataDir: s.dir, Listen: f.Listen, MaxInFlight: f.MaxInFlight, DrainTimeout: demoDrain, Version: version(),
		AllowDestinations: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")},
		Log:               slog.New(slog.NewTextHandler(s.log, &slog.HandlerOptions{Level: slog.LevelWarn})),
	}
}

// close removes what is not to be kept. After a demo that went wrong, the data
// and the log stay.
func (s *demoStage) close(env *environment, err error) {
	_ = s.log.Close() // it was flushed with every line
	interrupted := errors.Is(err, demo.ErrInterrupted) || errors.Is(err, errInterrupted)
	switch {
	case s.temporary && (err == nil || interrupted):
		_ = os.RemoveAll(s.dir) // in the system's temporary directory, so it does not stay for ever
	default:
		fmt.Fprintf(env.stderr, "The demo's data and its server's log are in %s.\n", s.dir)
	}
}
