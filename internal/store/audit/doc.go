// Package audit keeps the log of who changed what: rows are added, listed and,
// by the retention, removed after a long time; nothing ever changes one.
//
// It must never know what a change was about: operations, actors and subjects
// arrive as words, secrets and bodies not at all. Nor does it decide who may
// read what it finds: whoever asks for a tenant's rows names the tenant.
package audit

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

// Log is safe for concurrent use.
type Log struct {
	pool   *pgxpool.Pool
	random io.Reader
	now    func() time.Time
}

// New keeps the log in the store's database; the store stays the caller's to
// close.
func New(s *store.Store, options Options) *Log {
	l := &Log{pool: s.Pool(), random: options.Random, now: options.Now}
	if l.random == nil {
		l.random = rand.Reader
	}
	if l.now == nil {
		l.now = time.Now
	}
	return l
}
