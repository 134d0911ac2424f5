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
	MaxInFlight *int // 0: back to the policy's default
	Headers     *map[string]string
	AtMostOnce  *bool
	Description *string
	Metadata    *map[string]string
}

const (
	updateEndpointSQL = `UPDATE malote.endpoints AS e
		SET url = coalesce($3, e.url), policy = coalesce($4, e.policy), event_types = coalesce($5, e.event_types),
			max_in_flight = nullif(coalesce($6, e.max_in_flight), 0), headers = coalesce($7, e.headers),
			at_most_once = coalesce($8, e.at_most_once), description = coalesce($9, e.description),
			metadata = coalesce($10, e.metadata), updated_at = now()
		WHERE e.shard = $1 AND e.id = $2
		RETURNING e.policy, coalesce(e.max_in_flight, 0)`

	limitLaneSQL = `UPDATE malote.lanes AS l SET max_in_flight = $3, claim_limit = $4, lease_seconds = $5
		WHERE l.shard = $1 AND l.endpoint_id = $2`

	// A lane that is full is woken by nothing but a completion, and under a
	// higher limit it is not full any more.
	wakeFullLaneSQL = `UPDATE malote.lanes AS l SET ready_at = greatest(now(), l.paused_until), parked_full = false
		WHERE l.shard = $1 AND l.endpoint_id = $2 AND l.parked_full AND l.status = 'active'`
)

// UpdateEndpoint changes what the patch names. Defaults are those of the policy
// that the endpoint has afterwards; if somebody else changed that meanwhile,
// and the defaults matter, the answer is ErrPolicyChanged.
func (r *Registry) UpdateEndpoint(ctx context.Context, owner Owner, id delivery.ID, patch EndpointPatch, defaults Defaults) (changed Endpoint, _ error) {
	err := r.inTx(ctx, "changing an endpoint", func(tx pgx.Tx) error {
		if patch.Policy != nil {
			if err := r.holdPolicy(ctx, tx, *patch.Policy); err != nil {
				return err
			}
		}
		err := changeEndpoint(ctx, tx, owner, id, func(l lane) error {
			policy, maxInFlight, err := patchEndpoint(ctx, tx, l, patch)
			if err != nil || patch.Policy == nil && patch.MaxInFlight == nil {
				return err
			}
			if policy != defaults.Policy {
				return ErrPolicyChanged
			}
			return setLimit(ctx, tx, l, defaults.limit(maxInFlight), defaults.LeaseSeconds)
		})
		if err != nil {
			return err
		}
		changed, err = readEndpoint(ctx, tx, id)
		return err
	})
	if err != nil {
		return Endpoint{}, err
	}
	return changed, nil
}

func patchEndpoint(ctx context.Context, tx pgx.Tx, l lane, patch EndpointPatch) (policy string, maxInFlight int, err error) {
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
	err = tx.QueryRow(ctx, updateEndpointSQL, l.shard, l.id, patch.URL, patch.Policy, types, patch.MaxInFlight,
		headers, patch.AtMostOnce, patch.Description, metadata).Scan(&policy, &maxInFlight)
	return policy, maxInFlight, err
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
