package registry

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/circuit"
	"github.com/malotehq/malote/internal/delivery"
)

// EndpointPatch changes what is not nil.
type EndpointPatch struct {
	URL         *string
	Policy      *string
	EventTypes  *[]string
	MaxInFlight *int     // 0: back to the policy's default
	RateLimit   *float64 // attempts a second; 0: back to the policy's default
	FIFO        *bool    // strictly ordered or not, whatever the policy's default is
	Filter      *string  // empty: every event
	Headers     *map[string]string
	// SecretHeaders replaces all of them. A nil value keeps the present one of
	// that name, in upper or lower case; without one it is ErrNoSecretHeader.
	SecretHeaders *map[string]*string
	AtMostOnce    *bool
	Description   *string
	Metadata      *map[string]string
}

const (
	updateEndpointSQL = `UPDATE malote.endpoints AS e
		SET url = coalesce($3, e.url), policy = coalesce($4, e.policy), event_types = coalesce($5, e.event_types),
			max_in_flight = nullif(coalesce($6, e.max_in_flight), 0), headers = coalesce($7, e.headers),
			at_most_once = coalesce($8, e.at_most_once), description = coalesce($9, e.description),
			metadata = coalesce($10, e.metadata), rate_limit = nullif(coalesce($11, e.rate_limit), 0),
			fifo = coalesce($12, e.fifo), filter = coalesce($13, e.filter), updated_at = now()
		WHERE e.shard = $1 AND e.id = $2
		RETURNING e.policy, coalesce(e.max_in_flight, 0), coalesce(e.rate_limit, 0), e.fifo`

	updateHeadersSQL = `UPDATE malote.endpoints AS e SET secret_headers = $3, secret_headers_key = $4
		WHERE e.shard = $1 AND e.id = $2`

	limitLaneSQL = `UPDATE malote.lanes AS l SET max_in_flight = $3, claim_limit = $4, lease_seconds = $5
		WHERE l.shard = $1 AND l.endpoint_id = $2`

	// A lane that is full is woken by nothing but a completion, and under a
	// higher limit it is not full any more.
	wakeFullLaneSQL = `UPDATE malote.lanes AS l
		SET ready_at = greatest(now(), l.paused_until, l.rate_ready_at), parked_full = false
		WHERE l.shard = $1 AND l.endpoint_id = $2 AND l.parked_full AND l.status = 'active'`
)

// UpdateEndpoint changes what the patch names. Defaults are those of the policy that
// the endpoint has afterwards; if somebody else changed that meanwhile, and the
// defaults matter, the answer is ErrPolicyChanged.
func (r *Registry) UpdateEndpoint(ctx context.Context, owner Owner, id delivery.ID, patch EndpointPatch, defaults Defaults) (changed Endpoint, _ error) {
	if err := r.placeAhead(ctx, owner, id, patch, defaults); err != nil {
		return Endpoint{}, explain("ordering an endpoint's deliveries", err)
	}
	err := r.inTx(ctx, "changing an endpoint", func(tx pgx.Tx) error {
		if patch.Policy != nil {
			if err := r.holdPolicy(ctx, tx, *patch.Policy); err != nil {
				return err
			}
		}
		err := changeEndpoint(ctx, tx, owner, id, func(l lane) error {
			own, err := patchEndpoint(ctx, tx, l, patch)
			if err != nil {
				return err
			}
			if err := r.writeHeaders(ctx, tx, l, patch.SecretHeaders); err != nil {
				return err
			}
			return patch.reachLane(ctx, tx, l, own, defaults)
		})
		if err == nil {
			changed, err = r.readEndpoint(ctx, tx, id)
		}
		return err
	})
	if err != nil {
		return Endpoint{}, err
	}
	return changed, nil
}

// ownOptions are an endpoint's own, before its policy's defaults.
type ownOptions struct {
	policy      string
	maxInFlight int
	rateLimit   float64
	fifo        *bool
}

func patchEndpoint(ctx context.Context, tx pgx.Tx, l lane, patch EndpointPatch) (own ownOptions, _ error) {
	var types []string // NULL leaves what is there
	var headers, metadata map[string]string
	if patch.EventTypes != nil {
		types = notNil(*patch.EventTypes)
	}
	if patch.Headers != nil {
		headers = object(*patch.Headers)
	}
	if patch.Metadata != nil {
		metadata = object(*patch.Metadata)
	}
	err := tx.QueryRow(ctx, updateEndpointSQL, l.shard, l.id, patch.URL, patch.Policy, types, patch.MaxInFlight,
		headers, patch.AtMostOnce, patch.Description, metadata, patch.RateLimit, patch.FIFO, patch.Filter).
		Scan(&own.policy, &own.maxInFlight, &own.rateLimit, &own.fifo)
	return own, err
}

func (r *Registry) writeHeaders(ctx context.Context, tx pgx.Tx, l lane, given *map[string]*string) error {
	if given == nil {
		return nil
	}
	headers, err := r.replaceHeaders(ctx, tx, l.id, *given)
	if err != nil {
		return err
	}
	sealed, keyID, err := r.sealHeaders(l.id, headers)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, updateHeadersSQL, l.shard, l.id, sealed, keyID)
	return err
}

// reachLane brings the lane what it has to know.
func (p EndpointPatch) reachLane(ctx context.Context, tx pgx.Tx, l lane, own ownOptions, defaults Defaults) error {
	limits := p.Policy != nil || p.MaxInFlight != nil
	options := p.Policy != nil || p.RateLimit != nil || p.FIFO != nil
	if !limits && !options {
		return nil
	}
	if own.policy != defaults.Policy {
		return ErrPolicyChanged
	}
	if limits {
		if err := setLimit(ctx, tx, l, defaults.limit(own.maxInFlight), defaults.LeaseSeconds); err != nil {
			return err
		}
	}
	if options {
		return setOptions(ctx, tx, l, defaults.rate(own.rateLimit), defaults.fifo(own.fifo))
	}
	return nil
}

// setLimit changes how many may be in flight. A lane that is slowed down or
// whose circuit is not closed keeps its own, lower limit: the circuit raises it
// again when the endpoint deserves it.
func setLimit(ctx context.Context, tx pgx.Tx, l lane, limit, leaseSeconds int) error {
	claimLimit := limit
	if l.circuitPhase != circuit.Closed || l.slowLevel > 0 {
		claimLimit = min(l.claimLimit, limit)
	}
	if _, err := tx.Exec(ctx, limitLaneSQL, l.shard, l.id, limit, claimLimit, leaseSeconds); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, wakeFullLaneSQL, l.shard, l.id)
	return err
}
