package watch

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/delivery"
)

//go:embed queries/signals_of_tenant.sql
var signalsOfTenantSQL string

//go:embed queries/signals_of_endpoint.sql
var signalsOfEndpointSQL string

//go:embed queries/signals.sql
var signalsSQL string

// The length of a page (api.md): longer ones are cut, and zero or less is the
// default.
const (
	DefaultLimit = 50
	MaxLimit     = 250
)

// Filter says which signals to list. The zero value lists all of all tenants.
type Filter struct {
	Tenant string
	Kind   delivery.SignalKind // also one of the circuit's; "": all
	Since  time.Time           // raised then or later; zero: no bound

	EndpointID delivery.ID // zero: of whatever endpoint, or none
}

// Signal is something that somebody should hear of.
type Signal = delivery.Signal

// Page is one page of signals.
type Page struct {
	Signals []Signal
	Next    delivery.ID // after for the following page; zero: this is the last
}

// Signals lists signals, newest first, by keyset: after is the Next of the page
// before, zero for the first.
func (w *Watcher) Signals(ctx context.Context, filter Filter, after delivery.ID, limit int) (Page, error) {
	if limit <= 0 {
		limit = DefaultLimit
	}
	limit = min(limit, MaxLimit)
	if after.IsZero() {
		after = delivery.ID(bytes.Repeat([]byte{0xff}, len(after)))
	}
	since := filter.Since
	if since.Before(time.Unix(0, 0)) {
		since = time.Unix(0, 0)
	}
	sql, parameters := signalsSQL, []any{delivery.FloorID(since), after, string(filter.Kind), limit + 1}
	switch {
	case !filter.EndpointID.IsZero():
		sql, parameters = signalsOfEndpointSQL, append(parameters, filter.EndpointID.Shard(), filter.EndpointID, filter.Tenant)
	case filter.Tenant != "":
		sql, parameters = signalsOfTenantSQL, append(parameters, delivery.ShardOf(filter.Tenant), filter.Tenant)
	}
	rows, _ := w.store.Pool().Query(ctx, sql, parameters...)
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (s Signal, err error) {
		err = row.Scan(&s.ID, &s.Tenant, &s.Kind, &s.Detail, &s.EndpointID, &s.DeliveryID, &s.EventID, &s.EventType, &s.At)
		s.At = s.At.UTC()
		return s, err
	})
	if err != nil {
		return Page{}, fmt.Errorf("listing signals: %w", err)
	}
	page := Page{Signals: found}
	if len(found) > limit {
		page.Signals, page.Next = found[:limit], found[limit-1].ID
	}
	return page, nil
}
