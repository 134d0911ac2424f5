package audit

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/delivery"
)

//go:embed queries/log.sql
var logSQL string

//go:embed queries/log_of_tenant.sql
var logOfTenantSQL string

// The length of a page (api.md): longer ones are cut, and zero or less is the
// default.
const (
	DefaultLimit = 50
	MaxLimit     = 250
)

// Entry is one row of the log.
type Entry struct {
	ID delivery.ID
	Act
	Subject
	At time.Time
}

// Filter says which rows to list, newest first. The zero value lists all of all
// tenants.
type Filter struct {
	Tenant    string
	ActorKind string
	ActorID   string
	Operation string
	SubjectID string
	Since     time.Time   // then or later; zero: no bound
	Until     time.Time   // before; zero: no bound
	Before    delivery.ID // the page before ended here; zero: the first page
	Limit     int

	// OwnActors makes ActorID find no act of the operator's: who reads the page
	// is not shown whose they are.
	OwnActors bool
}

// Page is one page of the log.
type Page struct {
	Entries []Entry
	Next    delivery.ID // Before of the following page; zero: there is none
}

// List gives one page by keyset.
func (l *Log) List(ctx context.Context, filter Filter) (Page, error) {
	limit := filter.Limit
	if limit <= 0 {
		limit = DefaultLimit
	}
	limit = min(limit, MaxLimit)
	from, to := filter.span()
	sql, parameters := logSQL, []any{
		from, to, filter.Operation, filter.ActorID, filter.ActorKind, filter.SubjectID, filter.OwnActors, limit + 1,
	}
	if filter.Tenant != "" {
		sql, parameters = logOfTenantSQL, append(parameters, delivery.ShardOf(filter.Tenant), filter.Tenant)
	}
	rows, _ := l.pool.Query(ctx, sql, parameters...)
	found, err := pgx.CollectRows(rows, scanEntry)
	if err != nil {
		return Page{}, fmt.Errorf("reading the audit log: %w", err)
	}
	page := Page{Entries: found}
	if len(found) > limit {
		page.Entries, page.Next = found[:limit], found[limit-1].ID
	}
	return page, nil
}

// span is the ids that the filter leaves. Before 1970 there are none.
func (f Filter) span() (from, to delivery.ID) {
	epoch := time.Unix(0, 0)
	from, to = delivery.FloorID(latest(f.Since, epoch)), delivery.ID(bytes.Repeat([]byte{0xff}, len(to)))
	if !f.Until.IsZero() {
		to = delivery.FloorID(latest(f.Until, epoch))
	}
	if before := f.Before; !before.IsZero() && bytes.Compare(before[:], to[:]) < 0 {
		to = before
	}
	return from, to
}

func latest(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

func scanEntry(row pgx.CollectableRow) (e Entry, err error) {
	err = row.Scan(&e.ID, &e.Tenant, &e.ActorKind, &e.ActorID, &e.ActorName, &e.ByOperator, &e.Operation,
		&e.Kind, &e.Subject.ID, &e.Detail, &e.Address, &e.At)
	e.At = e.At.UTC()
	return e, err
}
