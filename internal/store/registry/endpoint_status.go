package registry

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/delivery"
)

// StatusChange is what a person does to an endpoint.
type StatusChange string

// The changes.
const (
	Enable        StatusChange = "enable"          // R06: its failures are forgotten
	DisableByUser StatusChange = "disable_by_user" // R07: pending deliveries stay, new events are skipped
	Pause         StatusChange = "pause"           // events are collected, none is sent
	Resume        StatusChange = "resume"
)

const (
	// A lane that is not active has no work for anybody.
	stopLaneSQL = `UPDATE malote.lanes AS l
		SET status = $3, disabled_reason = '', ready_at = 'infinity', parked_full = false
		WHERE l.shard = $1 AND l.endpoint_id = $2`

	// The lane is made ready whether or not something is pending: looking here
	// would miss what a publisher commits, who still sees the lane stopped and
	// leaves it alone. A claimer looks after this transaction, and parks the
	// lane again by the rules that lose no wake-up (I4).
	resumeLaneSQL = `UPDATE malote.lanes AS l
		SET status = 'active', ready_at = greatest(now(), l.paused_until, l.rate_ready_at), parked_full = false
		WHERE l.shard = $1 AND l.endpoint_id = $2`

	// What is known of its past stays, what was held against it goes: see
	// circuit.State.Reset.
	enableLaneSQL = `UPDATE malote.lanes AS l
		SET status = 'active', disabled_reason = '', disabled_at = NULL, ready_at = now(), parked_full = false,
			claim_limit = l.max_in_flight, circuit_phase = 'closed', opened_at = NULL, opened_count = 0,
			paused_until = NULL, slow_level = 0, slowed_at = NULL, slow_streak = 0, slow_successes = 0,
			consecutive_failures = 0, first_failure_at = NULL, warned_level = 0
		WHERE l.shard = $1 AND l.endpoint_id = $2`
)

// SetStatus enables, disables, pauses or resumes an endpoint. Doing what was
// done already is no error, and enabling an active endpoint ends the pause of
// its circuit. Pause and Resume of a disabled endpoint are ErrEndpointDisabled.
func (r *Registry) SetStatus(ctx context.Context, owner Owner, id delivery.ID, change StatusChange) (changed Endpoint, _ error) {
	err := r.inTx(ctx, fmt.Sprintf("setting an endpoint's status (%s)", change), func(tx pgx.Tx) error {
		err := changeEndpoint(ctx, tx, owner, id, func(l lane) error {
			return setStatus(ctx, tx, l, change)
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

// Tx is the transaction that EnableWith lends to another part of the store.
type Tx = pgx.Tx

// EnableWith enables an endpoint as SetStatus does, and in the same transaction
// runs what is to become of its deliveries (R06). Then the lane and the tenant
// are locked already, and the endpoint takes deliveries. within must have no
// effect but what it does with the transaction: it is called again if the
// transaction has to be. Its error undoes everything and is what errors.Is finds.
func (r *Registry) EnableWith(ctx context.Context, owner Owner, id delivery.ID, within func(ctx context.Context, tx Tx) error) (changed Endpoint, _ error) {
	err := r.inTx(ctx, "enabling an endpoint", func(tx pgx.Tx) error {
		err := changeEndpoint(ctx, tx, owner, id, func(l lane) error {
			if err := setStatus(ctx, tx, l, Enable); err != nil {
				return err
			}
			return within(ctx, tx)
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

func setStatus(ctx context.Context, tx pgx.Tx, l lane, change StatusChange) error {
	disabled := !l.status.Accepts()
	var err error
	switch change {
	case Enable:
		_, err = tx.Exec(ctx, enableLaneSQL, l.shard, l.id)
	case DisableByUser:
		_, err = tx.Exec(ctx, stopLaneSQL, l.shard, l.id, delivery.DisabledByUser)
	case Pause, Resume:
		switch {
		case disabled:
			err = ErrEndpointDisabled
		case change == Pause:
			_, err = tx.Exec(ctx, stopLaneSQL, l.shard, l.id, delivery.Paused)
		case l.status == delivery.Paused:
			_, err = tx.Exec(ctx, resumeLaneSQL, l.shard, l.id)
		}
	default:
		err = fmt.Errorf("there is no such change of status: %q", change)
	}
	return err
}
