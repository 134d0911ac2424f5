package registry

import (
	"context"
	"time"

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

const endpointColumns = `e.id, e.tenant, e.url, e.policy, e.event_types, coalesce(e.max_in_flight, 0), e.headers,
	e.at_most_once, e.description, e.metadata, e.created_at, e.updated_at, l.status, l.disabled_reason, l.max_in_flight,
	l.consecutive_failures, l.first_failure_at, l.last_failure_at, l.last_success_at, l.paused_until`

const endpointsAndLanes = ` FROM malote.endpoints AS e
	JOIN malote.lanes AS l ON l.shard = e.shard AND l.endpoint_id = e.id `

const (
	selectEndpointSQL = `SELECT ` + endpointColumns + endpointsAndLanes + `
		WHERE e.shard = $1 AND l.shard = $1 AND e.id = $2 AND e.deleted_at IS NULL`

	listEndpointsSQL = `SELECT ` + endpointColumns + endpointsAndLanes + `
		WHERE e.shard = $1 AND l.shard = $1 AND e.tenant = $2 AND e.id > $3 AND e.deleted_at IS NULL
		ORDER BY e.id LIMIT $4`

	// Over all shards: only an administrator asks.
	listAllEndpointsSQL = `SELECT ` + endpointColumns + endpointsAndLanes + `
		WHERE e.id > $1 AND e.deleted_at IS NULL ORDER BY e.id LIMIT $2`
)

// Endpoint finds one, with its counts.
func (r *Registry) Endpoint(ctx context.Context, owner Owner, id delivery.ID) (Endpoint, error) {
	endpoint, err := r.findEndpoint(ctx, owner, id)
	if err != nil {
		return Endpoint{}, explain("reading an endpoint", err)
	}
	err = countOpen(ctx, r.pool, []*Health{&endpoint.Health}, []delivery.ID{id})
	return endpoint, explain("counting an endpoint's deliveries", err)
}

func (r *Registry) findEndpoint(ctx context.Context, owner Owner, id delivery.ID) (Endpoint, error) {
	endpoint, err := readEndpoint(ctx, r.pool, id)
	if err == nil && !owner.owns(endpoint.Tenant) {
		return Endpoint{}, ErrNoEndpoint
	}
	return endpoint, err
}

// Endpoints lists an owner's endpoints, oldest first, without deleted ones.
// counted adds the counts, whose cost grows with the backlogs.
func (r *Registry) Endpoints(ctx context.Context, owner Owner, page Page, counted bool) (_ []Endpoint, more bool, _ error) {
	var rows pgx.Rows
	if owner.any {
		rows, _ = r.pool.Query(ctx, listAllEndpointsSQL, page.after(), page.Limit+1)
	} else {
		rows, _ = r.pool.Query(ctx, listEndpointsSQL, delivery.ShardOf(owner.tenant), owner.tenant, page.after(), page.Limit+1)
	}
	endpoints, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Endpoint, error) { return scanEndpoint(row) })
	if err != nil {
		return nil, false, explain("listing endpoints", err)
	}
	endpoints, more = cut(endpoints, page.Limit)
	if counted {
		healths, ids := make([]*Health, len(endpoints)), make([]delivery.ID, len(endpoints))
		for i := range endpoints {
			healths[i], ids[i] = &endpoints[i].Health, endpoints[i].ID
		}
		err = countOpen(ctx, r.pool, healths, ids)
	}
	return endpoints, more, explain("counting endpoints' deliveries", err)
}

// querier is a transaction or the pool.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

func readEndpoint(ctx context.Context, from querier, id delivery.ID) (Endpoint, error) {
	endpoint, err := scanEndpoint(from.QueryRow(ctx, selectEndpointSQL, id.Shard(), id))
	return endpoint, orMissing(err, ErrNoEndpoint)
}

func scanEndpoint(row pgx.Row) (e Endpoint, err error) {
	err = row.Scan(&e.ID, &e.Tenant, &e.URL, &e.Policy, &e.EventTypes, &e.MaxInFlight, &e.Headers,
		&e.AtMostOnce, &e.Description, &e.Metadata, instant{&e.CreatedAt}, instant{&e.UpdatedAt},
		&e.Status, &e.DisabledReason, &e.Limit, &e.ConsecutiveFailures, instant{&e.FirstFailureAt},
		instant{&e.LastFailureAt}, instant{&e.LastSuccessAt}, instant{&e.PausedUntil})
	return e, err
}

// Health is how an endpoint is doing.
type Health struct {
	ConsecutiveFailures int // R08
	FirstFailureAt      time.Time
	LastFailureAt       time.Time
	LastSuccessAt       time.Time
	PausedUntil         time.Time // zero: its circuit is closed

	Limit int // how many may be in flight, but for slow-down and circuit

	Counted  bool // whether the rest is known
	Pending  int  // exact
	InFlight int  // exact
	// OldestPendingSince is when the oldest of the first 10,000 due deliveries
	// was accepted, or replayed; zero: none is pending.
	OldestPendingSince time.Time
}
