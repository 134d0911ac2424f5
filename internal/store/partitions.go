package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/malotehq/malote/internal/delivery"
)

// Partitions are made from two days back (a worker's clock may be wrong by one)
// to two weeks ahead. There is no default partition: rows that silently went
// there could never be dropped by day.
const (
	partitionsBehind = 2
	partitionsAhead  = 14
)

var partitionedTables = []string{"events", "event_renderings", "deliveries", "attempts"}

// CreatePartitions makes what is missing of the partitions around now. It is
// cheap when nothing is.
func (s *Store) CreatePartitions(ctx context.Context, now time.Time) error {
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("creating partitions: %w", err)
	}
	defer conn.Release()
	return createPartitions(ctx, conn.Conn(), now)
}

// PartitionsUntil is the first instant that no partition covers yet.
func (s *Store) PartitionsUntil(ctx context.Context) (time.Time, error) {
	const query = `SELECT max(substring(c.relname FROM '\d{8}$')) FROM pg_inherits i
		JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = 'malote.events'::regclass`
	var day *string
	if err := s.pool.QueryRow(ctx, query).Scan(&day); err != nil || day == nil {
		return time.Time{}, fmt.Errorf("reading the partitions: %w", errors.Join(err, errNoPartitions(day)))
	}
	last, err := time.Parse(partitionDay, *day)
	return last.AddDate(0, 0, 1), err
}

func errNoPartitions(day *string) error {
	if day == nil {
		return errors.New("malote.events has none: run `malote migrate up`")
	}
	return nil
}

const partitionDay = "20060102"

func createPartitions(ctx context.Context, conn *pgx.Conn, now time.Time) error {
	existing, err := existingPartitions(ctx, conn)
	if err != nil {
		return err
	}
	today := now.UTC().Truncate(24 * time.Hour)
	for offset := -partitionsBehind; offset <= partitionsAhead; offset++ {
		if err := createDay(ctx, conn, today.AddDate(0, 0, offset), existing); err != nil {
			return err
		}
	}
	return nil
}

// createDay makes what a day lacks, in one transaction.
func createDay(ctx context.Context, conn *pgx.Conn, day time.Time, existing map[string]bool) error {
	err := pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		for _, table := range partitionedTables {
			if name := table + "_" + day.Format(partitionDay); !existing[name] {
				if err := createPartition(ctx, tx, table, name, day); err != nil {
					return err
				}
			}
		}
		return nil
	})
	var pgErr *pgconn.PgError
	if errors.As(err, &pgErr) && (pgErr.Code == "42P07" || pgErr.Code == "42710") {
		return nil // another process is making the same day
	}
	if err != nil {
		return fmt.Errorf("creating the partitions of %s: %w", day.Format(time.DateOnly), err)
	}
	return nil
}

func existingPartitions(ctx context.Context, conn *pgx.Conn) (map[string]bool, error) {
	rows, err := conn.Query(ctx, `SELECT c.relname::text FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
		JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'malote'`)
	if err != nil {
		return nil, fmt.Errorf("listing partitions: %w", err)
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("listing partitions: %w", err)
	}
	existing := make(map[string]bool, len(names))
	for _, name := range names {
		existing[name] = true
	}
	return existing, nil
}

// createPartition makes the table first and attaches it then: attaching takes a
// lock that lets publishes through, CREATE … PARTITION OF would not. Names and
// bounds are our own constants and UUIDs, never input.
func createPartition(ctx context.Context, tx pgx.Tx, table, name string, day time.Time) error {
	from, to := delivery.FloorID(day), delivery.FloorID(day.AddDate(0, 0, 1))
	statement := fmt.Sprintf(`CREATE TABLE malote.%[2]s (LIKE malote.%[1]s INCLUDING DEFAULTS INCLUDING CONSTRAINTS);
		ALTER TABLE malote.%[1]s ATTACH PARTITION malote.%[2]s FOR VALUES FROM ('%[3]s') TO ('%[4]s')`,
		table, name, from, to)
	_, err := tx.Exec(ctx, statement, pgx.QueryExecModeSimpleProtocol)
	return err
}
