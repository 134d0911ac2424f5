// Package registry keeps what people configure: tenants, API keys, endpoints
// with their lanes, secrets and the policies that users write.
//
// It is a part of the store and may contain SQL. It must never know HTTP, what
// a policy says or how a secret signs: limits and leases arrive resolved, and a
// secret's value is opaque text.
//
// # Versions
//
// Publishers and claimers keep endpoints in memory. Whatever they could notice
// raises lanes.config_version and tenants.endpoints_version in the transaction
// that changes it; that is the only way they learn of it.
//
// # Lock order
//
// The row of an idempotency key first (only creating transactions of this
// package take those scopes, one each), then advisory locks, then an endpoint's
// lane, then its tenant, then everything else.
package registry

import (
	"crypto/rand"
	"io"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/store"
)

// Options of New. Every zero value has a default.
type Options struct {
	// Presets are the names of the policies that exist without being written:
	// endpoints may use them and users may not take them.
	Presets []string

	Random io.Reader        // for ids and keys; default crypto/rand
	Now    func() time.Time // for ids; default time.Now
}

// Registry is safe for concurrent use.
type Registry struct {
	pool    *pgxpool.Pool
	presets []string
	random  io.Reader
	now     func() time.Time
}

// New keeps configuration in the store's database.
func New(s *store.Store, options Options) *Registry {
	r := &Registry{pool: s.Pool(), presets: options.Presets, random: options.Random, now: options.Now}
	if r.random == nil {
		r.random = rand.Reader
	}
	if r.now == nil {
		r.now = time.Now
	}
	return r
}

func (r *Registry) newID(shard delivery.Shard) delivery.ID {
	return delivery.NewID(shard, r.now(), r.random)
}
