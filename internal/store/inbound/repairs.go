package inbound

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/malotehq/malote/internal/delivery"
)

//go:embed queries/repair.sql
var repairSQL string

//go:embed queries/repairs.sql
var repairsSQL string

//go:embed queries/repairs_of_tenant.sql
var repairsOfTenantSQL string

//go:embed queries/save_repair.sql
var saveRepairSQL string

// Repair is how far a provider's own list has been compared with what came in by
// a source.
type Repair struct {
	SourceID  delivery.ID
	Tenant    string
	Position  string    // the provider's cursor; empty: from the beginning
	CheckedAt time.Time // everything before it was compared; zero: nothing yet
	Found     int64     // events that had not come in, over all time
	FailedAt  time.Time // of the last step; zero: it succeeded
	LastError string    // why it failed, for people
}

// Progress is what one step of a comparison brought.
type Progress struct {
	Position  string
	CheckedAt time.Time // everything before it was compared; zero: nothing yet; it may go back
	Found     int64     // events that had not come in, by this step
	FailedAt  time.Time // zero: it succeeded
	LastError string    // why it failed, for people; cut to MaxDetail bytes
}

// Position is where a source's comparison goes on: a Repair with nothing but the
// source's id if there was none yet, or the source is not there.
func (r *Records) Position(ctx context.Context, source delivery.ID) (Repair, error) {
	rows, _ := r.pool.Query(ctx, repairSQL, source.Shard(), source)
	repair, err := pgx.CollectExactlyOneRow(rows, scanRepair)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return Repair{SourceID: source}, nil
	case err != nil:
		return Repair{}, fmt.Errorf("reading how far a source was compared: %w", err)
	}
	return repair, nil
}

// SavePosition notes a step of a comparison, whose events must be committed
// before: a process that dies in between repeats the step. Two processes that
// compare one source at once do no harm: the position is the last one's, and
// what each found is added up. For a source that is not there it does nothing.
func (r *Records) SavePosition(ctx context.Context, source delivery.ID, progress Progress) error {
	_, err := r.pool.Exec(ctx, saveRepairSQL, source.Shard(), source, progress.Position, orNull(progress.CheckedAt), progress.Found,
		orNull(progress.FailedAt), presentable(progress.LastError))
	if err != nil {
		return fmt.Errorf("saving how far a source was compared: %w", err)
	}
	return nil
}

// orNull sends the zero time as NULL.
func orNull(at time.Time) pgtype.Timestamptz {
	return pgtype.Timestamptz{Time: at, Valid: !at.IsZero()}
}

// Repairs lists a tenant's comparisons, or everybody's for "", in the order of
// the sources' ids, by keyset: after is the next of the page before, zero for
// the first; next is zero at the end.
func (r *Records) Repairs(ctx context.Context, tenant string, after delivery.ID, limit int) (_ []Repair, next delivery.ID, _ error) {
	limit = pageLimit(limit)
	sql, parameters := repairsSQL, []any{[16]byte(after), limit + 1} // the zero ID would be sent as NULL
	if tenant != "" {
		sql, parameters = repairsOfTenantSQL, append(parameters, delivery.ShardOf(tenant), tenant)
	}
	rows, _ := r.pool.Query(ctx, sql, parameters...)
	found, err := pgx.CollectRows(rows, scanRepair)
	if err != nil {
		return nil, delivery.ID{}, fmt.Errorf("listing how far sources were compared: %w", err)
	}
	if len(found) > limit {
		found, next = found[:limit], found[limit-1].SourceID
	}
	return found, next, nil
}

func scanRepair(row pgx.CollectableRow) (p Repair, err error) {
	var checked, failed pgtype.Timestamptz
	err = row.Scan(&p.SourceID, &p.Tenant, &p.Position, &checked, &p.Found, &failed, &p.LastError)
	if checked.Valid {
		p.CheckedAt = checked.Time.UTC()
	}
	if failed.Valid {
		p.FailedAt = failed.Time.UTC()
	}
	return p, err
}
