package history

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/delivery"
)

// HourBounds are the upper bounds of Hour.Latency, in milliseconds; the last
// count is of the rest.
var HourBounds = []int64{10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000}

// Hour is the attempts of one hour.
type Hour struct {
	Hour       time.Time
	OK, Failed int64
	Latency    []int64
}

// HourFilter says whose attempts to count. The zero Tenant and EndpointID are all.
type HourFilter struct {
	Tenant     string
	EndpointID delivery.ID // another tenant's than the one named has no hours
	Since      time.Time   // a whole hour
	Until      time.Time   // not included
}

//go:embed queries/hours_of_endpoint.sql
var hoursOfEndpointSQL string

//go:embed queries/hours_of_tenant.sql
var hoursOfTenantSQL string

//go:embed queries/hours_of_all.sql
var hoursOfAllSQL string

//go:embed queries/hours_of_few.sql
var hoursOfFewSQL string

//go:embed queries/first_hour.sql
var firstHourSQL string

//go:embed queries/hours_settled.sql
var hoursSettledSQL string

// Hours gives the attempts by hour, oldest first; hours without any may be left
// out. Over all it costs a look-up per lane for hours that were not summed up yet:
// the last one or two.
func (r *Reader) Hours(ctx context.Context, filter HourFilter) ([]Hour, error) {
	var hours []Hour
	err := r.inSnapshot(ctx, func(tx pgx.Tx) (err error) {
		switch {
		case !filter.EndpointID.IsZero():
			hours, err = readHours(ctx, tx, hoursOfEndpointSQL, filter.EndpointID.Shard(), filter.Tenant, filter.Since, filter.Until, filter.EndpointID)
		case filter.Tenant != "":
			hours, err = readHours(ctx, tx, hoursOfTenantSQL, delivery.ShardOf(filter.Tenant), filter.Tenant, filter.Since, filter.Until)
		default:
			hours, err = hoursOfAll(ctx, tx, filter.Since, filter.Until)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("counting attempts by hour: %w", err)
	}
	slices.SortFunc(hours, func(a, b Hour) int { return a.Hour.Compare(b.Hour) })
	return hours, nil
}

// fewHours is how many hours are looked up one by one: for more, reading all of
// them takes less. There are more only until they have been summed up, after an
// upgrade.
const fewHours = 6

func hoursOfAll(ctx context.Context, tx pgx.Tx, since, until time.Time) ([]Hour, error) {
	settled, err := readHours(ctx, tx, hoursSettledSQL, since, until)
	if err != nil {
		return nil, err
	}
	known := make(map[time.Time]bool, len(settled))
	for _, hour := range settled {
		known[hour.Hour] = true
	}
	var missing []time.Time
	for hour := since.UTC(); hour.Before(until); hour = hour.Add(time.Hour) {
		if !known[hour] {
			missing = append(missing, hour)
		}
	}
	if len(missing) > fewHours {
		// Before the first hour of all nothing was ever summed up.
		var first *time.Time
		if err := tx.QueryRow(ctx, firstHourSQL, planned).Scan(&first); err != nil || first == nil {
			return settled, err
		}
		missing = slices.DeleteFunc(missing, func(hour time.Time) bool { return hour.Before(*first) })
	}
	sql := hoursOfFewSQL
	if len(missing) > fewHours {
		sql = hoursOfAllSQL
	}
	others, err := readHours(ctx, tx, sql, missing)
	return append(settled, others...), err
}

func readHours(ctx context.Context, tx pgx.Tx, sql string, parameters ...any) ([]Hour, error) {
	rows, _ := tx.Query(ctx, sql, append([]any{planned}, parameters...)...)
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (h Hour, err error) {
		err = row.Scan(&h.Hour, &h.OK, &h.Failed, &h.Latency)
		h.Hour = h.Hour.UTC()
		return h, err
	})
}
