package store

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"github.com/malotehq/malote/internal/store/outbox"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// MigrationStatus is one migration and when it was applied (zero: not yet).
type MigrationStatus struct {
	Version   int64
	Name      string
	AppliedAt time.Time
}

// Migrate brings the schema to the newest version and makes the partitions of
// the coming days. Several processes may call it at once: a session lock
// serialises them.
func Migrate(ctx context.Context, dsn string) error {
	err := withMigrations(dsn, func(p *goose.Provider) error {
		_, err := p.Up(ctx)
		return err
	})
	if _, isNotThere := errors.AsType[*connectError](err); isNotThere {
		return err
	}
	if err != nil {
		return fmt.Errorf("migrating the database: %w", err)
	}
	if err := outbox.Migrate(ctx, dsn); err != nil {
		return fmt.Errorf("migrating the outbox: %w", err)
	}
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return connecting(err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	return createPartitions(ctx, conn, time.Now())
}

// MigrateTo goes to one version, up only; tests walk the history with it.
func MigrateTo(ctx context.Context, dsn string, version int64) error {
	return withMigrations(dsn, func(p *goose.Provider) error {
		_, err := p.UpTo(ctx, version)
		return err
	})
}

// MigrationsStatus lists every migration that this program knows.
func MigrationsStatus(ctx context.Context, dsn string) ([]MigrationStatus, error) {
	var list []MigrationStatus
	err := withMigrations(dsn, func(p *goose.Provider) error {
		all, err := p.Status(ctx)
		for _, m := range all {
			list = append(list, MigrationStatus{Version: m.Source.Version, Name: m.Source.Path, AppliedAt: m.AppliedAt})
		}
		return err
	})
	return list, err
}

// migrationLock keeps Malotes from migrating one database at once. It is not the
// library's own: an application in the same database may use that.
const migrationLock int64 = 0x6d616c6f7465

// migrationPatience is how long a process waits for another one's migration. It
// asks every second.
const migrationPatience = 10 * time.Minute

func withMigrations(dsn string, do func(*goose.Provider) error) error {
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		return fmt.Errorf("reading the database URL: %w", err)
	}
	db := stdlib.OpenDB(*config)
	defer db.Close()
	// The version table has its place in our schema, and is named with it: a role
	// called malote has that schema in its search path once it exists, and would
	// look for the table elsewhere than where it was made before.
	// Of two processes at the first start, one may be told that it exists now.
	if err := db.Ping(); err != nil {
		return connecting(err)
	}
	if _, err := db.Exec(`CREATE SCHEMA IF NOT EXISTS malote`); err != nil && !isRetryable(err) {
		return fmt.Errorf("making the schema malote: %w", err)
	}
	files, err := fs.Sub(migrationFiles, "migrations")
	if err != nil {
		return err
	}
	locker, err := lock.NewPostgresSessionLocker(
		lock.WithLockID(migrationLock), lock.WithLockTimeout(1, uint64(migrationPatience.Seconds())))
	if err != nil {
		return err
	}
	provider, err := goose.NewProvider(goose.DialectPostgres, db, files,
		goose.WithSessionLocker(locker), goose.WithTableName("malote.migrations"))
	if err != nil {
		return err
	}
	return do(provider)
}

// connectError says in one line why there is no connection; its cause, with all
// the layers that the driver puts around it, is for errors.As.
type connectError struct {
	says  string
	cause error
}

func (e *connectError) Error() string { return e.says }
func (e *connectError) Unwrap() error { return e.cause }

func connecting(err error) error {
	var refusal *pgconn.PgError
	var network *net.OpError
	switch {
	case errors.As(err, &refusal):
		return &connectError{says: "the database of DATABASE_URL refuses the connection: " + refusal.Message, cause: err}
	case errors.As(err, &network) && network.Addr != nil:
		return &connectError{says: fmt.Sprintf("the database of DATABASE_URL does not answer at %v: %v", network.Addr, network.Err), cause: err}
	default:
		return fmt.Errorf("connecting to the database: %w", err)
	}
}
