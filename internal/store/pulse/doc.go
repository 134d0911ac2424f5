// Package pulse keeps the figures of the whole installation that no table of the
// queue gives cheaply: what all processes did in the last minute, and what all
// lanes did in each hour that is over.
//
// Every process writes down, every few seconds, how much it did since the last
// time, so that a question about "now" costs a few rows however much is going on,
// and none of the work that it is about. What a process did in its last moments
// before it was killed is not in the figures; it is in the history.
//
// It must never know what the figures are for, and nothing that it writes is
// needed to deliver anything.
package pulse

import (
	"crypto/rand"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/malotehq/malote/internal/store"
)

// Pulse is safe for concurrent use.
type Pulse struct {
	pool    *pgxpool.Pool
	process string // tells this process's beats from others'
}

// New keeps figures in the store's database; the store stays the caller's to
// close.
func New(s *store.Store) *Pulse { return &Pulse{pool: s.Pool(), process: rand.Text()} }
