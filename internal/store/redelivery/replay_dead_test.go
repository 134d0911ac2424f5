package redelivery

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

// enable does what enabling an endpoint does, with its dead deliveries.
func (s seeder) enable(endpoint delivery.ID) (replayed int) {
	s.t.Helper()
	err := pgx.BeginFunc(s.t.Context(), s.store.Pool(), func(tx pgx.Tx) (err error) {
		replayed, err = enableIn(s.t.Context(), tx, endpoint)
		return err
	})
	require.NoError(s.t, err)
	return replayed
}

func enableIn(ctx context.Context, tx pgx.Tx, endpoint delivery.ID) (int, error) {
	if _, err := lockLane(ctx, tx, endpoint); err != nil {
		return 0, err
	}
	if _, err := tx.Exec(ctx, `UPDATE malote.tenants SET endpoints_version = endpoints_version + 1 WHERE shard = $1`, endpoint.Shard()); err != nil {
		return 0, err
	}
	replayed, err := ReplayDeadIn(ctx, tx, endpoint)
	if err != nil {
		return 0, err
	}
	_, err = tx.Exec(ctx, `UPDATE malote.lanes SET status = 'active', ready_at = now() WHERE shard = $1 AND endpoint_id = $2`, endpoint.Shard(), endpoint)
	return replayed, err
}

func TestRouta_R06_EnableReplaysAllDeadInOneBatch(t *testing.T) {
	t.Parallel()
	s, _ := seeded(t)
	endpoint, other := s.endpoint("acme"), s.endpoint("acme")
	var dead []delivery.ID
	for range 3 {
		dead = append(dead, s.delivery(row{tenant: "acme", endpoint: endpoint, state: delivery.Dead, age: 20 * time.Hour}))
	}
	others := map[delivery.ID]delivery.State{s.delivery(row{tenant: "acme", endpoint: other, state: delivery.Dead}): delivery.Dead}
	for _, state := range delivery.States {
		if state != delivery.Dead {
			others[s.delivery(row{tenant: "acme", endpoint: endpoint, state: state})] = state
		}
	}
	s.setStatus(endpoint, delivery.DisabledBySystem)

	require.Equal(t, 3, s.enable(endpoint))
	for _, id := range dead {
		require.Equal(t, delivery.Pending, s.stateOf(id))
		require.Equal(t, 1, s.count(`SELECT count(*) FROM malote.queue WHERE shard = $1 AND id = $2 AND endpoint_id = $3
			AND trigger = 'replay' AND rendering = 1 AND attempt_count = 7 AND cycle_attempt = 0 AND cycle_first_attempt_at IS NULL
			AND next_attempt_at = cycle_started_at AND cycle_started_at BETWEEN now() - interval '1 minute' AND now()
			AND fifo_position IS NULL`, id.Shard(), id, endpoint))
	}
	for id, state := range others {
		require.Equal(t, state, s.stateOf(id))
	}
	require.Zero(t, s.enable(endpoint))
}

func TestRouta_R06_ReplaysWithTheEnablingOrNotAtAll(t *testing.T) {
	t.Parallel()
	s, _ := seeded(t)
	endpoint := s.endpoint("acme")
	id := s.delivery(row{tenant: "acme", endpoint: endpoint, state: delivery.Dead})
	failed := errors.New("the enabling failed")
	err := pgx.BeginFunc(t.Context(), s.store.Pool(), func(tx pgx.Tx) error {
		n, err := ReplayDeadIn(t.Context(), tx, endpoint)
		require.NoError(t, err)
		require.Equal(t, 1, n)
		return failed
	})
	require.ErrorIs(t, err, failed)
	require.Equal(t, delivery.Dead, s.stateOf(id))

	s.setStatus(endpoint, delivery.Deleted)
	require.NoError(t, pgx.BeginFunc(t.Context(), s.store.Pool(), func(tx pgx.Tx) error {
		n, err := ReplayDeadIn(t.Context(), tx, endpoint)
		require.Zero(t, n)
		return err
	}))
	require.Equal(t, delivery.Dead, s.stateOf(id))
}

// counting counts statements.
type counting struct {
	pgx.Tx
	statements *int
}

func (c counting) Exec(ctx context.Context, sql string, arguments ...any) (pgconn.CommandTag, error) {
	*c.statements++
	return c.Tx.Exec(ctx, sql, arguments...)
}

func (c counting) Query(ctx context.Context, sql string, arguments ...any) (pgx.Rows, error) {
	*c.statements++
	return c.Tx.Query(ctx, sql, arguments...)
}

func (c counting) QueryRow(ctx context.Context, sql string, arguments ...any) pgx.Row {
	*c.statements++
	return c.Tx.QueryRow(ctx, sql, arguments...)
}

func TestRouta_R06_AsManyStatementsForOneAsForThousands(t *testing.T) {
	t.Parallel()
	s, _ := seeded(t)
	endpoint := s.endpoint("acme")
	statements := make(map[int]int)
	for _, n := range []int{1, 5000} {
		s.closedMany("acme", endpoint, n, delivery.Dead, time.Hour)
		var used int
		require.NoError(t, pgx.BeginFunc(t.Context(), s.store.Pool(), func(tx pgx.Tx) error {
			replayed, err := ReplayDeadIn(t.Context(), counting{tx, &used}, endpoint)
			require.Equal(t, n, replayed)
			return err
		}))
		statements[n] = used
	}
	require.Equal(t, statements[1], statements[5000])
	require.LessOrEqual(t, statements[1], 6)
}

func TestReplayDead_F13_NeverMakesWhatTheEndpointKnowsOlder(t *testing.T) {
	t.Parallel()
	s, _ := seeded(t)
	for _, c := range entityCases {
		c.check(s, func(endpoint delivery.ID) { s.enable(endpoint) })
	}
}

func TestReplayDead_F13_OfSeveralOfOneEntityOnlyTheNewest(t *testing.T) {
	t.Parallel()
	s, _ := seeded(t)
	endpoint := s.endpoint("acme")
	for _, order := range [][]time.Duration{{2, 1, 3}, {1, 2, 3}, {3, 2, 1}} {
		ids := make(map[time.Duration]delivery.ID)
		for _, age := range order {
			ids[age] = s.delivery(row{tenant: "acme", endpoint: endpoint, state: delivery.Dead, key: "K", age: age * time.Hour})
		}
		s.delivery(row{tenant: "acme", endpoint: endpoint, state: delivery.Dead, age: time.Hour})
		require.Equal(t, 2, s.enable(endpoint))
		require.Equal(t, delivery.Pending, s.stateOf(ids[1]))
		require.Equal(t, delivery.Dead, s.stateOf(ids[2]))
		require.Equal(t, delivery.Dead, s.stateOf(ids[3]))
		s.exec(`DELETE FROM malote.queue`)
		s.exec(`DELETE FROM malote.deliveries`)
	}
}

func TestReplayDead_A06_NothingASecondTimeWhereOnceIsTheMost(t *testing.T) {
	t.Parallel()
	s, _ := seeded(t)
	endpoint := s.endpoint("acme")
	s.exec(`UPDATE malote.endpoints SET at_most_once = true`)
	attempted := s.delivery(row{tenant: "acme", endpoint: endpoint, state: delivery.Dead})
	never := s.delivery(row{tenant: "acme", endpoint: endpoint, state: delivery.Dead})
	s.exec(`UPDATE malote.deliveries SET attempt_count = 0 WHERE shard = $1 AND id = $2`, never.Shard(), never)
	require.Equal(t, 1, s.enable(endpoint))
	require.Equal(t, delivery.Dead, s.stateOf(attempted))
	require.Equal(t, delivery.Pending, s.stateOf(never))
}

func TestReplayDead_PassesOverWhatHasLostItsEvent(t *testing.T) {
	t.Parallel()
	s, _ := seeded(t)
	endpoint := s.endpoint("acme")
	gone := s.delivery(row{tenant: "acme", endpoint: endpoint, state: delivery.Dead})
	kept := s.delivery(row{tenant: "acme", endpoint: endpoint, state: delivery.Dead})
	s.forget(gone)
	require.Equal(t, 1, s.enable(endpoint))
	require.Equal(t, delivery.Dead, s.stateOf(gone))
	require.Equal(t, delivery.Pending, s.stateOf(kept))
}

func TestReplay_StrictOrder_TakesPlacesInTheOrderOfIDs(t *testing.T) {
	t.Parallel()
	s, w := seeded(t)
	endpoint, loose := s.endpoint("acme"), s.endpoint("acme")
	s.strictOrder(endpoint)
	ids := s.closedMany("acme", endpoint, 50, delivery.Dead, time.Hour)
	// Keys, whose order is another.
	s.exec(`UPDATE malote.deliveries SET coalesce_key = md5(id::text) WHERE shard = $1 AND endpoint_id = $2`, endpoint.Shard(), endpoint)
	reversed := make([]delivery.ID, 0, 20)
	for i := 19; i >= 0; i-- {
		reversed = append(reversed, ids[i])
	}
	reversed = append(reversed, s.delivery(row{tenant: "acme", endpoint: loose, state: delivery.Dead}))
	require.True(t, s.replay(w, replayOf(reversed...)).Done)
	require.Equal(t, ids[:20], s.places(endpoint))
	require.Equal(t, 30, s.enable(endpoint))
	require.Equal(t, ids, s.places(endpoint))
	require.Empty(t, s.places(loose))
}

// A publisher has put a newer delivery of the entity into the queue and has not
// committed yet: it is waited for, and wins.
func TestReplayDead_F13_CollidesWithAPublish(t *testing.T) {
	t.Parallel()
	s, _ := seeded(t)
	endpoint := s.endpoint("acme")
	old := s.delivery(row{tenant: "acme", endpoint: endpoint, state: delivery.Dead, key: "K", age: time.Hour})
	free := s.delivery(row{tenant: "acme", endpoint: endpoint, state: delivery.Dead, key: "L", age: time.Hour})
	fresh := delivery.FloorID(time.Now())
	fresh[14], fresh[15] = endpoint[14], endpoint[15]
	tx := s.begin()
	_, err := tx.Exec(t.Context(), `INSERT INTO malote.queue (shard, id, endpoint_id, event_id, tenant, status, trigger,
		next_attempt_at, cycle_started_at, coalesce_key) VALUES ($1, $2, $3, $2, 'acme', 'pending', 'schedule', now(), now(), 'K')`,
		endpoint.Shard(), fresh, endpoint)
	require.NoError(t, err)
	replayed := make(chan int, 1)
	go func() { replayed <- s.enable(endpoint) }()
	s.awaitLock()
	require.NoError(t, tx.Commit(t.Context()))
	require.Equal(t, 1, <-replayed)
	require.Equal(t, delivery.Dead, s.stateOf(old))
	require.Equal(t, delivery.Pending, s.stateOf(free))
	require.Equal(t, delivery.Pending, s.stateOf(fresh))
}
