package registry

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/delivery"
)

// Endpoint is an endpoint and how it is doing. Its secrets are there only in
// the answer to the request that created it, their values only the first time.
type Endpoint struct {
	delivery.Endpoint
	Health
}

// NewEndpoint is an endpoint to be created.
type NewEndpoint struct {
	Tenant      string
	URL         string
	Policy      string
	EventTypes  []string // empty: every type (D07)
	MaxInFlight int      // 1…1000; 0: the policy's default
	Headers     map[string]string
	AtMostOnce  bool
	Description string
	Metadata    map[string]string
	Secrets     []string // values, the current one first
}

// Defaults is what a policy says about the lanes of its endpoints.
type Defaults struct {
	Policy       string // whose defaults these are
	MaxInFlight  int    // F03
	LeaseSeconds int    // more than the total deadline (I5)
}

func (d Defaults) limit(maxInFlight int) int {
	if maxInFlight == 0 {
		return d.MaxInFlight
	}
	return maxInFlight
}

const (
	insertLaneSQL = `INSERT INTO malote.lanes (shard, endpoint_id, tenant, max_in_flight, claim_limit, lease_seconds)
		VALUES ($1, $2, $3, $4, $4, $5)`

	insertEndpointSQL = `INSERT INTO malote.endpoints
			(shard, id, tenant, url, policy, event_types, max_in_flight, headers, at_most_once, description, metadata)
		VALUES ($1, $2, $3, $4, $5, $6, nullif($7, 0), $8, $9, $10, $11)`
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
			made, err = repeatedEndpoint(ctx, tx, id)
			return err
		}
		if err := r.insertEndpoint(ctx, tx, id, endpoint, defaults); err != nil {
			return err
		}
		if made, err = readEndpoint(ctx, tx, id); err != nil {
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

func repeatedEndpoint(ctx context.Context, tx pgx.Tx, id delivery.ID) (Endpoint, error) {
	endpoint, err := readEndpoint(ctx, tx, id)
	if err != nil {
		return Endpoint{}, orDeleted(err)
	}
	endpoint.Secrets, err = readSecrets(ctx, tx, id)
	return endpoint, err
}

func (r *Registry) insertEndpoint(ctx context.Context, tx pgx.Tx, id delivery.ID, e NewEndpoint, defaults Defaults) error {
	shard := id.Shard()
	if err := r.holdPolicy(ctx, tx, e.Policy); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, insertLaneSQL, shard, id, e.Tenant, defaults.limit(e.MaxInFlight), defaults.LeaseSeconds)
	if err != nil {
		return err
	}
	if err := raiseTenantVersion(ctx, tx, shard, e.Tenant); err != nil {
		return err
	}
	_, err = tx.Exec(ctx, insertEndpointSQL, shard, id, e.Tenant, e.URL, e.Policy, notNil(e.EventTypes), e.MaxInFlight,
		object(e.Headers), e.AtMostOnce, e.Description, object(e.Metadata))
	return err
}

// object keeps an empty map from being sent as NULL.
func object(m map[string]string) map[string]string {
	if m == nil {
		return map[string]string{}
	}
	return m
}
