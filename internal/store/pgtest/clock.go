package pgtest

import (
	"context"
	_ "embed"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/malotehq/malote/internal/store"
)

// Clock is the time that one test's database believes it is. It stands still
// until the test moves it, so that 72 hours take as long as their statements do
// and an instant can be asserted to the microsecond.
//
// The product's SQL says now() and clock_timestamp() without a schema, and is
// not changed for this: the DSN sets a search_path that has a schema with
// functions of those names before pg_catalog, so that every connection of every
// store that is opened with it sees them. Within a transaction now() stays what it was when it was first
// asked for, as PostgreSQL's does. The columns' DEFAULT now() are bound to the
// same functions. What SQL writes without parentheses, such as
// CURRENT_TIMESTAMP, cannot be bound and stays real: the product has none.
//
// Clocks of processes stay real. Whatever takes a Now function is given the
// clock's; what asks time.Now itself, such as a claim's ReceivedAt, is right in
// the distances it measures and cannot tell the time.
type Clock struct {
	dsn   string
	store *store.Store

	mu         sync.Mutex
	now        time.Time
	partitions time.Time // there are some for every day before this one
}

// OpenAt makes a database in which it is the given instant, and opens a store
// on it. The instant is cut to microseconds, as the database keeps it. Tests of a
// package that begin on the same day begin sooner: one after another, they get
// the same databases, emptied. What a test changes about the schema it must undo.
func OpenAt(t testing.TB, instant time.Time) (*store.Store, *Clock) {
	t.Helper()
	prepare(t)
	day := instant.UTC().Truncate(24 * time.Hour)
	template, err := templateOf(day)
	if err != nil {
		t.Fatalf("making a database that has a clock: %v", err)
	}
	clock := &Clock{dsn: withParameter(lend(t, template), "search_path", virtualPath)}
	clock.store = OpenDSN(t, clock.dsn)
	clock.Set(t, instant)
	return clock.store, clock
}

// days holds the templates with the clock and the partitions of a day.
var days struct {
	mu        sync.Mutex
	templates map[time.Time]func() (string, error)
}

func templateOf(day time.Time) (string, error) {
	days.mu.Lock()
	if days.templates == nil {
		days.templates = make(map[time.Time]func() (string, error))
	}
	template := days.templates[day]
	if template == nil {
		template = sync.OnceValues(func() (string, error) { return makeTemplateOf(day) })
		days.templates[day] = template
	}
	days.mu.Unlock()
	return template()
}

func makeTemplateOf(day time.Time) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return makeTemplate(ctx, cluster.template, func(ctx context.Context, dsn string) error {
		if err := execute(ctx, dsn, virtualTimeSQL); err != nil {
			return err
		}
		dsn = withParameter(dsn, "search_path", virtualPath)
		s, err := store.Open(ctx, store.Options{DSN: dsn, HotConnections: 1, Connections: 1})
		if err != nil {
			return err
		}
		defer s.Close()
		return s.CreatePartitions(ctx, day)
	})
}

// DSN opens further stores on the same database: they see the same time.
func (c *Clock) DSN() string { return c.dsn }

// Now is what the database's now() gives. It goes where a process is told the
// time by a function.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance lets time pass. It must not be negative.
func (c *Clock) Advance(t testing.TB, by time.Duration) {
	t.Helper()
	c.Set(t, c.Now().Add(by))
}

// Set moves the clock to an instant, which must not lie before its present one,
// and makes the partitions of that day and the days after, as the hourly task
// would have meanwhile. Transactions that are open keep their time.
func (c *Clock) Set(t testing.TB, instant time.Time) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	instant = instant.UTC().Truncate(time.Microsecond)
	if instant.Before(c.now) {
		t.Fatalf("the clock is at %s and cannot go back to %s", c.now, instant)
	}
	if err := c.move(t.Context(), instant); err != nil {
		t.Fatalf("setting the clock: %v", err)
	}
}

func (c *Clock) move(ctx context.Context, instant time.Time) error {
	tag, err := c.store.Pool().Exec(ctx, `UPDATE virtual_time.clock SET instant = $1`, instant)
	if err == nil && tag.RowsAffected() != 1 {
		err = fmt.Errorf("the database has %d clocks", tag.RowsAffected())
	}
	if err != nil {
		return err
	}
	c.now = instant
	if instant.Before(c.partitions) {
		return nil
	}
	if err := c.store.CreatePartitions(ctx, instant); err != nil {
		return err
	}
	c.partitions, err = c.store.PartitionsUntil(ctx)
	return err
}

//go:embed virtual_time.sql
var virtualTimeSQL string

// virtualPath puts the clock's functions before PostgreSQL's. Tests may put
// things of their own into public.
const virtualPath = "virtual_time,pg_catalog,public"
