package store

import (
	"context"
	_ "embed"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
)

//go:embed queries/expired_leases.sql
var expiredLeasesSQL string

// ExpiredLeases gives at most limit claims whose lease has run out (F12): their
// workers died or stopped. Nothing is locked: whoever completes them finds out
// under the lock whether they are still open. An event that is gone leaves its
// delivery's claim without a type. When they were made is no longer
// known but for their token's time: ClaimedAt is now, the database's.
func (s *Store) ExpiredLeases(ctx context.Context, limit int) (claims []*delivery.Claim, now time.Time, err error) {
	err = s.inHotTx(ctx, "looking for expired leases", func(tx *hotTx) error {
		claims, now = nil, time.Time{}
		begin := &pgx.Batch{}
		begin.Queue(planAnew)
		if err := tx.run(ctx, begin); err != nil {
			return err
		}
		rows, _ := tx.Query(ctx, expiredLeasesSQL, limit)
		var found []*claimRow
		var refs []delivery.LaneRef
		for rows.Next() {
			row := &claimRow{claim: &delivery.Claim{}}
			if err := rows.Scan(append([]any{&now, &row.claim.Token}, row.targets()...)...); err != nil {
				rows.Close()
				return err
			}
			row.claim.ReceivedAt = tx.before
			found = append(found, row)
			refs = append(refs, delivery.LaneRef{Shard: row.endpointID.Shard(), EndpointID: row.endpointID})
		}
		if err := rows.Err(); err != nil || len(found) == 0 {
			return err
		}
		endpoints, err := s.loadEndpoints(ctx, tx, refs)
		if err != nil {
			return err
		}
		batch := &pgx.Batch{}
		queueEvents(batch, found)
		for _, row := range found {
			row.claim.Endpoint = endpoints[row.endpointID]
			if row.claim.Endpoint == nil {
				// Removed by hand, with its tenant. Whatever the policy says, the
				// completion finds no lane, and nothing to try again.
				row.claim.Endpoint = &delivery.Endpoint{ID: row.endpointID, Tenant: row.claim.Event.Tenant, Policy: policy.Default}
			}
			claims = append(claims, row.claim)
		}
		return tx.run(ctx, batch)
	})
	return claims, now, err
}

//go:embed queries/claim_task.sql
var claimTaskSQL string

// ClaimTask says whether this process is to run a periodic task now: of all
// processes, one gets true once per period. A process that dies in the middle
// costs one period.
func (s *Store) ClaimTask(ctx context.Context, name string, every time.Duration) (bool, error) {
	tag, err := s.pool.Exec(ctx, claimTaskSQL, name, every.Seconds())
	if err != nil {
		return false, fmt.Errorf("claiming the task %s: %w", name, err)
	}
	return tag.RowsAffected() == 1, nil
}

//go:embed queries/expire_keys.sql
var expireKeysSQL string

// ExpireKeys removes at most limit idempotency keys that are past their time
// and says how many it removed.
func (s *Store) ExpireKeys(ctx context.Context, limit int) (int, error) {
	tag, err := s.pool.Exec(ctx, expireKeysSQL, limit)
	if err != nil {
		return 0, fmt.Errorf("removing expired idempotency keys: %w", err)
	}
	return int(tag.RowsAffected()), nil
}
