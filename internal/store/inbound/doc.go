// Package inbound keeps what the inbound door leaves besides events: requests
// that were turned away, gathered; how much came in by each source; and how far the lists that providers keep were
// compared with what came in.
//
// It is a part of the store and may contain SQL. It must never know HTTP, a
// provider's rules or what a request said: reasons arrive as words, positions as
// the provider's own text, and no body comes here. Nothing in it decides about a
// request, and nothing that it writes is needed to answer one: all of it may be
// late or lost.
//
// It takes no locks but those of the rows that it writes, each in a transaction
// of its own.
package inbound

import (
	"crypto/rand"
	"io"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/malotehq/malote/internal/store"
)

// Options of New. Every zero value has a default.
type Options struct {
	Random io.Reader        // for ids; default crypto/rand
	Now    func() time.Time // for ids; default time.Now
}

// Records is safe for concurrent use.
type Records struct {
	pool   *pgxpool.Pool
	random io.Reader
	now    func() time.Time
}

// New keeps records in the store's database; the store stays the caller's to
// close.
func New(s *store.Store, options Options) *Records {
	r := &Records{pool: s.Pool(), random: options.Random, now: options.Now}
	if r.random == nil {
		r.random = rand.Reader
	}
	if r.now == nil {
		r.now = time.Now
	}
	return r
}
