package history

import (
	"context"
	_ "embed"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/delivery"
)

// DeliveryFilter says which deliveries to list, newest first. The zero value
// lists all of all tenants. Conditions are joined by "and": an endpoint of
// another tenant than the one named gives an empty list.
type DeliveryFilter struct {
	Tenant     string
	EndpointID delivery.ID
	EventID    delivery.ID
	State      delivery.State     // "": all
	EventType  string             // exact; "": all
	Reason     delivery.Reason    // why it was closed; "": all
	ErrorCode  delivery.ErrorCode // of the last attempt; "": all
	Since      time.Time          // of events accepted then or later; zero: no bound
	Until      time.Time          // of events accepted before; zero: no bound
	After      delivery.ID        // the page before ended here; zero: the first page
	Limit      int                // at most MaxLimit; 0: DefaultLimit
}

// DeliveryPage is one page of deliveries.
type DeliveryPage struct {
	Deliveries []delivery.Delivery

	// Next is the filter's After for the following page; zero: this is the
	// last. A page with a Next may be short, even empty: deliveries that the
	// filter leaves out are looked through for a bounded time.
	Next delivery.ID
}

//go:embed queries/page_of_event.sql
var pageOfEventSQL string

//go:embed queries/page_of_endpoint.sql
var pageOfEndpointSQL string

//go:embed queries/page_of_tenant.sql
var pageOfTenantSQL string

//go:embed queries/page_of_dead.sql
var pageOfDeadSQL string

//go:embed queries/page_of_undelivered.sql
var pageOfUndeliveredSQL string

//go:embed queries/page_of_everything.sql
var pageOfEverythingSQL string

// Deliveries lists deliveries by descending id (R04). While rows move between
// the queue and the history a delivery is on one page only: it keeps its id, and
// no range of ids is read twice.
func (r *Reader) Deliveries(ctx context.Context, filter DeliveryFilter) (DeliveryPage, error) {
	var page DeliveryPage
	err := r.inSnapshot(ctx, func(tx pgx.Tx) (err error) {
		if filter.State == delivery.Dead && filter.Tenant == "" && !filter.EndpointID.IsZero() {
			// Dead deliveries are indexed by tenant.
			filter.Tenant, err = tenantOf(ctx, tx, filter.EndpointID)
			if err != nil || filter.Tenant == "" {
				return err
			}
		}
		page, err = walk(ctx, tx, filter, time.Now().Add(r.patience))
		return err
	})
	if err != nil {
		return DeliveryPage{}, fmt.Errorf("listing deliveries: %w", err)
	}
	return page, nil
}

// listing is a way to find one page in a range of ids.
type listing struct {
	sql        string
	parameters int           // how many of readDeliveries' parameters it has
	first      time.Duration // length of the first range; 0: all at once, an index gives the page exactly
}

// listing picks the index to follow. Where there is none that fits exactly, the
// first range is short, so that little is read in vain where much is found.
func (f DeliveryFilter) listing() listing {
	openOnly := f.State.Open()
	anyState := f.State == ""
	indexed := f.EventType == "" && f.Reason == "" && f.ErrorCode == ""
	exact := indexed && (anyState || openOnly)
	switch {
	case !f.EventID.IsZero():
		return listing{pageOfEventSQL, 13, 0}
	case !f.EndpointID.IsZero() && exact:
		return listing{pageOfEndpointSQL, 12, 0}
	case !f.EndpointID.IsZero():
		return listing{pageOfEndpointSQL, 12, time.Minute}
	case f.Tenant != "" && f.State == delivery.Dead && indexed:
		return listing{pageOfDeadSQL, 11, 0}
	case f.Tenant != "" && f.State == delivery.Dead:
		return listing{pageOfDeadSQL, 11, time.Minute}
	case f.Tenant != "" && f.undelivered():
		return listing{pageOfUndeliveredSQL, 11, time.Hour}
	case f.Tenant != "":
		return listing{pageOfTenantSQL, 11, time.Minute}
	default:
		return listing{pageOfEverythingSQL, 9, time.Second}
	}
}

// undelivered says that the filter leaves nothing that was delivered: a delivery's
// last attempt did not fail.
func (f DeliveryFilter) undelivered() bool {
	return f.ErrorCode != "" || f.State != "" && f.State != delivery.Delivered && !f.State.Open()
}

// span is the ids that the filter leaves. The partitions made ahead hold
// nothing but what clocks ahead of ours may have written.
func (f DeliveryFilter) span(now time.Time) idRange {
	span := between(f.Since, f.Until).below(floorID(now.Add(clockSkew)))
	if !f.EventID.IsZero() {
		from, to := delivery.EventRange(f.EventID)
		span = span.startingAt(from).below(to)
	}
	if !f.After.IsZero() {
		span = span.below(f.After)
	}
	return span
}

// rangeGrowth is how many times longer than a range the next one is at most. With
// eight, ten statements reach from one second to years.
const (
	rangeGrowth  = 8
	longestRange = 100 * 365 * 24 * time.Hour
)

// wider gives the length of the range after one that took so long, of the time that
// a page may still take: as long as would use up half of that, if the time lies in
// what was looked through. Where it does not (the machine is busy, the range was as
// good as empty), the walk still goes on in long steps.
func wider(width, took, left time.Duration) time.Duration {
	growth := rangeGrowth
	if took > 0 {
		growth = int(min(max(left/(2*took), 1), rangeGrowth))
	}
	return min(width*time.Duration(growth), longestRange)
}

// walk goes backwards in time, range by range, until the page is full.
func walk(ctx context.Context, tx pgx.Tx, filter DeliveryFilter, deadline time.Time) (DeliveryPage, error) {
	var page DeliveryPage
	limit := pageLimit(filter.Limit)
	list, rest := filter.listing(), filter.span(time.Now())
	width := list.first
	for !rest.empty() {
		begun := time.Now()
		slice := rest
		if width > 0 {
			slice = rest.newest(width, begun)
		}
		found, err := readDeliveries(ctx, tx, list, filter, slice, limit+1-len(page.Deliveries))
		if err != nil {
			return DeliveryPage{}, err
		}
		page.Deliveries = append(page.Deliveries, found...)
		if len(page.Deliveries) > limit {
			page.Deliveries = page.Deliveries[:limit]
			page.Next = page.Deliveries[limit-1].ID
			break
		}
		left := time.Until(deadline)
		if rest.to = slice.from; !rest.empty() && left < 0 {
			page.Next = rest.to
			break
		}
		width = wider(width, time.Since(begun), left)
	}
	return page, nil
}

func readDeliveries(ctx context.Context, tx pgx.Tx, list listing, f DeliveryFilter, slice idRange, limit int) ([]delivery.Delivery, error) {
	sql, parameters := list.statement(f, slice, limit)
	rows, _ := tx.Query(ctx, sql, append([]any{planned}, parameters...)...)
	return pgx.CollectRows(rows, scanDelivery)
}

// statement gives the listing's SQL and parameters, whose order is the same in
// all of them.
func (l listing) statement(f DeliveryFilter, slice idRange, limit int) (string, []any) {
	first, last := slice.events()
	parameters := []any{slice.from, slice.to, first, last, limit,
		f.State, f.EventType, f.Reason, f.ErrorCode, f.Tenant, f.shard(), f.EndpointID, f.EventID}
	return l.sql + deliveryRowsSQL, parameters[:l.parameters]
}

// shard is where all that the filter leaves is, if it names anything.
func (f DeliveryFilter) shard() delivery.Shard {
	switch {
	case !f.EventID.IsZero():
		return f.EventID.Shard()
	case !f.EndpointID.IsZero():
		return f.EndpointID.Shard()
	default:
		return delivery.ShardOf(f.Tenant)
	}
}

//go:embed queries/tenant_of_endpoint.sql
var tenantOfEndpointSQL string

// tenantOf gives "" for an endpoint that never was.
func tenantOf(ctx context.Context, tx pgx.Tx, endpoint delivery.ID) (string, error) {
	rows, _ := tx.Query(ctx, tenantOfEndpointSQL, endpoint.Shard(), endpoint)
	tenants, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(tenants) == 0 {
		return "", err
	}
	return tenants[0], nil
}
