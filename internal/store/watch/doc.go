// Package watch finds what only time brings about: warnings about endpoints that
// have been failing for days, and about dead letters that come in heaps or that
// nobody sees to. It writes them down as signals, and reads signals for people.
//
// It never sends anything to anybody, and never decides whether an endpoint is to
// be warned of: the circuit's settings do. What is warned of is noted in the same
// transaction (I10), under the lock of the row that says so, so that several
// processes at once say nothing twice.
//
// Lock order: lanes by (shard, endpoint_id), or one tenant.
package watch

import (
	"crypto/rand"
	"io"
	"log/slog"

	"github.com/malotehq/malote/internal/circuit"
	"github.com/malotehq/malote/internal/store"
)

// Circuits gives the circuit's settings of a policy.
type Circuits func(policy string) (*circuit.Settings, error)

// Options of New. Circuits must be given to whoever calls Endpoints.
type Options struct {
	Circuits Circuits
	Log      *slog.Logger
	Random   io.Reader // for ids; default crypto/rand
}

// Watcher watches over endpoints and dead letters.
type Watcher struct {
	store    *store.Store
	circuits Circuits
	log      *slog.Logger
	random   io.Reader

	lanesAtOnce int
}

// New makes a watcher on the store, which stays the caller's to close.
func New(s *store.Store, options Options) *Watcher {
	w := &Watcher{store: s, circuits: options.Circuits, log: options.Log, random: options.Random, lanesAtOnce: lanesAtOnce}
	if w.log == nil {
		w.log = slog.New(slog.DiscardHandler)
	}
	if w.random == nil {
		w.random = rand.Reader
	}
	return w
}

// Raised counts signals by their kind.
type Raised = map[string]int
