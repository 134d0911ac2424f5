package inbound

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/delivery"
)

//go:embed queries/rejections.sql
var rejectionsSQL string

//go:embed queries/rejections_of_tenant.sql
var rejectionsOfTenantSQL string

//go:embed queries/rejections_of_source.sql
var rejectionsOfSourceSQL string

// The length of a page (api.md): longer ones are cut, and zero or less is the
// default.
const (
	DefaultLimit = 50
	MaxLimit     = 250
)

// Filter says which rejections to list. The zero value lists all of all tenants.
// Conditions are joined by "and": a source of another tenant than the one named
// gives an empty list.
type Filter struct {
	Tenant   string
	SourceID delivery.ID
	Since    time.Time // whose last request came then or later; zero: no bound
}

// Rejections lists rejections, the last written first, by keyset: after is the
// next of the page before, zero for the first; next is zero at the end.
func (r *Records) Rejections(ctx context.Context, filter Filter, after delivery.ID, limit int) (_ []Rejection, next delivery.ID, _ error) {
	limit = pageLimit(limit)
	if after.IsZero() {
		after = delivery.ID(bytes.Repeat([]byte{0xff}, len(after)))
	}
	since := filter.Since
	if since.Before(time.Unix(0, 0)) {
		since = time.Unix(0, 0)
	}
	sql, parameters := rejectionsSQL, []any{delivery.FloorID(since), after, since, limit + 1}
	switch {
	case !filter.SourceID.IsZero():
		sql, parameters = rejectionsOfSourceSQL, append(parameters, filter.SourceID.Shard(), filter.SourceID, filter.Tenant)
	case filter.Tenant != "":
		sql, parameters = rejectionsOfTenantSQL, append(parameters, delivery.ShardOf(filter.Tenant), filter.Tenant)
	}
	rows, _ := r.pool.Query(ctx, sql, parameters...)
	found, err := pgx.CollectRows(rows, scanRejection)
	if err != nil {
		return nil, delivery.ID{}, fmt.Errorf("listing rejected requests: %w", err)
	}
	if len(found) > limit {
		found, next = found[:limit], found[limit-1].ID
	}
	return found, next, nil
}

func pageLimit(limit int) int {
	if limit <= 0 {
		limit = DefaultLimit
	}
	return min(limit, MaxLimit)
}

func scanRejection(row pgx.CollectableRow) (j Rejection, err error) {
	err = row.Scan(&j.ID, &j.SourceID, &j.Tenant, &j.Reason, &j.Detail, &j.Count, &j.FirstAt, &j.LastAt)
	j.FirstAt, j.LastAt = j.FirstAt.UTC(), j.LastAt.UTC()
	return j, err
}
