package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/malotehq/malote/internal/delivery"
)

// Partitions are made from two days back (a publisher's clock may be wrong by one)
// to two weeks ahead. There is no default partition: rows that silently went
// there could never be dropped by day.
const (
	partitionsBehind = 2
	partitionsAhead  = 14
)

var partitionedTables = []string{"events", "event_renderings", "deliveries", "attempts"}

// CreatePartitions makes what is missing of the partitions around now, as this
// process and as the database see it: events carry the publisher's time, attempts
// the database's. It is cheap when nothing is missing.
func (s *Store) CreatePartitions(ctx context.Context, now time.Time) error {
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("creating partitions: %w", err)
	}
	defer conn.Release()
	return createPartitions(ctx, conn.Conn(), now)
}

// PartitionsUntil is the first instant from today on that not every table has a
// partition for. It is an error if that is today.
func (s *Store) PartitionsUntil(ctx context.Context) (time.Time, error) {
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return time.Time{}, fmt.Errorf("reading the partitions: %w", err)
	}
	defer conn.Release()
	existing, now, err := existingPartitions(ctx, conn.Conn())
	if err != nil {
		return time.Time{}, err
	}
	today := dayOf(now)
	day := today
	for len(missing(day, existing)) == 0 {
		day = day.AddDate(0, 0, 1)
	}
	if day.Equal(today) {
		return time.Time{}, fmt.Errorf("there is no partition for today in %s: run `malote migrate up`", missing(day, existing)[0])
	}
	return day, nil
}

// missing are the tables that have no partition for a day.
func missing(day time.Time, existing map[string]bool) []string {
	return slices.DeleteFunc(slices.Clone(partitionedTables), func(table string) bool {
		return existing[partitionOf(table, day)]
	})
}

func partitionOf(table string, day time.Time) string { return table + "_" + day.Format(partitionDay) }

func dayOf(t time.Time) time.Time { return t.UTC().Truncate(24 * time.Hour) }

const partitionDay = "20060102"

func createPartitions(ctx context.Context, conn *pgx.Conn, now time.Time) error {
	existing, databaseNow, err := existingPartitions(ctx, conn)
	if err != nil {
		return err
	}
	for _, today := range []time.Time{dayOf(databaseNow), dayOf(now)} {
		for offset := -partitionsBehind; offset <= partitionsAhead; offset++ {
			if err := createDay(ctx, conn, today.AddDate(0, 0, offset), existing); err != nil {
				return err
			}
		}
	}
	return nil
}

// createDay makes what a day lacks, in one transaction.
func createDay(ctx context.Context, conn *pgx.Conn, day time.Time, existing map[string]bool) error {
	tables := missing(day, existing)
	if len(tables) == 0 {
		return nil
	}
	err := pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		for _, table := range tables {
			if err := createPartition(ctx, tx, table, partitionOf(table, day), day); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil && !isMadeByAnother(err) {
		return fmt.Errorf("creating the partitions of %s: %w", day.Format(time.DateOnly), err)
	}
	for _, table := range tables {
		existing[partitionOf(table, day)] = true
	}
	return nil
}

// isMadeByAnother recognises the ways in which making a table fails that another
// process makes at the same time: it is there, or its type is, or the rows that
// describe it are.
func isMadeByAnother(err error) bool {
	var pgErr *pgconn.PgError
	return errors.As(err, &pgErr) && slices.Contains([]string{"42P07", "42710", uniqueViolation}, pgErr.Code)
}

// existingPartitions gives the names of all partitions, and the database's time.
func existingPartitions(ctx context.Context, conn *pgx.Conn) (existing map[string]bool, now time.Time, err error) {
	if err := conn.QueryRow(ctx, `SELECT now()`).Scan(&now); err != nil {
		return nil, now, fmt.Errorf("asking for the database's time: %w", err)
	}
	rows, _ := conn.Query(ctx, `SELECT c.relname::text FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
		JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'malote'`)
	existing = make(map[string]bool)
	var name string
	_, err = pgx.ForEachRow(rows, []any{&name}, func() error {
		existing[name] = true
		return nil
	})
	if err != nil {
		return nil, now, fmt.Errorf("listing partitions: %w", err)
	}
	return existing, now, nil
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
