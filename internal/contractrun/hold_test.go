package contractrun

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// hold stops whoever gets to a point in a transaction, until it is let go. The
// points are triggers of the test's own, which wait for an advisory lock, and
// locks of tables: the product knows nothing of them.
type hold struct {
	t     *testing.T
	conn  *pgx.Conn // the test's own session, without the store's time-outs
	undo  []string
	stuck []int32 // server processes
}

// Points at which a worker's transaction can be held.
const (
	// beforeClaimed: the claim's statement runs, and its transaction is open.
	beforeClaimed = `CREATE TRIGGER held BEFORE UPDATE ON malote.queue
		FOR EACH ROW WHEN (OLD.status = 'pending' AND NEW.status = 'sending') EXECUTE FUNCTION public.held()`
	// whileClaimCommits: the server was asked to commit a claim, and has not yet.
	whileClaimCommits = `CREATE CONSTRAINT TRIGGER held AFTER UPDATE ON malote.queue DEFERRABLE INITIALLY DEFERRED
		FOR EACH ROW WHEN (OLD.status = 'pending' AND NEW.status = 'sending') EXECUTE FUNCTION public.held()`
	// whileRecordCommits: the server was asked to commit an outcome, and has not yet.
	whileRecordCommits = `CREATE CONSTRAINT TRIGGER held AFTER DELETE ON malote.queue DEFERRABLE INITIALLY DEFERRED
		FOR EACH ROW EXECUTE FUNCTION public.held()`
)

const holdFunction = `CREATE FUNCTION public.held() RETURNS trigger LANGUAGE plpgsql AS
	$$ BEGIN PERFORM pg_advisory_xact_lock_shared(4711); RETURN NEW; END $$`

// holdAt holds whoever comes to the point from now on.
func holdAt(t *testing.T, dsn, point string) *hold {
	t.Helper()
	h := newHold(t, dsn)
	h.exec(`SELECT pg_advisory_lock(4711)`)
	h.exec(holdFunction)
	h.exec(point)
	h.undo = []string{`SELECT pg_advisory_unlock(4711)`, `DROP FUNCTION public.held CASCADE`}
	return h
}

// holdEvents keeps everybody from reading what is to be sent: a worker has
// committed its claim by then.
func holdEvents(t *testing.T, dsn string) *hold {
	t.Helper()
	h := newHold(t, dsn)
	h.exec(`BEGIN`)
	h.exec(`LOCK TABLE malote.events IN ACCESS EXCLUSIVE MODE`)
	h.undo = []string{`ROLLBACK`}
	return h
}

func newHold(t *testing.T, dsn string) *hold {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(context.WithoutCancel(t.Context())) })
	return &hold{t: t, conn: conn}
}

func (h *hold) exec(statement string, arguments ...any) {
	h.t.Helper()
	_, err := h.conn.Exec(h.t.Context(), statement, arguments...)
	require.NoError(h.t, err)
}

// await waits until somebody is held, and remembers whom.
func (h *hold) await() {
	h.t.Helper()
	require.Eventually(h.t, func() bool {
		rows, _ := h.conn.Query(h.t.Context(), `SELECT pid FROM pg_stat_activity
			WHERE datname = current_database() AND pg_backend_pid() = ANY(pg_blocking_pids(pid))`)
		stuck, err := pgx.CollectRows(rows, pgx.RowTo[int32])
		h.stuck = stuck
		return err == nil && len(stuck) > 0
	}, patience, 10*time.Millisecond)
}

// abort ends the held sessions where they are, and with them their transactions.
func (h *hold) abort() {
	h.t.Helper()
	h.exec(`SELECT pg_terminate_backend(pid) FROM unnest($1::integer[]) AS pid`, h.stuck)
	h.letGo()
}

// letGo lets the held sessions go on to their end, which their clients' death
// brings about, and waits for it.
func (h *hold) letGo() {
	h.t.Helper()
	for _, statement := range h.undo {
		h.exec(statement)
	}
	require.Eventually(h.t, func() bool {
		var left int
		err := h.conn.QueryRow(h.t.Context(), `SELECT count(*) FROM pg_stat_activity WHERE pid = ANY($1)`, h.stuck).Scan(&left)
		return err == nil && left == 0
	}, patience, 10*time.Millisecond)
}
