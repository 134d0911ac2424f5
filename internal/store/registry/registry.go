// Package registry keeps what people configure: tenants, API keys, endpoints
// with their lanes, sources, secrets and the policies that users write.
//
// It is a part of the store and may contain SQL. It must never know HTTP, what
// a policy says, how a secret signs or what a provider's rules are: limits and
// leases arrive resolved, and secrets' values and sources' settings are opaque
// text. Secrets and secret headers are stored sealed,
// under a key that it never sees.
//
// # Versions
//
// Publishers and claimers keep endpoints in memory. Whatever they could notice
// raises lanes.config_version and tenants.endpoints_version in the transaction
// that changes it; that is the only way they learn of it. What the inbound door
// could notice of a source raises sources.version alike.
//
// # Lock order
//
// The row of an idempotency key first (only creating transactions of this
// package take those scopes, one each), then advisory locks, then an endpoint's
// lane, then its tenant, then a source, then everything else. Several lanes, secrets or queue
// rows are locked in the order of their ids. A lane that its transaction has just
// made is nobody's to wait for, and may come after the tenant.
package registry

import (
	"crypto/rand"
	"io"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/seal"
	"github.com/malotehq/malote/internal/store"
)

// Options of New. Every zero value has a default.
type Options struct {
	// Presets are the names of the policies that exist without being written:
	// endpoints may use them and users may not take them.
	Presets []string

	// Sealer seals secrets before they are stored; nil: they are stored as they
	// are. Its keys must open all that KeysInUse counts.
	Sealer Sealer

	Random io.Reader        // for ids and keys; default crypto/rand
	Now    func() time.Time // for ids; default time.Now
}

// Registry is safe for concurrent use.
type Registry struct {
	pool    *pgxpool.Pool
	presets []string
	sealer  Sealer
	random  io.Reader
	now     func() time.Time
}

// New keeps configuration in the store's database.
func New(s *store.Store, options Options) *Registry {
	r := &Registry{pool: s.Pool(), presets: options.Presets, sealer: options.Sealer, random: options.Random, now: options.Now}
	if r.sealer == nil {
		r.sealer = (*seal.Keyring)(nil)
	}
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
