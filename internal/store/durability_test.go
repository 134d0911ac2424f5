package store_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/store/pgtest"
)

// Nobody is answered before what he brought is on disk. A claim may be lost: it is
// made again. Unless the endpoint wants every event at most once (A06).
func TestDurability_OfEachTransaction(t *testing.T) {
	f := newFixture(t)
	// A cluster for tests may be less careful; connections made from here on are not.
	f.exec(`ALTER DATABASE ` + scalar[string](f, `SELECT quote_ident(current_database())`) + ` SET synchronous_commit = on`)
	f.store = pgtest.OpenDSN(t, f.dsn)
	e := f.endpoint("acme", 1)
	f.exec(`CREATE TABLE public.written (what text, synchronous text)`)
	f.exec(`CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS
		'BEGIN INSERT INTO public.written VALUES (TG_ARGV[0], current_setting(''synchronous_commit'')); RETURN NEW; END'`)
	f.exec(`CREATE TRIGGER published BEFORE INSERT ON malote.events FOR EACH ROW EXECUTE FUNCTION note('publish')`)
	f.exec(`CREATE TRIGGER claimed BEFORE UPDATE ON malote.queue FOR EACH ROW WHEN (NEW.status = 'sending') EXECUTE FUNCTION note('claim')`)
	f.exec(`CREATE TRIGGER completed BEFORE INSERT ON malote.attempts FOR EACH ROW EXECUTE FUNCTION note('complete')`)
	written := func() map[string]string {
		rows, err := f.store.Pool().Query(t.Context(), `DELETE FROM public.written RETURNING what, synchronous`)
		require.NoError(t, err)
		defer rows.Close()
		found := make(map[string]string)
		for rows.Next() {
			var what, synchronous string
			require.NoError(t, rows.Scan(&what, &synchronous))
			found[what] = synchronous
		}
		return found
	}
	f.publishMany("acme", 1)
	f.answer(200, f.claim(1)...)
	require.Equal(t, map[string]string{"publish": "on", "claim": "off", "complete": "on"}, written())

	f.exec(`UPDATE malote.endpoints SET at_most_once = true WHERE id = $1`, e.ID)
	f.exec(`UPDATE malote.lanes SET config_version = config_version + 1`)
	f.publishMany("acme", 1)
	claims := f.claim(1)
	require.True(t, claims[0].Endpoint.AtMostOnce)
	require.Equal(t, map[string]string{"publish": "on", "claim": "on"}, written())
}

// What is returned is committed, and nothing is held while it is being sent.
func TestI7_NothingIsHeldBetweenTransactions(t *testing.T) {
	f := newFixture(t)
	f.endpoint("acme", 2)
	idle := func() {
		t.Helper()
		require.Zero(t, scalar[int](f, `SELECT count(*)::int FROM pg_stat_activity
			WHERE datname = current_database() AND state LIKE 'idle in transaction%'`))
		require.Zero(t, scalar[int](f, `SELECT count(*)::int FROM pg_locks l JOIN pg_class c ON c.oid = l.relation
			JOIN pg_stat_activity a ON a.pid = l.pid AND a.datname = current_database() AND a.backend_type = 'client backend'
			WHERE c.relname IN ('lanes', 'queue') AND l.mode <> 'AccessShareLock'`))
	}
	f.publishMany("acme", 3)
	idle()
	claims := f.claim(2)
	idle()
	f.answer(500, claims...)
	idle()
	_, err := f.store.Sweep(t.Context())
	require.NoError(t, err)
	f.rescue()
	idle()
}

// Whoever holds a lane – a completion, a person's change, somebody who was stopped
// in the middle – holds up that lane alone.
func TestClaim_SkipsLanesThatOthersHold(t *testing.T) {
	f := newFixture(t)
	held := f.endpoint("acme", 2)
	f.endpoint("bolt", 2)
	f.publishMany("acme", 1)
	f.publishMany("bolt", 1)
	holder, err := f.store.Pool().Begin(t.Context())
	require.NoError(t, err)
	defer holder.Rollback(context.Background()) //nolint:errcheck // the test is over
	_, err = holder.Exec(t.Context(), `SELECT FROM malote.lanes WHERE endpoint_id = $1 FOR UPDATE`, held.ID)
	require.NoError(t, err)
	claims := f.claim(10)
	require.Len(t, claims, 1)
	require.NotEqual(t, held.ID, claims[0].Endpoint.ID)
	require.Equal(t, []delivery.ID{claims[0].DeliveryID}, []delivery.ID{scalar[delivery.ID](f, `SELECT id FROM malote.queue WHERE status = 'sending'`)})
}
