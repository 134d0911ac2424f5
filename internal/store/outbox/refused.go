package outbox

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// CountedRows is how far rows are counted: the cost of looking must not grow
// with the backlog.
const CountedRows = 10_000

// Lag is how far an outbox is behind.
type Lag struct {
	Waiting int64         // committed rows that nobody has carried yet, up to CountedRows
	Oldest  time.Duration // since the first of them was written; its transaction may have ended later
	Refused int64         // up to CountedRows
}

// Lag looks at what waits. It has the outbox's own connection.
func (o *Outbox) Lag(ctx context.Context) (Lag, error) {
	conn, err := o.connected(ctx)
	if err != nil {
		return Lag{}, err
	}
	var lag Lag
	var seconds float64
	if err := conn.QueryRow(ctx, lagSQL, CountedRows).Scan(&lag.Waiting, &seconds, &lag.Refused); err != nil {
		o.drop()
		return Lag{}, failed("looking at the outbox", err)
	}
	lag.Oldest = max(0, time.Duration(seconds*float64(time.Second)))
	return lag, nil
}

// Refused is a row that was refused.
type Refused struct {
	ID         string
	Tenant     string
	Type       string
	Bytes      int64
	WrittenAt  time.Time
	RefusedAt  time.Time
	Reason     string
	ExternalID string
}

// Refused lists up to limit refused rows, the oldest first.
func (o *Outbox) Refused(ctx context.Context, limit int) ([]Refused, error) {
	conn, err := o.connected(ctx)
	if err != nil {
		return nil, err
	}
	rows, _ := conn.Query(ctx, `SELECT r.id::text, left(r.tenant, 64), left(r.type, 256), octet_length(r.body), r.written_at, r.refused_at, r.reason, coalesce(left(r.external_id, 256), '')
		FROM malote.outbox_refused AS r ORDER BY r.refused_at, r.id LIMIT $1`, limit)
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (r Refused, err error) {
		err = row.Scan(&r.ID, &r.Tenant, &r.Type, &r.Bytes, &r.WrittenAt, &r.RefusedAt, &r.Reason, &r.ExternalID)
		return r, err
	})
	if err != nil {
		o.drop()
		return nil, failed("listing refused rows", err)
	}
	return list, nil
}

// Retry puts refused rows back into the outbox, all of them where ids is nil,
// and returns how many there were.
func (o *Outbox) Retry(ctx context.Context, ids []string) (int64, error) {
	return o.change(ctx, "putting refused rows back", retrySQL, ids, ids == nil)
}

// Discard removes refused rows for good, and returns how many there were.
func (o *Outbox) Discard(ctx context.Context, ids []string) (int64, error) {
	return o.change(ctx, "discarding refused rows", `DELETE FROM malote.outbox_refused AS r WHERE r.id = ANY($1::text[]::uuid[])`, ids)
}

func (o *Outbox) change(ctx context.Context, what, statement string, arguments ...any) (int64, error) {
	conn, err := o.connected(ctx)
	if err != nil {
		return 0, err
	}
	tag, err := conn.Exec(ctx, statement, arguments...)
	if err != nil {
		o.drop()
		return 0, failed(what, err)
	}
	return tag.RowsAffected(), nil
}

// Version is what is installed; ErrNotInstalled where nothing is.
func Version(ctx context.Context, dsn string) (int64, error) {
	conn, err := connect(ctx, dsn)
	if err != nil {
		return 0, err
	}
	defer closeQuietly(conn)
	return version(ctx, conn)
}
