package registry

import (
	"context"
	"hash/fnv"

	"github.com/jackc/pgx/v5"
)

// Advisory locks stand for what has no row of its own to lock. They are held to
// the transaction's end and taken before any row is locked but an idempotency
// key's.
type advisoryLock struct{ class, key int32 }

const (
	adminKeyLocks int32 = 0x6d6c7401
	policyLocks   int32 = 0x6d6c7402
	weightLocks   int32 = 0x6d6c7403
	ownLocks      int32 = 0x6d6c7404
)

var firstAdminKey = advisoryLock{class: adminKeyLocks}

// ownEndpoints stands for the endpoints that Malote makes for itself. It comes
// before the others.
var ownEndpoints = advisoryLock{class: ownLocks}

// policyLock stands for a policy's existence: whoever puts an endpoint on it
// shares the lock, whoever deletes it takes it alone. Two names that collide
// only wait for each other.
func policyLock(name string) advisoryLock { return namedLock(policyLocks, name) }

// weightLock stands for the weight of a tenant's lanes, those that are still to
// be made included: whoever makes one shares the lock, whoever changes the
// weight takes it alone. A policy's lock comes before it.
func weightLock(tenant string) advisoryLock { return namedLock(weightLocks, tenant) }

func namedLock(class int32, name string) advisoryLock {
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(name))
	return advisoryLock{class: class, key: int32(sum.Sum32())}
}

func lockAlone(ctx context.Context, tx pgx.Tx, lock advisoryLock) error {
	_, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1, $2)`, lock.class, lock.key)
	return err
}

func lockShared(ctx context.Context, tx pgx.Tx, lock advisoryLock) error {
	_, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock_shared($1, $2)`, lock.class, lock.key)
	return err
}
