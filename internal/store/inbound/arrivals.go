package inbound

import (
	"context"
	_ "embed"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/delivery"
)

//go:embed queries/add_arrivals.sql
var addArrivalsSQL string

//go:embed queries/arrivals_of_source.sql
var arrivalsOfSourceSQL string

//go:embed queries/arrivals_of_tenant.sql
var arrivalsOfTenantSQL string

//go:embed queries/arrivals_of_all.sql
var arrivalsOfAllSQL string

// Arrivals are what came in by one source in one hour. All but Rejected are
// events; those are requests.
type Arrivals struct {
	Source delivery.ID
	Hour   time.Time // its beginning

	Accepted, Duplicates, Filtered, Rejected int64
}

// AddArrivals adds some to what is there, in one statement. No two of them are of
// the same source and hour; where they are in the order of shard, source and hour,
// two processes that add at once do not wait for each other crosswise.
func (r *Records) AddArrivals(ctx context.Context, arrivals []Arrivals) error {
	if len(arrivals) == 0 {
		return nil
	}
	shards, sources, hours := make([]delivery.Shard, len(arrivals)), make([]delivery.ID, len(arrivals)), make([]time.Time, len(arrivals))
	var counts [4][]int64
	for i, a := range arrivals {
		shards[i], sources[i], hours[i] = a.Source.Shard(), a.Source, a.Hour
		for j, n := range [...]int64{a.Accepted, a.Duplicates, a.Filtered, a.Rejected} {
			counts[j] = append(counts[j], n)
		}
	}
	if _, err := r.pool.Exec(ctx, addArrivalsSQL, shards, sources, hours, counts[0], counts[1], counts[2], counts[3]); err != nil {
		return fmt.Errorf("recording what came in by sources: %w", err)
	}
	return nil
}

// ArrivalsOf gives a source's hours from since to before until, oldest first.
// Hours in which nothing came are left out.
func (r *Records) ArrivalsOf(ctx context.Context, source delivery.ID, since, until time.Time) ([]Arrivals, error) {
	rows, _ := r.pool.Query(ctx, arrivalsOfSourceSQL, source.Shard(), source, since, until)
	return collectArrivals(rows)
}

// Arrivals sums up the hours from since to before until, by source, of all tenants
// if none is named. Sources by which nothing came are left out.
func (r *Records) Arrivals(ctx context.Context, tenant string, since, until time.Time) ([]Arrivals, error) {
	sql, parameters := arrivalsOfAllSQL, []any{since, until}
	if tenant != "" {
		sql, parameters = arrivalsOfTenantSQL, []any{delivery.ShardOf(tenant), tenant, since, until}
	}
	rows, _ := r.pool.Query(ctx, sql, parameters...)
	return collectArrivals(rows)
}

func collectArrivals(rows pgx.Rows) ([]Arrivals, error) {
	arrivals, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (a Arrivals, err error) {
		err = row.Scan(&a.Source, &a.Hour, &a.Accepted, &a.Duplicates, &a.Filtered, &a.Rejected)
		a.Hour = a.Hour.UTC()
		return a, err
	})
	if err != nil {
		return nil, fmt.Errorf("reading what came in by sources: %w", err)
	}
	return arrivals, nil
}
