package history

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/delivery"
)

//go:embed queries/worklist_of_tenant.sql
var worklistOfTenantSQL string

//go:embed queries/worklist_of_all.sql
var worklistOfAllSQL string

// Worklist asks for a page of the dead deliveries that wait for somebody, by when
// their events were accepted.
type Worklist struct {
	DeadFilter
	NewestFirst bool
	After       delivery.ID // the page before ended here; zero: the first page
	Limit       int         // at most MaxLimit; 0: DefaultLimit
}

// Worklist lists dead deliveries, failed tests apart. The order and the place of a
// page hold while others are taken off the list: what comes after an id stays after
// it.
func (r *Reader) Worklist(ctx context.Context, asked Worklist) (DeliveryPage, error) {
	var page DeliveryPage
	limit := pageLimit(asked.Limit)
	err := r.inSnapshot(ctx, func(tx pgx.Tx) (err error) {
		if asked.DeadFilter, err = asked.withTenant(ctx, tx); err != nil || asked.isNobodys() {
			return err
		}
		sql, parameters := asked.statement(time.Now(), limit+1)
		rows, _ := tx.Query(ctx, sql, append([]any{planned}, parameters...)...)
		page.Deliveries, err = pgx.CollectRows(rows, scanDelivery)
		return err
	})
	if err != nil {
		return DeliveryPage{}, fmt.Errorf("listing dead deliveries: %w", err)
	}
	if !asked.NewestFirst {
		slices.Reverse(page.Deliveries) // the rows are always shown newest first
	}
	if len(page.Deliveries) > limit {
		page.Deliveries = page.Deliveries[:limit]
		page.Next = page.Deliveries[limit-1].ID
	}
	return page, nil
}

func (w Worklist) statement(now time.Time, limit int) (string, []any) {
	span := between(time.Time{}, time.Time{}).below(floorID(now.Add(clockSkew)))
	switch {
	case w.After.IsZero():
	case w.NewestFirst:
		span = span.below(w.After)
	default:
		span = span.above(w.After)
	}
	first, last := span.events()
	parameters := []any{span.from, span.to, first, last, limit, w.EventType, w.Reason, w.ErrorCode}
	sql := worklistOfAllSQL
	if w.Tenant != "" {
		sql, parameters = worklistOfTenantSQL, append(parameters, delivery.ShardOf(w.Tenant), w.Tenant, w.EndpointID)
	}
	if w.NewestFirst {
		sql = strings.Replace(sql, "d.id ASC", "d.id DESC", 1)
	}
	return sql + deliveryRowsSQL, parameters
}
