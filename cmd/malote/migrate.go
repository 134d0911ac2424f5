package main

import (
	"fmt"
	"strconv"
	"time"

	"github.com/malotehq/malote/internal/store"
)

type migrateCommands struct {
	Up     migrateUpCommand     `cmd:"" help:"Bring the database to the newest schema and make the partitions of the coming days."`
	Status migrateStatusCommand `cmd:"" help:"List migrations and when they were applied."`
}

// Help implements kong.HelpProvider.
func (migrateCommands) Help() string {
	return `malote serve migrates by itself.

Example:
  DATABASE_URL=postgres://malote@db.example/malote malote migrate status`
}

// databaseFlags are shared by the commands that look at a database themselves.
type databaseFlags struct {
	DatabaseURL string `help:"The PostgreSQL." env:"DATABASE_URL,MALOTE_DATABASE_URL" placeholder:"URL"`
}

func (f *databaseFlags) dsn() (string, error) {
	if f.DatabaseURL == "" {
		return "", &usageError{"there is no database: set DATABASE_URL (a private PostgreSQL is migrated by malote serve itself)"}
	}
	return f.DatabaseURL, nil
}

type migrateUpCommand struct{ databaseFlags }

// Help implements kong.HelpProvider.
func (migrateUpCommand) Help() string {
	return `malote serve does the same when it starts; this is for deployments that migrate before.

Example:
  DATABASE_URL=postgres://malote@db.example/malote malote migrate up`
}

// Run implements the command.
func (f *migrateUpCommand) Run(env *environment) error {
	dsn, err := f.dsn()
	if err != nil {
		return err
	}
	progress := env.progress("migrating")
	defer progress.stop()
	before, err := store.MigrationsStatus(env.ctx, dsn)
	if err != nil {
		return databaseError(err)
	}
	if err := store.Migrate(env.ctx, dsn); err != nil {
		return databaseError(err)
	}
	progress.stop()
	for _, m := range before {
		if m.AppliedAt.IsZero() {
			fmt.Fprintf(env.stdout, "Applied %s\n", m.Name)
		}
	}
	_, err = fmt.Fprintln(env.stdout, "The database is up to date.")
	return err
}

type migrateStatusCommand struct {
	databaseFlags
	JSON bool `name:"json" help:"Print one JSON object a line."`
}

// Help implements kong.HelpProvider.
func (migrateStatusCommand) Help() string {
	return `Exits with 1 if a migration is missing.

Example:
  DATABASE_URL=postgres://malote@db.example/malote malote migrate status`
}

// Run implements the command.
func (f *migrateStatusCommand) Run(env *environment) error {
	dsn, err := f.dsn()
	if err != nil {
		return err
	}
	migrations, err := store.MigrationsStatus(env.ctx, dsn)
	if err != nil {
		return databaseError(err)
	}
	out := newTable(env.stdout)
	if !f.JSON {
		out.row("VERSION", "MIGRATION", "APPLIED")
	}
	missing := 0
	for _, m := range migrations {
		var applied *time.Time
		if m.AppliedAt.IsZero() {
			missing++
		} else {
			applied = &m.AppliedAt
		}
		if f.JSON {
			fmt.Fprintf(env.stdout, "%s\n", encoded(map[string]any{"version": m.Version, "name": m.Name, "applied_at": applied}))
			continue
		}
		out.row(strconv.FormatInt(m.Version, 10), m.Name, stamp(applied))
	}
	out.flush()
	if missing > 0 {
		return fmt.Errorf("%s missing: run malote migrate up, or start malote serve", counted(missing, "migration"))
	}
	return nil
}

// databaseError says what to do about a database that cannot be used.
func databaseError(err error) error {
	return fmt.Errorf("%w; check DATABASE_URL and that PostgreSQL runs", err)
}
