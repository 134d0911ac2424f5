package outbox

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// migrationLock keeps two installations of one database apart.
const migrationLock int64 = 0x6d616c6f7466

// lockPatience is how long one waits for the other, in seconds.
const lockPatience = 120

// ErrIsMalote is returned for what must not be done to Malote's own database,
// whose outbox comes and goes with the rest of its schema.
var ErrIsMalote = errors.New("this is Malote's own database, which has its outbox already")

// Migrate brings the outbox of the database to the newest version, and makes it
// where there is none. Whoever runs it needs the right to create the schema
// malote, or to create in it.
func Migrate(ctx context.Context, dsn string) error {
	return withMigrations(ctx, dsn, func(p *goose.Provider) error {
		_, err := p.Up(ctx)
		return err
	})
}

// Newest is the version of the outbox that this program installs and carries.
func Newest() int64 {
	files, _ := fs.Glob(migrationFiles, "migrations/*.sql") // the pattern is sound
	return int64(len(files))
}

func withMigrations(ctx context.Context, dsn string, do func(*goose.Provider) error) error {
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		return unreadable(err)
	}
	config.ConnectTimeout = connectTimeout
	config.RuntimeParams["client_encoding"] = settings["client_encoding"]
	db := stdlib.OpenDB(*config)
	defer db.Close()
	if err := makeSchema(ctx, db); err != nil {
		return err
	}
	files, err := fs.Sub(migrationFiles, "migrations")
	if err != nil {
		return err
	}
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockID(migrationLock), lock.WithLockTimeout(1, lockPatience))
	if err != nil {
		return err
	}
	provider, err := goose.NewProvider(goose.DialectPostgres, db, files,
		goose.WithSessionLocker(locker), goose.WithTableName("malote.outbox_migrations"))
	if err != nil {
		return err
	}
	return do(provider)
}

// makeSchema asks first: a role may own the schema without the right to make one.
// It asks again when it fails: somebody else may have made it at the same moment.
func makeSchema(ctx context.Context, db *sql.DB) error {
	isThere, err := hasSchema(ctx, db)
	if err != nil || isThere {
		return err
	}
	_, err = db.ExecContext(ctx, `CREATE SCHEMA IF NOT EXISTS malote`)
	if err == nil {
		return nil
	}
	if isThere, _ := hasSchema(ctx, db); isThere {
		return nil
	}
	return fmt.Errorf("making the schema malote: %w", err)
}

func hasSchema(ctx context.Context, db *sql.DB) (isThere bool, _ error) {
	if err := db.QueryRowContext(ctx, `SELECT to_regnamespace('malote') IS NOT NULL`).Scan(&isThere); err != nil {
		return false, connecting(err)
	}
	return isThere, nil
}

// unreadable leaves out the driver's words, which quote the DSN.
func unreadable(error) error {
	return errors.New("the outbox's database URL cannot be read: write it like postgres://user@host:5432/database")
}
