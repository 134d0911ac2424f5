package benchdata

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/url"
	"strings"

	"github.com/jackc/pgx/v5"
)

// Database is one connection to a server that is measured. It is for one
// goroutine at a time.
type Database struct{ conn *pgx.Conn }

// Connect fails when the server cannot be reached within ctx.
func Connect(ctx context.Context, dsn string) (*Database, error) {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return nil, fmt.Errorf("connecting to PostgreSQL: %w", err)
	}
	return &Database{conn}, nil
}

// Close ends the connection.
func (d *Database) Close(ctx context.Context) error { return d.conn.Close(ctx) }

// namePrefix begins the name of every database that Create makes.
const namePrefix = "malote_bench_"

// Create makes an empty database on the server and returns its URL, which is the
// given one's with another name, and its name.
func (d *Database) Create(ctx context.Context, dsn string) (made, name string, _ error) {
	address, err := url.Parse(dsn)
	if err != nil || address.Scheme == "" {
		return "", "", fmt.Errorf("reading the database URL: it must begin with postgres://")
	}
	name = namePrefix + strings.ToLower(rand.Text())
	if _, err := d.conn.Exec(ctx, `CREATE DATABASE `+pgx.Identifier{name}.Sanitize()); err != nil {
		return "", "", fmt.Errorf("making a database to measure in: %w; its user needs CREATEDB", err)
	}
	address.Path = "/" + name
	return address.String(), name, nil
}

// Drop removes a database that Create made, whoever is connected to it.
func (d *Database) Drop(ctx context.Context, name string) error {
	if !strings.HasPrefix(name, namePrefix) {
		return fmt.Errorf("the database %q is none of a measurement", name)
	}
	if _, err := d.conn.Exec(ctx, `DROP DATABASE IF EXISTS `+pgx.Identifier{name}.Sanitize()+` WITH (FORCE)`); err != nil {
		return fmt.Errorf("removing the database %s: %w", name, err)
	}
	return nil
}

// Counters are the database's own, since it was made. The sessions of a database
// tell of what they did at most once a second.
type Counters struct {
	WAL     int64 // bytes that the whole server wrote
	Commits int64
	Rows    int64 // inserted, updated and deleted
}

// Counters reads them.
func (d *Database) Counters(ctx context.Context) (c Counters, _ error) {
	err := d.conn.QueryRow(ctx, `SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn, s.xact_commit,
			s.tup_inserted + s.tup_updated + s.tup_deleted
		FROM pg_stat_database s WHERE s.datname = current_database()`).Scan(&c.WAL, &c.Commits, &c.Rows)
	if err != nil {
		return c, fmt.Errorf("reading the database's counters: %w", err)
	}
	return c, nil
}

// telling are the settings that figures depend on most.
var telling = []string{
	"fsync", "synchronous_commit", "full_page_writes", "wal_compression", "shared_buffers", "max_wal_size",
	"checkpoint_timeout", "max_connections", "random_page_cost", "jit",
}

// Setting is one of the server's.
type Setting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Settings tells the server's version and those settings that figures depend on.
func (d *Database) Settings(ctx context.Context) (version string, settings []Setting, _ error) {
	if err := d.conn.QueryRow(ctx, `SELECT current_setting('server_version')`).Scan(&version); err != nil {
		return "", nil, fmt.Errorf("reading the database's version: %w", err)
	}
	rows, _ := d.conn.Query(ctx, `SELECT name, current_setting(name) FROM unnest($1::text[]) WITH ORDINALITY AS t (name, place) ORDER BY place`, telling)
	settings, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Setting])
	if err != nil {
		return "", nil, fmt.Errorf("reading the database's settings: %w", err)
	}
	return version, settings, nil
}
