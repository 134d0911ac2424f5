package registry

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/circuit"
	"github.com/malotehq/malote/internal/delivery"
)

// circuitPhase is circuit.State.PhaseAt, by database time.
const circuitPhase = `CASE WHEN l.circuit_phase <> 'open' THEN 'closed' WHEN now() < l.paused_until THEN 'open' ELSE 'half_open' END`

const endpointColumns = `e.id, e.tenant, e.url, e.policy, e.event_types, coalesce(e.max_in_flight, 0), e.headers,
	e.at_most_once, e.description, e.metadata, e.created_at, e.updated_at, l.status, l.disabled_reason, l.max_in_flight,
	l.consecutive_failures, l.first_failure_at, l.last_failure_at, l.last_success_at, l.paused_until,
	l.claim_limit, ` + circuitPhase + `, coalesce(e.rate_limit, 0), l.rate_limit, e.fifo, l.fifo_since IS NOT NULL, e.filter, e.secret_headers, e.secret_headers_key`

const endpointsAndLanes = ` FROM malote.endpoints AS e
	JOIN malote.lanes AS l ON l.shard = e.shard AND l.endpoint_id = e.id `

const (
	selectEndpointSQL = `SELECT ` + endpointColumns + endpointsAndLanes + `
		WHERE e.shard = $1 AND l.shard = $1 AND e.id = $2 AND e.deleted_at IS NULL`

	listEndpointsSQL = `SELECT ` + endpointColumns + endpointsAndLanes + `
		WHERE e.id > $1 AND e.deleted_at IS NULL` + endpointFilter + `
			AND e.shard = $7 AND l.shard = $7 AND e.tenant = $8
		ORDER BY e.id LIMIT $2`

	// Over all shards: only an administrator asks.
	listAllEndpointsSQL = `SELECT ` + endpointColumns + endpointsAndLanes + `
		WHERE e.id > $1 AND e.deleted_at IS NULL` + endpointFilter + ` ORDER BY e.id LIMIT $2`

	endpointFilter = `
		AND ($3 = '' OR l.status = $3) AND ($4 = '' OR ` + circuitPhase + ` = $4)
		AND ($5 = '' OR strpos(lower(e.url), lower($5)) > 0 OR strpos(lower(e.description), lower($5)) > 0)
		AND ($6 = '' OR e.policy = $6)`
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
	endpoint, err := r.readEndpoint(ctx, r.pool, id)
	if err == nil && !owner.owns(endpoint.Tenant) {
		return Endpoint{}, ErrNoEndpoint
	}
	return endpoint, err
}

// EndpointFilter narrows a list of endpoints; the zero value does not.
type EndpointFilter struct {
	Status  delivery.EndpointStatus // "": any
	Circuit circuit.Phase           // at this moment; "": any
	Text    string                  // in the URL or the description, in whatever case
	Policy  string                  // its name; "": any

	Counted bool // add the counts, whose cost grows with the backlogs
}

// Endpoints lists an owner's endpoints, oldest first, without deleted ones.
func (r *Registry) Endpoints(ctx context.Context, owner Owner, page Page, filter EndpointFilter) (_ []Endpoint, more bool, _ error) {
	sql, parameters := listAllEndpointsSQL, []any{page.after(), page.Limit + 1, string(filter.Status), string(filter.Circuit), filter.Text, filter.Policy}
	if !owner.any {
		sql, parameters = listEndpointsSQL, append(parameters, delivery.ShardOf(owner.tenant), owner.tenant)
	}
	rows, _ := r.pool.Query(ctx, sql, parameters...)
	endpoints, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Endpoint, error) { return r.scanEndpoint(row) })
	if err != nil {
		return nil, false, explain("listing endpoints", err)
	}
	endpoints, more = cut(endpoints, page.Limit)
	if filter.Counted {
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

func (r *Registry) readEndpoint(ctx context.Context, from querier, id delivery.ID) (Endpoint, error) {
	endpoint, err := r.scanEndpoint(from.QueryRow(ctx, selectEndpointSQL, id.Shard(), id))
	return endpoint, orMissing(err, ErrNoEndpoint)
}

func (r *Registry) scanEndpoint(row pgx.Row) (e Endpoint, err error) {
	var headers []byte
	var headersKey string
	err = row.Scan(&e.ID, &e.Tenant, &e.URL, &e.Policy, &e.EventTypes, &e.MaxInFlight, &e.Headers,
		&e.AtMostOnce, &e.Description, &e.Metadata, instant{&e.CreatedAt}, instant{&e.UpdatedAt},
		&e.Status, &e.DisabledReason, &e.Limit, &e.ConsecutiveFailures, instant{&e.FirstFailureAt},
		instant{&e.LastFailureAt}, instant{&e.LastSuccessAt}, instant{&e.PausedUntil}, &e.LimitNow, &e.Circuit,
		&e.RateLimit, &e.Rate, &e.OwnFIFO, &e.FIFO, &e.Filter, &headers, &headersKey)
	if err != nil {
		return Endpoint{}, err
	}
	e.SecretHeaders, err = r.headerNames(e.ID, headers, headersKey)
	return e, err
}
