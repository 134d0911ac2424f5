package history

import (
	"context"
	_ "embed"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/delivery"
)

// DeadLimit bounds how many dead deliveries DeadLetters looks at.
const DeadLimit = 20_000

// DeadLetters is what is dead, failed tests apart: those are told to who asked
// for them.
type DeadLetters struct {
	Groups []DeadGroup // the largest first
	Capped bool        // there are more than DeadLimit: not all were looked at
}

// DeadGroup is the dead deliveries of one endpoint that ended alike.
type DeadGroup struct {
	Tenant     string
	EndpointID delivery.ID
	URL        string // the endpoint's, also a deleted one's
	Reason     delivery.Reason
	LastError  delivery.ErrorCode
	LastStatus int // 0: no answer was read
	Count      int
	Late       int // of those: dead for over 24 hours (A07)
	Oldest     time.Time
	Newest     time.Time
}

// DeadFilter says which dead deliveries are meant, failed tests apart. Conditions
// are joined by "and"; the zero value means all of all tenants.
type DeadFilter struct {
	Tenant     string
	EndpointID delivery.ID
	EventType  string
	Reason     delivery.Reason
	ErrorCode  delivery.ErrorCode // of the last attempt
}

//go:embed queries/dead_of_tenant.sql
var deadOfTenantSQL string

//go:embed queries/dead_of_all.sql
var deadOfAllSQL string

// DeadLetters groups what is dead.
func (r *Reader) DeadLetters(ctx context.Context, filter DeadFilter) (DeadLetters, error) {
	var dead DeadLetters
	err := r.inSnapshot(ctx, func(tx pgx.Tx) (err error) {
		if filter, err = filter.withTenant(ctx, tx); err != nil || filter.isNobodys() {
			return err
		}
		sql, parameters := deadOfAllSQL, []any{planned, DeadLimit + 1, filter.EventType, filter.Reason, filter.ErrorCode}
		if filter.Tenant != "" {
			sql, parameters = deadOfTenantSQL, append(parameters, delivery.ShardOf(filter.Tenant), filter.Tenant, filter.EndpointID)
		}
		rows, _ := tx.Query(ctx, sql, parameters...)
		dead.Groups, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (g DeadGroup, err error) {
			err = row.Scan(&g.Tenant, &g.EndpointID, &g.URL, &g.Reason, &g.LastError, &g.LastStatus, &g.Count, &g.Late, &g.Oldest, &g.Newest)
			g.Oldest, g.Newest = g.Oldest.UTC(), g.Newest.UTC()
			return g, err
		})
		return err
	})
	if err != nil {
		return DeadLetters{}, fmt.Errorf("grouping dead deliveries: %w", err)
	}
	count := 0
	for _, group := range dead.Groups {
		count += group.Count
	}
	dead.Capped = count > DeadLimit
	return dead, nil
}

// withTenant adds whose the endpoint is: dead deliveries are indexed by tenant.
func (f DeadFilter) withTenant(ctx context.Context, tx pgx.Tx) (_ DeadFilter, err error) {
	if f.Tenant == "" && !f.EndpointID.IsZero() {
		f.Tenant, err = tenantOf(ctx, tx, f.EndpointID)
	}
	return f, err
}

// isNobodys says of a filter withTenant that its endpoint never was.
func (f DeadFilter) isNobodys() bool { return f.Tenant == "" && !f.EndpointID.IsZero() }
