package redelivery

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/delivery"
)

//go:embed queries/resolve_many.sql
var resolveManySQL string

// Resolved is what became of one of several deliveries.
type Resolved struct {
	ID     delivery.ID
	Tenant string         // "" if it was not found
	State  delivery.State // that it has now; "": it was not found
	Done   bool           // it was dead, and is resolved now
}

// ResolveMany is Resolve for several, of any tenant if none is named: those that
// are dead are resolved, all with the same reason, and the others stay as they are.
// The answer is in the order of the ids; a repeated one counts once.
func (w *Writer) ResolveMany(ctx context.Context, ids []delivery.ID, tenant, reason string) ([]Resolved, error) {
	text, err := resolution(reason)
	if err != nil {
		return nil, err
	}
	ids = unique(ids)
	if len(ids) > MaxReplay {
		return nil, fmt.Errorf("%w: %d, at most %d", ErrTooMany, len(ids), MaxReplay)
	}
	var found map[delivery.ID]Resolved
	err = w.inTx(ctx, nil, func(tx pgx.Tx) error {
		found = make(map[delivery.ID]Resolved, len(ids))
		return inOrder(byShard(ids), func(shard delivery.Shard, ids []delivery.ID) error {
			return resolveShard(ctx, tx, shard, ids, tenant, text, found)
		})
	})
	if err != nil {
		return nil, fmt.Errorf("resolving deliveries: %w", err)
	}
	results := make([]Resolved, len(ids))
	for i, id := range ids {
		results[i] = found[id]
		results[i].ID = id
	}
	return results, nil
}

// resolveShard resolves what it can, then looks what the rest is.
func resolveShard(ctx context.Context, tx pgx.Tx, shard delivery.Shard, ids []delivery.ID, tenant, text string, found map[delivery.ID]Resolved) error {
	var one Resolved
	resolved := 0
	rows, _ := tx.Query(ctx, resolveManySQL, planned, shard, ids, delivery.ResolvedByUser, text, tenant)
	_, err := pgx.ForEachRow(rows, []any{&one.ID, &one.Tenant}, func() error {
		found[one.ID] = Resolved{ID: one.ID, Tenant: one.Tenant, State: delivery.Resolved, Done: true}
		resolved++
		return nil
	})
	if err != nil || resolved == len(ids) {
		return err
	}
	var c candidate
	rows, _ = tx.Query(ctx, surveySQL, planned, shard, ids)
	_, err = pgx.ForEachRow(rows, []any{&c.id, &c.state, &c.tenant, &c.eventID, &c.endpointID, &c.coalesceKey, &c.policy}, func() error {
		if _, done := found[c.id]; !done && (tenant == "" || tenant == c.tenant) {
			found[c.id] = Resolved{ID: c.id, Tenant: c.tenant, State: c.state}
		}
		return nil
	})
	return err
}
