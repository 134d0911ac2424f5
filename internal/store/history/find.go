package history

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/store"
)

//go:embed queries/keyed_events.sql
var keyedEventsSQL string

//go:embed queries/keyed_events_of_all.sql
var keyedEventsOfAllSQL string

// foundAtMost bounds what one key can name over all tenants and sources.
const foundAtMost = 20

// EventsByKey finds events by an idempotency key that is still remembered: their
// publisher's, or one that an inbound source knows repetitions by. An empty tenant
// is all of them, at the cost of a look-up for each.
func (r *Reader) EventsByKey(ctx context.Context, tenant, key string) ([]delivery.Event, error) {
	var found []delivery.Event
	err := r.inSnapshot(ctx, func(tx pgx.Tx) error {
		ids, err := keyedEvents(ctx, tx, tenant, key)
		if err != nil {
			return err
		}
		for _, id := range ids {
			rows, _ := tx.Query(ctx, eventSQL, planned, id.Shard(), id)
			events, err := pgx.CollectRows(rows, scanEvent)
			if err != nil {
				return err
			}
			found = append(found, events...) // none, where the key outlived its event
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("looking for the event of an idempotency key: %w", err)
	}
	return found, nil
}

func keyedEvents(ctx context.Context, tx pgx.Tx, tenant, key string) ([]delivery.ID, error) {
	sql, parameters := keyedEventsOfAllSQL, []any{planned, key, foundAtMost}
	if tenant != "" {
		sql, parameters = keyedEventsSQL, []any{planned, delivery.ShardOf(tenant), tenant, store.PublishScope(tenant), key}
	}
	rows, _ := tx.Query(ctx, sql, parameters...)
	return pgx.CollectRows(rows, pgx.RowTo[delivery.ID])
}
