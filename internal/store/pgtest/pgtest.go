// Package pgtest gives every test a database of its own, with Malote's schema
// in it, on a real PostgreSQL. It must never be imported by anything but tests.
//
// The cluster is the one that MALOTE_TEST_DATABASE_URL names (the test command
// starts it); without it, a private one is started for the package's tests. The
// schema is migrated once into a template; a test's database is a copy of it.
//
// What PostgreSQL says about the time is real, unless a test opens its database
// with OpenAt and moves the Clock.
package pgtest

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/localpg"
	"github.com/malotehq/malote/internal/store"
)

var cluster struct {
	once     sync.Once
	admin    string // DSN of a database from which others are made
	template string // has the schema
	stop     func()
	err      error

	mu   sync.Mutex
	kept []string // databases to be dropped at the end
}

// Main runs a package's tests and then removes what they made for all of them:
// the databases and, if they started it, the cluster. Call it from TestMain:
// os.Exit(pgtest.Main(m)).
func Main(m *testing.M) int {
	code := m.Run()
	if err := dropKept(); err != nil {
		fmt.Fprintln(os.Stderr, "dropping the tests' databases:", err)
		code = max(code, 1)
	}
	if cluster.stop != nil {
		cluster.stop()
	}
	return code
}

// DSN makes a database with the current schema, dropped when the test ends.
func DSN(t testing.TB) string {
	t.Helper()
	prepare(t)
	return database(t, cluster.template)
}

// EmptyDSN makes a database without the schema.
func EmptyDSN(t testing.TB) string {
	t.Helper()
	prepare(t)
	return database(t, "")
}

// Open makes a database and opens a store on it.
func Open(t testing.TB) *store.Store {
	t.Helper()
	return OpenDSN(t, DSN(t))
}

// OpenDSN opens another store, as a second process would, on a test's database.
func OpenDSN(t testing.TB, dsn string) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), store.Options{DSN: dsn, HotConnections: 4, Connections: 4})
	if err != nil {
		t.Fatalf("opening the store: %v", err)
	}
	t.Cleanup(s.Close)
	return s
}

func prepare(t testing.TB) {
	t.Helper()
	cluster.once.Do(prepareCluster)
	if cluster.err != nil {
		t.Fatalf("preparing PostgreSQL for tests: %v", cluster.err)
	}
}

// database makes a copy of a template, or an empty database, for one test.
func database(t testing.TB, template string) (dsn string) {
	t.Helper()
	name := "malote_test_" + randomName()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := execute(ctx, cluster.admin, createStatement(name, template)); err != nil {
		t.Fatalf("creating the test's database: %v", err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := execute(ctx, cluster.admin, "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
			t.Errorf("dropping the test's database: %v", err)
		}
	})
	return withDatabase(cluster.admin, name)
}

func createStatement(name, template string) string {
	if template == "" {
		return "CREATE DATABASE " + name
	}
	// Copying files takes half as long as logging every page, for a schema of
	// many small tables on a cluster that syncs nothing.
	return "CREATE DATABASE " + name + " TEMPLATE " + template + " STRATEGY FILE_COPY"
}

func prepareCluster() {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cluster.admin = os.Getenv("MALOTE_TEST_DATABASE_URL")
	if cluster.admin == "" {
		cluster.admin, cluster.stop, cluster.err = startCluster(ctx)
	}
	if cluster.err == nil {
		cluster.template, cluster.err = makeTemplate(ctx, "", store.Migrate)
	}
}

func startCluster(ctx context.Context) (dsn string, stop func(), err error) {
	// Where it lies is the server's choice: whoever may run it must be let in.
	server, err := localpg.Start(ctx, localpg.Options{Ephemeral: true})
	if err != nil {
		return "", nil, err
	}
	return server.URL(), func() { _ = server.Stop(context.Background()) }, nil
}

// makeTemplate makes a database, from another template or from nothing, and
// fills it. Nobody may stay connected to it, as CREATE DATABASE … TEMPLATE
// demands.
func makeTemplate(ctx context.Context, from string, fill func(ctx context.Context, dsn string) error) (name string, err error) {
	name = "malote_template_" + randomName()
	dropAtTheEnd(name)
	if err := execute(ctx, cluster.admin, createStatement(name, from)); err != nil {
		return "", err
	}
	return name, fill(ctx, withDatabase(cluster.admin, name))
}

func dropAtTheEnd(name string) {
	cluster.mu.Lock()
	defer cluster.mu.Unlock()
	cluster.kept = append(cluster.kept, name)
}

func dropKept() (err error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for _, name := range cluster.kept {
		err = errors.Join(err, execute(ctx, cluster.admin, "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)"))
	}
	return err
}

func execute(ctx context.Context, dsn, statement string) error {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, statement)
	return err
}

// withDatabase replaces the database in a DSN of either form.
func withDatabase(dsn, name string) string {
	if !strings.Contains(dsn, "://") {
		return dsn + " dbname=" + name // the last one counts
	}
	head, query, _ := strings.Cut(dsn, "?")
	scheme, rest, _ := strings.Cut(head, "://")
	authority, _, _ := strings.Cut(rest, "/")
	if query != "" {
		query = "?" + query
	}
	return fmt.Sprintf("%s://%s/%s%s", scheme, authority, name, query)
}

// withParameter sets a run-time parameter for all connections of a DSN.
func withParameter(dsn, name, value string) string {
	if !strings.Contains(dsn, "://") {
		return dsn + " " + name + "=" + value
	}
	separator := "?"
	if strings.Contains(dsn, "?") {
		separator = "&"
	}
	return dsn + separator + name + "=" + url.QueryEscape(value)
}

func randomName() string {
	var b [8]byte
	_, _ = rand.Read(b[:])
	return hex.EncodeToString(b[:])
}
