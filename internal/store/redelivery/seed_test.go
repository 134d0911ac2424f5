package redelivery

import (
	"cmp"
	"context"
	"crypto/rand"
	"os"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/store"
	"github.com/malotehq/malote/internal/store/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// seeder writes rows as publishers and completers would leave them.
type seeder struct {
	t     *testing.T
	store *store.Store
}

func seeded(t *testing.T) (seeder, *Writer) {
	t.Helper()
	s := pgtest.Open(t)
	return seeder{t, s}, New(s)
}

func (s seeder) exec(sql string, parameters ...any) {
	s.t.Helper()
	_, err := s.store.Pool().Exec(s.t.Context(), sql, parameters...)
	require.NoError(s.t, err)
}

func (s seeder) count(sql string, parameters ...any) (n int) {
	s.t.Helper()
	require.NoError(s.t, s.store.Pool().QueryRow(s.t.Context(), sql, parameters...).Scan(&n))
	return n
}

func (s seeder) endpoint(tenant string) delivery.ID {
	s.t.Helper()
	shard := delivery.ShardOf(tenant)
	id := delivery.NewID(shard, time.Now(), rand.Reader)
	s.exec(`INSERT INTO malote.tenants (shard, id) VALUES ($1, $2) ON CONFLICT DO NOTHING`, shard, tenant)
	s.exec(`INSERT INTO malote.endpoints (shard, id, tenant, url, policy) VALUES ($1, $2, $3, $4, 'strict')`,
		shard, id, tenant, "https://"+tenant+".example/hook")
	s.exec(`INSERT INTO malote.lanes (shard, endpoint_id, tenant, max_in_flight, lease_seconds, claim_limit)
		VALUES ($1, $2, $3, 4, 60, 4)`, shard, id, tenant)
	return id
}

// row is a delivery to seed. Its event is made with it.
type row struct {
	tenant   string
	endpoint delivery.ID
	state    delivery.State
	key      string
	age      time.Duration
	reason   delivery.Reason  // default: endpoint_disabled for skipped ones
	trigger  delivery.Trigger // default: schedule
}

func (s seeder) delivery(r row) delivery.ID {
	s.t.Helper()
	shard := delivery.ShardOf(r.tenant)
	at := time.Now().Add(-r.age)
	event := delivery.NewID(shard, at, rand.Reader)
	id := delivery.NewDeliveryID(event, rand.Reader)
	s.exec(`INSERT INTO malote.events (shard, id, tenant, type, content_type, body, occurred_at, accepted_at)
		VALUES ($1, $2, $3, 'a', 'application/json', '{}', $4, $4)`, shard, event, r.tenant, at)
	reason, trigger := delivery.AttemptsExhausted, cmp.Or(r.trigger, delivery.TriggerSchedule)
	if r.state == delivery.Skipped {
		reason = delivery.EndpointDisabled
	}
	reason = cmp.Or(r.reason, reason)
	if r.state.Open() {
		s.exec(`INSERT INTO malote.queue (shard, id, endpoint_id, event_id, tenant, status, trigger, next_attempt_at, cycle_started_at, coalesce_key)
			VALUES ($1, $2, $3, $4, $5, $6, $9, $7, $7, nullif($8, ''))`, shard, id, r.endpoint, event, r.tenant, r.state, at, r.key, trigger)
	} else {
		s.exec(`INSERT INTO malote.deliveries (shard, id, endpoint_id, event_id, tenant, state, reason, trigger, rendering,
			attempt_count, last_status, last_error, coalesce_key, closed_at)
			VALUES ($1, $2, $3, $4, $5, $6, $8, $9, 1, 7, 503, 'http_status', nullif($7, ''), now())`,
			shard, id, r.endpoint, event, r.tenant, r.state, r.key, reason, trigger)
	}
	return id
}

// begin begins a transaction that a test which fails does not leave open.
func (s seeder) begin() pgx.Tx {
	s.t.Helper()
	tx, err := s.store.Pool().Begin(s.t.Context())
	require.NoError(s.t, err)
	s.t.Cleanup(func() { tx.Rollback(context.Background()) })
	return tx
}

// stateOf says where a delivery is, and that it is in one place only.
func (s seeder) stateOf(id delivery.ID) (state delivery.State) {
	s.t.Helper()
	rows, err := s.store.Pool().Query(s.t.Context(), `SELECT status FROM malote.queue WHERE shard = $1 AND id = $2
		UNION ALL SELECT state FROM malote.deliveries WHERE shard = $1 AND id = $2`, id.Shard(), id)
	require.NoError(s.t, err)
	n := 0
	for ; rows.Next(); n++ {
		require.NoError(s.t, rows.Scan(&state))
	}
	require.NoError(s.t, rows.Err())
	require.Equal(s.t, 1, n, "a delivery is in the queue or in the history")
	return state
}

// awaitLock waits until a backend of this database waits for another's lock.
func (s seeder) awaitLock() {
	s.t.Helper()
	const waiting = `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
	require.Eventually(s.t, func() bool {
		var n int
		err := s.store.Pool().QueryRow(s.t.Context(), waiting).Scan(&n)
		return err == nil && n > 0
	}, 20*time.Second, 5*time.Millisecond)
}

// onlyDead is the policy of R05 and D10.
func onlyDead(policy string, state delivery.State) bool {
	return policy == "strict" && state == delivery.Dead
}

func replayOf(ids ...delivery.ID) Request {
	return Request{IDs: ids, Allowed: onlyDead, Trigger: delivery.TriggerReplay}
}

// replay may be called from any goroutine.
func (s seeder) replay(w *Writer, request Request) Replay {
	s.t.Helper()
	done, err := w.Replay(s.t.Context(), request)
	if err != nil {
		s.t.Errorf("replaying: %v", err)
	}
	return done
}

func refusals(r Replay) []Refusal {
	list := make([]Refusal, len(r.Results))
	for i, result := range r.Results {
		list[i] = result.Refusal
	}
	return list
}
