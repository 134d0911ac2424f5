package pgtest

import (
	"context"
	"sync"
	"testing"
	"time"
)

// lent holds the databases that tests gave back empty, by their template. Making
// one costs more than most tests do with it.
var lent struct {
	mu    sync.Mutex
	spare map[string][]string // names
}

// lend gives a test a database that is as if it had been made from the template
// for it. After a test that failed, or left something that cannot be emptied, the
// database is dropped.
func lend(t testing.TB, template string) (dsn string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	name, err := borrow(ctx, template)
	if err != nil {
		t.Fatalf("creating the test's database: %v", err)
	}
	dsn = withDatabase(cluster.admin, name)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if !t.Failed() && execute(ctx, dsn, emptySQL) == nil {
			lent.mu.Lock()
			lent.spare[template] = append(lent.spare[template], name)
			lent.mu.Unlock()
			return
		}
		if err := execute(ctx, cluster.admin, "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
			t.Errorf("dropping the test's database: %v", err)
		}
	})
	return dsn
}

func borrow(ctx context.Context, template string) (name string, err error) {
	lent.mu.Lock()
	if lent.spare == nil {
		lent.spare = make(map[string][]string)
	}
	if names := lent.spare[template]; len(names) > 0 {
		name = names[len(names)-1]
		lent.spare[template] = names[:len(names)-1]
	}
	lent.mu.Unlock()
	if name != "" {
		return name, nil
	}
	name = "malote_test_" + randomName()
	dropAtTheEnd(name)
	return name, execute(ctx, cluster.admin, createStatement(name, template))
}

// emptySQL removes every row but those of the schema itself. Deleting a few rows
// is cheaper than new files for hundreds of partitions. It fails where somebody
// still holds a lock, where a test left triggers behind, and where the role may
// not put foreign keys aside: then the database is not lent again.
const emptySQL = `SET lock_timeout = '5s'; SET session_replication_role = replica;
DO $$
DECLARE
	filled record;
BEGIN
	IF EXISTS (SELECT FROM pg_trigger g JOIN pg_class c ON c.oid = g.tgrelid
			WHERE c.relnamespace = 'malote'::regnamespace AND NOT g.tgisinternal) THEN
		RAISE EXCEPTION 'the test left triggers';
	END IF;
	FOR filled IN SELECT c.oid::regclass AS relation FROM pg_class c
		WHERE c.relnamespace = 'malote'::regnamespace AND c.relkind IN ('r', 'p')
			AND NOT c.relispartition AND c.relname NOT LIKE 'goose%'
	LOOP
		EXECUTE format('DELETE FROM %s', filled.relation);
	END LOOP;
END $$`
