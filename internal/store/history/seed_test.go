package history

import (
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

func seeded(t *testing.T) (seeder, *Reader) {
	t.Helper()
	s := pgtest.Open(t)
	return seeder{t, s}, New(s)
}

func (s seeder) exec(sql string, parameters ...any) {
	s.t.Helper()
	_, err := s.store.Pool().Exec(s.t.Context(), sql, parameters...)
	require.NoError(s.t, err)
}

func (s seeder) tenant(slug string) string {
	s.t.Helper()
	s.exec(`INSERT INTO malote.tenants (shard, id) VALUES ($1, $2)`, delivery.ShardOf(slug), slug)
	return slug
}

func (s seeder) endpoint(tenant string) delivery.ID {
	s.t.Helper()
	id := delivery.NewID(delivery.ShardOf(tenant), time.Now(), rand.Reader)
	s.exec(`INSERT INTO malote.endpoints (shard, id, tenant, url, policy) VALUES ($1, $2, $3, $4, 'standard')`,
		id.Shard(), id, tenant, "https://"+tenant+".example/hook")
	s.exec(`INSERT INTO malote.lanes (shard, endpoint_id, tenant, max_in_flight, lease_seconds, claim_limit)
		VALUES ($1, $2, $3, 4, 60, 4)`, id.Shard(), id, tenant)
	return id
}

// seedEvent is an event and what became of it.
type seedEvent struct {
	tenant, eventType string
	at                time.Time
	to                []seedDelivery
}

type seedDelivery struct {
	endpoint delivery.ID
	state    delivery.State
}

// write inserts events with their deliveries, fast enough for thousands, and
// gives the ids of both in order.
func (s seeder) write(events ...seedEvent) (eventIDs, deliveryIDs []delivery.ID) {
	s.t.Helper()
	var eventRows, queueRows, closedRows [][]any
	for _, e := range events {
		shard := delivery.ShardOf(e.tenant)
		event := delivery.NewID(shard, e.at, rand.Reader)
		eventIDs = append(eventIDs, event)
		eventRows = append(eventRows, []any{shard, event, e.tenant, e.eventType, "application/json", []byte(`{}`), e.at, e.at})
		for _, to := range e.to {
			id := delivery.NewDeliveryID(event, rand.Reader)
			deliveryIDs = append(deliveryIDs, id)
			if to.state.Open() {
				queueRows = append(queueRows, []any{shard, id, to.endpoint, event, e.tenant, string(to.state), "schedule", e.at, e.at})
			} else {
				closedRows = append(closedRows, []any{shard, id, to.endpoint, event, e.tenant, string(to.state), "schedule", e.at})
			}
		}
	}
	s.copy("events", []string{"shard", "id", "tenant", "type", "content_type", "body", "occurred_at", "accepted_at"}, eventRows)
	s.copy("queue", []string{"shard", "id", "endpoint_id", "event_id", "tenant", "status", "trigger",
		"next_attempt_at", "cycle_started_at"}, queueRows)
	s.copy("deliveries", []string{"shard", "id", "endpoint_id", "event_id", "tenant", "state", "trigger", "closed_at"}, closedRows)
	return eventIDs, deliveryIDs
}

func (s seeder) copy(table string, columns []string, rows [][]any) {
	s.t.Helper()
	n, err := s.store.Pool().CopyFrom(s.t.Context(), pgx.Identifier{"malote", table}, columns, pgx.CopyFromRows(rows))
	require.NoError(s.t, err)
	require.EqualValues(s.t, len(rows), n)
}

// closeDelivery moves a delivery from the queue to the history, as a completion does.
func (s seeder) closeDelivery(id delivery.ID, state delivery.State) {
	s.t.Helper()
	err := pgx.BeginFunc(s.t.Context(), s.store.Pool(), func(tx pgx.Tx) error {
		_, err := tx.Exec(s.t.Context(), `INSERT INTO malote.deliveries (shard, id, endpoint_id, event_id, tenant, state, trigger, closed_at)
			SELECT shard, id, endpoint_id, event_id, tenant, $3, trigger, now() FROM malote.queue WHERE shard = $1 AND id = $2`,
			id.Shard(), id, string(state))
		if err != nil {
			return err
		}
		_, err = tx.Exec(s.t.Context(), `DELETE FROM malote.queue WHERE shard = $1 AND id = $2`, id.Shard(), id)
		return err
	})
	require.NoError(s.t, err)
}

// eventsAt makes n events of a tenant, a second apart, ending at an instant; the
// i-th is delivered as to says.
func eventsAt(tenant, eventType string, end time.Time, n int, to func(i int) []seedDelivery) []seedEvent {
	events := make([]seedEvent, n)
	for i := range events {
		events[i] = seedEvent{tenant, eventType, end.Add(time.Duration(i-n) * time.Second), to(i)}
	}
	return events
}

// idsOf and texts show ids as a failed comparison should.
func idsOf(list []delivery.Delivery) []string {
	ids := make([]string, len(list))
	for i, d := range list {
		ids[i] = d.ID.String()
	}
	return ids
}

func texts(ids []delivery.ID) []string {
	shown := make([]string, len(ids))
	for i, id := range ids {
		shown[i] = id.String()
	}
	return shown
}
