package registry

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/delivery"
)

// Endpoint is an endpoint and how it is doing. Its secrets are there only in
// the answer to the request that created it, their values only the first time;
// Headers are those that are shown.
type Endpoint struct {
	delivery.Endpoint // MaxInFlight and RateLimit: its own, 0 where the policy's hold; FIFO: what holds
	Health

	OwnFIFO       *bool    // its own word; nil: the policy's
	Rate          float64  // attempts a second that hold, its own or the policy's; 0: no limit
	SecretHeaders []string // the names, sorted; nobody can see the values again
}

// NewEndpoint is an endpoint to be created.
type NewEndpoint struct {
	Tenant        string
	URL           string
	Policy        string
	EventTypes    []string          // empty: every type (D07)
	MaxInFlight   int               // 1…1000; 0: the policy's default
	RateLimit     float64           // attempts a second; 0: the policy's default
	FIFO          *bool             // strictly ordered; nil: the policy's default
	Filter        string            // a CEL expression; empty: every event
	Headers       map[string]string // anybody who reads the endpoint sees them
	SecretHeaders map[string]string // stored sealed, never shown again
	AtMostOnce    bool
	Description   string
	Metadata      map[string]string
	Secrets       []string // values, the current one first
}

// Defaults is what a policy says about the lanes of its endpoints.
type Defaults struct {
	Policy       string  // whose defaults these are
	MaxInFlight  int     // F03
	LeaseSeconds int     // more than the total deadline (I5)
	RateLimit    float64 // attempts a second; 0: no limit
	FIFO         bool    // strictly ordered
}

func (d Defaults) limit(maxInFlight int) int {
	if maxInFlight == 0 {
		return d.MaxInFlight
	}
	return maxInFlight
}

func (d Defaults) rate(own float64) float64 {
	if own == 0 {
		return d.RateLimit
	}
	return own
}

func (d Defaults) fifo(own *bool) bool {
	if own == nil {
		return d.FIFO
	}
	return *own
}

const (
	insertLaneSQL = `INSERT INTO malote.lanes (shard, endpoint_id, tenant, max_in_flight, claim_limit, lease_seconds,
			weight, rate_limit, rate_burst, fifo_since, standing)
		VALUES ($1, $2, $3, $4, $4, $5, $6, $7, $8, CASE WHEN $9 THEN now() END, 'unheard')`

	insertEndpointSQL = `INSERT INTO malote.endpoints
			(shard, id, tenant, url, policy, event_types, max_in_flight, headers, at_most_once, description, metadata,
			 rate_limit, fifo, filter, secret_headers, secret_headers_key)
		VALUES ($1, $2, $3, $4, $5, $6, nullif($7, 0), $8, $9, $10, $11, nullif($12::double precision, 0), $13, $14, $15, $16)`
)

// CreateEndpoint makes an endpoint, its lane and its first secrets; created is
// false if the idempotency key is a repeat. A tenant or policy that is not
// there is ErrNoTenant or ErrNoPolicy. The endpoint receives what is published
// after it, nothing older (D07).
func (r *Registry) CreateEndpoint(ctx context.Context, endpoint NewEndpoint, defaults Defaults, once Once) (made Endpoint, created bool, _ error) {
	shard := delivery.ShardOf(endpoint.Tenant)
	err := r.inTx(ctx, "creating an endpoint", func(tx pgx.Tx) error {
		id, first, err := once.first(ctx, tx, onceScope{shard, "endpoint:" + endpoint.Tenant}, r.newID(shard))
		created = first
		if err != nil {
			return err
		}
		if !first {
			made, err = r.repeatedEndpoint(ctx, tx, id)
			return err
		}
		if err := r.insertEndpoint(ctx, tx, id, endpoint, defaults); err != nil {
			return err
		}
		if made, err = r.readEndpoint(ctx, tx, id); err != nil {
			return err
		}
		made.Secrets, err = r.insertSecrets(ctx, tx, id, endpoint.Secrets)
		return err
	})
	if err != nil {
		return Endpoint{}, false, err
	}
	return made, created, nil
}

func (r *Registry) repeatedEndpoint(ctx context.Context, tx pgx.Tx, id delivery.ID) (Endpoint, error) {
	endpoint, err := r.readEndpoint(ctx, tx, id)
	if err != nil {
		return Endpoint{}, orDeleted(err)
	}
	endpoint.Secrets, err = readSecrets(ctx, tx, id)
	return endpoint, err
}

func (r *Registry) insertEndpoint(ctx context.Context, tx pgx.Tx, id delivery.ID, endpoint NewEndpoint, defaults Defaults) error {
	shard := id.Shard()
	if err := r.holdPolicy(ctx, tx, endpoint.Policy); err != nil {
		return err
	}
	if err := lockShared(ctx, tx, weightLock(endpoint.Tenant)); err != nil {
		return err
	}
	priority, err := raiseTenantVersion(ctx, tx, shard, endpoint.Tenant)
	if err != nil {
		return err
	}
	rate := defaults.rate(endpoint.RateLimit)
	_, err = tx.Exec(ctx, insertLaneSQL, shard, id, endpoint.Tenant, defaults.limit(endpoint.MaxInFlight), defaults.LeaseSeconds,
		delivery.Weight(priority), rate, burst(rate), defaults.fifo(endpoint.FIFO))
	if err != nil {
		return err
	}
	headers, keyID, err := r.sealHeaders(id, endpoint.SecretHeaders)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, insertEndpointSQL, shard, id, endpoint.Tenant, endpoint.URL, endpoint.Policy, notNil(endpoint.EventTypes),
		endpoint.MaxInFlight, object(endpoint.Headers), endpoint.AtMostOnce, endpoint.Description, object(endpoint.Metadata),
		endpoint.RateLimit, endpoint.FIFO, endpoint.Filter, headers, keyID)
	return err
}

// object keeps an empty map from being sent as NULL.
func object(m map[string]string) map[string]string {
	if m == nil {
		return map[string]string{}
	}
	return m
}
