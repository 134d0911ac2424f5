package app_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/app"
	"github.com/malotehq/malote/internal/store/pgtest"
)

// scaled is a few in the suite, and as many as the acceptance asks for with
// MALOTE_TEST_FULL=1.
func scaled(few, full int) int {
	if os.Getenv("MALOTE_TEST_FULL") != "" {
		return full
	}
	return few
}

// sell makes one random transaction: an order and its event, and perhaps others
// in a savepoint; it ends in one of many ways. What became of it, nobody here
// believes: the orders table is asked.
func (s *shop) sell(ctx context.Context, admin *pgxpool.Pool, random *rand.Rand, id string) error {
	conn, err := pgx.Connect(ctx, s.dsn)
	if err != nil {
		return err
	}
	defer conn.Close(context.Background()) //nolint:errcheck // it may be gone
	tx, err := conn.Begin(ctx)
	if err != nil {
		return err
	}
	if err := s.order(ctx, tx, random, id); err != nil {
		return err
	}
	if random.IntN(3) == 0 {
		if err := s.inSavepoint(ctx, tx, random, id); err != nil {
			return err
		}
	}
	switch random.IntN(8) {
	case 0:
		return tx.Rollback(ctx)
	case 1: // the client dies: the connection is cut with the transaction open
		return conn.PgConn().Conn().Close()
	case 2: // the session is ended from outside
		_, err := admin.Exec(ctx, `SELECT pg_terminate_backend($1)`, conn.PgConn().PID())
		return err
	case 3: // it is ended while it commits: who knows with what outcome
		committed := make(chan struct{})
		go func() {
			defer close(committed)
			_ = tx.Commit(ctx)
		}()
		_, err := admin.Exec(ctx, `SELECT pg_terminate_backend($1)`, conn.PgConn().PID())
		<-committed
		return err
	case 4: // the acknowledgement of the commit is lost
		conn.PgConn().Frontend().SendQuery(&pgproto3.Query{String: "COMMIT"})
		_ = conn.PgConn().Frontend().Flush()
		return conn.PgConn().Conn().Close()
	default:
		return tx.Commit(ctx)
	}
}

func (s *shop) order(ctx context.Context, tx pgx.Tx, random *rand.Rand, id string) error {
	if _, err := tx.Exec(ctx, `INSERT INTO public.orders VALUES ($1)`, id); err != nil {
		return err
	}
	call := `SELECT malote.publish('acme', 'order.paid', jsonb_build_object('order', $1::text), external_id => $1)`
	switch random.IntN(3) {
	case 0:
		call = `SELECT malote.publish_json('acme', 'order.paid', '{"order":"' || $1::text || '"}', external_id => $1, idempotency_key => $1)`
	case 1:
		call = `SELECT malote.publish('acme', 'order.paid', convert_to($1, 'UTF8'), 'text/plain', external_id => $1)`
	}
	_, err := tx.Exec(ctx, call, id)
	return err
}

func (s *shop) inSavepoint(ctx context.Context, tx pgx.Tx, random *rand.Rand, id string) error {
	inner, err := tx.Begin(ctx)
	if err != nil {
		return err
	}
	if err := s.order(ctx, inner, random, id+"-inner"); err != nil {
		return err
	}
	if random.IntN(2) == 0 {
		return inner.Rollback(ctx)
	}
	return inner.Commit(ctx)
}

// sellMany makes n random transactions from several sessions.
func (s *shop) sellMany(admin string, n int, prefix string) {
	s.t.Helper()
	pool, err := pgxpool.New(s.t.Context(), admin)
	require.NoError(s.t, err)
	defer pool.Close()
	seed := rand.Uint64()
	s.t.Logf("seed %d", seed)
	var sessions sync.WaitGroup
	for session := range 8 {
		random := rand.New(rand.NewPCG(seed, uint64(session)))
		sessions.Go(func() {
			for i := session; i < n; i += 8 {
				err := s.sell(s.t.Context(), pool, random, fmt.Sprintf("%s%d", prefix, i))
				if _, isServers := errors.AsType[*pgconn.PgError](err); err != nil && !isServers {
					assert.NoError(s.t, err)
				}
			}
		})
	}
	sessions.Wait()
}

func requireTold(t *testing.T, orders, events []string) {
	t.Helper()
	require.NotEmpty(t, orders)
	require.Equal(t, orders, events, "an order has its event exactly once, and no event lacks its order")
	t.Logf("%d orders", len(orders))
}

// F06, A01: the event and the business change are one transaction, whatever
// becomes of it.
func TestFairQueue_F06_AnOrderHasItsEventAndNoEventLacksItsOrder(t *testing.T) {
	t.Parallel()
	n := scaled(300, 10_000)
	t.Run("in Malote's own database", func(t *testing.T) {
		t.Parallel()
		dsn := pgtest.DSN(t)
		s := start(t, testOptions(dsn))
		s.must(201, "POST", "/v1/tenants", map[string]any{"id": "acme"})
		shop := sharingShop(t, dsn)
		shop.sellMany(dsn, n, "o")
		awaitCarried(t, dsn)
		requireTold(t, shop.orders(), published(t, dsn))
	})
	t.Run("in the application's own database", func(t *testing.T) {
		t.Parallel()
		shop, relay := newShop(t)
		options := testOptions(pgtest.DSN(t))
		options.Outboxes = []app.Outbox{{Name: "shop", DSN: relay}}
		s := start(t, options)
		s.must(201, "POST", "/v1/tenants", map[string]any{"id": "acme"})
		shop.sellMany(options.DatabaseURL, n, "o")
		awaitCarried(t, relay)
		requireTold(t, shop.orders(), published(t, options.DatabaseURL))
	})
}

// A02: relays, which know nothing of each other, are killed in the middle of
// their work, and what they carry is exact.
func TestAxxos_A02_RelaysAreKilledInMidCopy(t *testing.T) {
	t.Parallel()
	kills, rows := scaled(3, 20), 2000
	shop, relay := newShop(t)
	dsn := pgtest.DSN(t)
	first := start(t, app.Options{
		DatabaseURL: dsn, Listen: "127.0.0.1:0", AdminKey: adminKey, Roles: []app.Role{app.RoleAPI},
		Log: testOptions(dsn).Log, SecretKeys: testOptions(dsn).SecretKeys,
	})
	first.must(201, "POST", "/v1/tenants", map[string]any{"id": "acme"})
	conn, malote := connectTo(t, shop.dsn), connectTo(t, dsn)
	carried := func() (n int) {
		require.NoError(t, malote.QueryRow(t.Context(), `SELECT count(*) FROM malote.events`).Scan(&n))
		return n
	}
	inMiddle := 0
	for round := range kills {
		_, err := conn.Exec(t.Context(), `WITH o AS (INSERT INTO public.orders SELECT $1 || i FROM generate_series(1, $2::int) i RETURNING id)
			SELECT malote.publish('acme', 'order.paid', jsonb_build_object('order', id), external_id => id) FROM o`, fmt.Sprintf("r%d-", round), rows)
		require.NoError(t, err)
		before := carried()
		var killed sync.WaitGroup
		for range 2 {
			_, kill := startChild(t, dsn, "shop="+relay)
			killed.Go(func() {
				// Killed at the first sign of work, and so between any two of its steps.
				defer kill()
				watcher, err := pgx.Connect(context.Background(), dsn)
				if !assert.NoError(t, err) {
					return
				}
				defer watcher.Close(context.Background()) //nolint:errcheck // the test goes on
				for carried := 0; carried <= before; {
					if !assert.NoError(t, watcher.QueryRow(context.Background(), `SELECT count(*) FROM malote.events`).Scan(&carried)) {
						return
					}
				}
			})
		}
		killed.Wait()
		if after := carried(); after < (round+1)*rows {
			inMiddle++
		}
	}
	t.Logf("%d of %d rounds were cut in the middle", inMiddle, kills)
	require.NotZero(t, inMiddle, "every relay had finished before it was killed: the test shows nothing")
	_, _ = startChild(t, dsn, "shop="+relay)
	awaitCarried(t, relay)
	requireTold(t, shop.orders(), published(t, dsn))
}

// I6: publishers keep their transactions open while deliveries go on, and nobody
// waits for a lock of Malote's tables.
func TestI6_PublishersWithOpenTransactionsWaitForNobody(t *testing.T) {
	t.Parallel()
	publishers, longest := scaled(24, 200), scaled(300, 2000)
	dsn := pgtest.DSN(t)
	receiver := newLedger(t, noContent)
	s := start(t, testOptions(dsn))
	s.endpoint("acme", receiver.URL, nil)
	shop := sharingShop(t, dsn)
	stop := watchLocks(t, dsn)
	var all sync.WaitGroup
	for i := range publishers {
		all.Go(func() {
			config, err := pgx.ParseConfig(shop.dsn)
			if !assert.NoError(t, err) {
				return
			}
			config.RuntimeParams["application_name"] = publisherName
			conn, err := pgx.ConnectConfig(t.Context(), config)
			if !assert.NoError(t, err) {
				return
			}
			defer conn.Close(context.Background()) //nolint:errcheck // the test goes on
			for round := range 3 {
				id := fmt.Sprintf("p%d-%d", i, round)
				err := pgx.BeginFunc(t.Context(), conn, func(tx pgx.Tx) error {
					if err := shop.order(t.Context(), tx, rand.New(rand.NewPCG(1, uint64(i))), id); err != nil {
						return err
					}
					_, err := tx.Exec(t.Context(), `SELECT pg_sleep(random() * $1 / 1000)`, float64(longest))
					return err
				})
				assert.NoError(t, err)
			}
		})
	}
	all.Wait()
	awaitCarried(t, dsn)
	samples, waits := stop()
	require.Empty(t, waits)
	require.Greater(t, samples, 10)
	t.Logf("%d samples, no wait", samples)
	requireTold(t, shop.orders(), published(t, dsn))
	s.awaitStates("acme", map[string]int{"delivered": 3 * publishers})
}

// publisherName is what publishers' sessions are called.
const publisherName = "a-publisher"

// watchLocks asks all the time which publisher or relay waits for anybody, and
// who waits for one of them; stop tells how often it asked and what it saw. That
// a completion waits for a claim of the same lane is another matter; and that one
// insert waits until another has made the file of the table longer, which lasts no
// longer than the making, is PostgreSQL's.
func watchLocks(t *testing.T, dsn string) (stop func() (samples int, waits []string)) {
	t.Helper()
	conn := connectTo(t, dsn)
	ctx, cancel := context.WithCancel(t.Context())
	var samples int
	var waits []string
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			rows, _ := conn.Query(ctx, `SELECT a.application_name || ' waits for ' || b.application_name || ' in: ' || left(a.query, 200)
				FROM pg_stat_activity a, unnest(pg_blocking_pids(a.pid)) AS blocking JOIN pg_stat_activity b ON b.pid = blocking
				WHERE a.wait_event_type = 'Lock' AND a.wait_event <> 'extend' AND a.datname = current_database()
					AND ($1 IN (a.application_name, b.application_name) OR 'malote-relay' IN (a.application_name, b.application_name))`, publisherName)
			found, err := pgx.CollectRows(rows, pgx.RowTo[string])
			if err != nil {
				return
			}
			samples++
			waits = append(waits, found...)
		}
	}()
	return func() (int, []string) {
		cancel()
		<-done
		return samples, waits
	}
}

// A01: tenant, aggregate, type and payload go with the business transaction, and
// what is delivered are the bytes that were written.
func TestAxxos_A01_TheRowSaysWhatIsDelivered(t *testing.T) {
	t.Parallel()
	receiver := newLedger(t, noContent)
	dsn := pgtest.DSN(t)
	s := start(t, testOptions(dsn))
	s.endpoint("acme", receiver.URL, nil)
	const data = "{\"total\": 1.50,  \"nul\":\"\\u0000\", \"n\":12345678901234567890}"
	var id string
	err := pgx.BeginFunc(t.Context(), connectTo(t, dsn), func(tx pgx.Tx) error {
		return tx.QueryRow(t.Context(), `SELECT malote.publish_json('acme', 'order.paid', $1, aggregate_type => 'order', aggregate_id => '7')::text`, data).Scan(&id)
	})
	require.NoError(t, err)
	s.awaitStates("acme", map[string]int{"delivered": 1})
	require.Contains(t, string(receiver.arrivals()[0].body), `"data":`+data)
	found := s.must(200, "GET", "/v1/events?tenant=acme&external_id=order/7", nil)["data"].([]any)
	require.Len(t, found, 1)
	event := found[0].(map[string]any)
	require.Equal(t, "order.paid", event["type"])
	require.Equal(t, "outbox:"+id, event["idempotency_key"])
	found = s.must(200, "GET", "/v1/events?tenant=acme&idempotency_key=outbox:"+id, nil)["data"].([]any)
	require.Equal(t, event["id"], found[0].(map[string]any)["id"])
}
