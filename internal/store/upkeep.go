package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/delivery"
)

// errOnlyLooking ends a transaction without its effects.
var errOnlyLooking = errors.New("only looking")

// Stranded counts the lanes that Sweep would wake, and wakes none. It locks them
// for as long as it looks.
func (s *Store) Stranded(ctx context.Context) (int, error) {
	stranded := 0
	err := pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, sweepLanesSQL, delivery.UnheardInFlight)
		if err != nil {
			return err
		}
		stranded = int(tag.RowsAffected())
		return errOnlyLooking
	})
	if err != nil && !errors.Is(err, errOnlyLooking) {
		return 0, fmt.Errorf("looking for stranded deliveries: %w", err)
	}
	return stranded, nil
}

// DeadRows is one of our tables with what vacuum has yet to remove from it.
type DeadRows struct {
	Table      string
	Live, Dead int64 // as PostgreSQL's statistics estimate them
	VacuumedAt time.Time
}

// DeadRows lists tables and partitions, those with most dead rows first.
func (s *Store) DeadRows(ctx context.Context, limit int) ([]DeadRows, error) {
	rows, _ := s.pool.Query(ctx, `SELECT t.relname, t.n_live_tup, t.n_dead_tup,
			coalesce(greatest(t.last_vacuum, t.last_autovacuum), '0001-01-01Z')
		FROM pg_stat_user_tables t WHERE t.schemaname = 'malote' ORDER BY t.n_dead_tup DESC, t.relname LIMIT $1`, limit)
	list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[DeadRows])
	if err != nil {
		return nil, fmt.Errorf("reading the tables' statistics: %w", err)
	}
	return list, nil
}

// Holder is what keeps vacuum from removing dead rows, and for how long.
type Holder struct {
	What string // a session, a prepared transaction or a replication slot, for people
	Age  time.Duration
}

// OldestHolder finds the session whose snapshot, or prepared transaction whose
// beginning, is the oldest in this database; ok is false where there is none.
func (s *Store) OldestHolder(ctx context.Context) (_ Holder, ok bool, _ error) {
	var holder Holder
	var seconds float64
	err := s.pool.QueryRow(ctx, `SELECT h.what, extract(epoch FROM clock_timestamp() - h.since)::float8 FROM (
			SELECT 'the session ' || a.pid || coalesce(' of ' || nullif(a.application_name, ''), '') || ' (' || a.state || ')' AS what, a.xact_start AS since
			FROM pg_stat_activity a
			WHERE a.datname = current_database() AND a.backend_xmin IS NOT NULL AND a.pid <> pg_backend_pid() AND a.xact_start IS NOT NULL
			UNION ALL
			SELECT 'the prepared transaction ' || quote_literal(p.gid), p.prepared FROM pg_prepared_xacts p WHERE p.database = current_database()
		) h ORDER BY h.since LIMIT 1`).Scan(&holder.What, &seconds)
	if errors.Is(err, pgx.ErrNoRows) {
		return Holder{}, false, nil
	}
	if err != nil {
		return Holder{}, false, fmt.Errorf("looking for what holds vacuum up: %w", err)
	}
	holder.Age = max(0, time.Duration(seconds*float64(time.Second)))
	return holder, true, nil
}
