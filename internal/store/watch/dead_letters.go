package watch

import (
	"context"
	_ "embed"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/delivery"
)

//go:embed queries/many_failures.sql
var manyFailuresSQL string

//go:embed queries/dead_unattended.sql
var deadUnattendedSQL string

//go:embed queries/lock_tenant.sql
var lockTenantSQL string

//go:embed queries/tell_tenant.sql
var tellTenantSQL string

// notice is something about a tenant's dead letters.
type notice struct {
	shard  delivery.Shard
	tenant string
	n      int64
	oldest time.Time   // when the first of them died
	first  delivery.ID // that delivery, if one is worth naming
}

// concern is what there may be to say about dead letters, and how often.
type concern struct {
	kind   delivery.SignalKind
	sql    string
	every  time.Duration // as the query has it
	detail func(notice) string
}

// concerns are those of A07.
var concerns = []concern{
	{delivery.ManyFailures, manyFailuresSQL, time.Hour, func(n notice) string {
		return fmt.Sprintf("%d deliveries entered the DLQ within an hour", n.n)
	}},
	{delivery.DeadUnattended, deadUnattendedSQL, 24 * time.Hour, func(n notice) string {
		return fmt.Sprintf("%d deliveries have been in the DLQ for over 24 hours, neither replayed nor resolved; the oldest since %s",
			n.n, n.oldest.UTC().Format("2006-01-02 15:04 MST"))
	}},
}

// DeadLetters tells of tenants with many new or with old dead letters (A07): the
// one at most once per tenant and hour, the other once per tenant and day. It says
// how many signals that made.
func (w *Watcher) DeadLetters(ctx context.Context) (Raised, error) {
	raised := make(Raised)
	for _, c := range concerns {
		rows, _ := w.store.Pool().Query(ctx, c.sql)
		notices, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (n notice, err error) {
			err = row.Scan(&n.shard, &n.tenant, &n.n, &n.oldest, &n.first)
			return n, err
		})
		if err != nil {
			return raised, fmt.Errorf("looking for %s: %w", c.kind, err)
		}
		for _, n := range notices {
			told, err := w.tell(ctx, c, n)
			if err != nil {
				return raised, fmt.Errorf("telling %s of %s: %w", n.tenant, c.kind, err)
			}
			if told {
				raised[string(c.kind)]++
			}
		}
	}
	return raised, nil
}

func (w *Watcher) tell(ctx context.Context, c concern, n notice) (told bool, err error) {
	err = pgx.BeginFunc(ctx, w.store.Pool(), func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, lockTenantSQL, n.shard, n.tenant); err != nil {
			return err
		}
		var now time.Time
		if err := tx.QueryRow(ctx, `SELECT now()`).Scan(&now); err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, tellTenantSQL, n.shard, delivery.NewID(n.shard, now, w.random), n.tenant, n.first,
			string(c.kind), c.detail(n), c.every.Seconds())
		told = err == nil && tag.RowsAffected() == 1
		return err
	})
	return told, err
}
