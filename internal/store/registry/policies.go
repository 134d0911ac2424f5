package registry

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
)

// Policy is a contract that a user wrote. It never changes: it is published,
// and endpoints rely on it.
type Policy struct {
	Name      string
	Source    string // the YAML as it came
	CreatedAt time.Time
}

const (
	insertPolicySQL = `INSERT INTO malote.policies AS p (name, source) VALUES ($1, $2)
		ON CONFLICT (name) DO NOTHING RETURNING p.name, p.source, p.created_at`

	selectPolicySQL = `SELECT p.name, p.source, p.created_at FROM malote.policies AS p WHERE p.name = $1`

	listPoliciesSQL = `SELECT p.name, p.source, p.created_at FROM malote.policies AS p ORDER BY p.name COLLATE "C"`

	deletePolicySQL = `DELETE FROM malote.policies AS p WHERE p.name = $1`

	// Over all shards: policies belong to no tenant.
	policyInUseSQL = `SELECT EXISTS (SELECT FROM malote.endpoints AS e WHERE e.policy = $1 AND e.deleted_at IS NULL)`
)

// policiesScope is the idempotency keys': policies belong to no tenant.
var policiesScope = onceScope{shard: 0, name: "policy:"}

// CreatePolicy publishes a policy; created is false if it was there already
// with the very same source, or if the idempotency key is a repeat. A name that
// is taken by another policy, a preset included, is ErrPolicyExists.
func (r *Registry) CreatePolicy(ctx context.Context, name, source string, once Once) (policy Policy, created bool, _ error) {
	if slices.Contains(r.presets, name) {
		return Policy{}, false, ErrPolicyExists
	}
	err := r.inTx(ctx, "creating a policy", func(tx pgx.Tx) error {
		_, first, err := once.first(ctx, tx, policiesScope, r.newID(policiesScope.shard))
		switch {
		case err != nil:
			return err
		case !first:
			created = false
			policy, err = scanPolicy(tx.QueryRow(ctx, selectPolicySQL, name))
			return orDeleted(orMissing(err, ErrNoPolicy))
		}
		policy, created, err = insertPolicy(ctx, tx, name, source)
		return err
	})
	if err != nil {
		return Policy{}, false, err
	}
	return policy, created, nil
}

func insertPolicy(ctx context.Context, tx pgx.Tx, name, source string) (_ Policy, created bool, _ error) {
	policy, err := scanPolicy(tx.QueryRow(ctx, insertPolicySQL, name, source))
	if !errors.Is(err, pgx.ErrNoRows) {
		return policy, err == nil, err
	}
	policy, err = scanPolicy(tx.QueryRow(ctx, selectPolicySQL, name))
	if errors.Is(err, pgx.ErrNoRows) || err == nil && policy.Source != source {
		return Policy{}, false, ErrPolicyExists // no row: it was there, and was deleted just now
	}
	return policy, false, err
}

// Policy finds one that a user wrote.
func (r *Registry) Policy(ctx context.Context, name string) (Policy, error) {
	policy, err := scanPolicy(r.pool.QueryRow(ctx, selectPolicySQL, name))
	return policy, explain("reading a policy", orMissing(err, ErrNoPolicy))
}

// Policies lists all that users wrote, by name.
func (r *Registry) Policies(ctx context.Context) ([]Policy, error) {
	rows, _ := r.pool.Query(ctx, listPoliciesSQL)
	policies, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Policy, error) { return scanPolicy(row) })
	return policies, explain("listing policies", err)
}

// DeletePolicy fails with ErrPolicyInUse while an endpoint has the policy.
func (r *Registry) DeletePolicy(ctx context.Context, name string) error {
	return r.inTx(ctx, "deleting a policy", func(tx pgx.Tx) error {
		if err := lockAlone(ctx, tx, policyLock(name)); err != nil {
			return err
		}
		var inUse bool
		if err := tx.QueryRow(ctx, policyInUseSQL, name).Scan(&inUse); err != nil {
			return err
		}
		if inUse {
			return ErrPolicyInUse
		}
		tag, err := tx.Exec(ctx, deletePolicySQL, name)
		if err == nil && tag.RowsAffected() == 0 {
			return ErrNoPolicy
		}
		return err
	})
}

// holdPolicy makes sure that a policy exists and stays until the transaction's
// end (see the lock order).
func (r *Registry) holdPolicy(ctx context.Context, tx pgx.Tx, name string) error {
	if slices.Contains(r.presets, name) {
		return nil
	}
	if err := lockShared(ctx, tx, policyLock(name)); err != nil {
		return err
	}
	_, err := scanPolicy(tx.QueryRow(ctx, selectPolicySQL, name))
	return orMissing(err, ErrNoPolicy)
}

func scanPolicy(row pgx.Row) (p Policy, err error) {
	err = row.Scan(&p.Name, &p.Source, instant{&p.CreatedAt})
	return p, err
}
