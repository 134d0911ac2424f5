package ingest

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/source"
	"github.com/malotehq/malote/internal/store"
	"github.com/malotehq/malote/internal/store/pgtest"
)

const (
	racers     = 24
	raceRounds = 25
)

// Twenty-four doors, each with a store, connections and backends of its own, get
// the same webhook at the same moment: one event, one delivery for each endpoint,
// one winner and 23 repetitions that are told the winner's id.
func TestDoor_Gateway_G01_TwentyFourAtOnceAreOneEvent(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DSN(t)
	stores := make([]*store.Store, racers)
	for i := range stores {
		var err error
		stores[i], err = store.Open(t.Context(), store.Options{DSN: dsn, HotConnections: 1, Connections: 1})
		require.NoError(t, err)
		t.Cleanup(stores[i].Close)
	}
	endpoints := addEndpoints(t, stores[0], 2)
	shared := &shelf{sources: make(map[delivery.ID]Source)}
	rigs := make([]*rig, racers)
	for i := range rigs {
		rigs[i] = newRig(t, func(o *Options) {
			o.Sources, o.Publisher, o.StorageTime = shared, publishing(t, stores[i], 1), 20*time.Second
		})
	}
	id := shared.put(Source{
		Provider: "generic", Settings: []byte(`{"generic":{"auth":"header_token","header":"X-Auth","id":"json:id"}}`),
		Secrets: []source.Secret{{Value: "sesame"}},
	})
	for round := range raceRounds {
		body := fmt.Sprintf(`{"id":"evt-%d","emoji":"\u0000 😀"}`, round)
		answers := atOnce(racers, func(i int) *httptest.ResponseRecorder { return rigs[i].post(id, body) })
		winners := 0
		first := ""
		for _, answer := range answers {
			require.Equal(t, http.StatusOK, answer.Code)
			told := receiptOf(t, answer.Body)
			if !told.Duplicate {
				winners++
			}
			if first == "" {
				first = told.ID
			}
			require.Equal(t, first, told.ID)
		}
		require.Equal(t, 1, winners, "round %d", round)
		var events, deliveries int
		var stored []byte
		var eventID delivery.ID
		pool := stores[0].Pool()
		require.NoError(t, pool.QueryRow(t.Context(), `SELECT count(*) FROM malote.events`).Scan(&events))
		require.NoError(t, pool.QueryRow(t.Context(), `SELECT count(*) FROM malote.queue`).Scan(&deliveries))
		require.NoError(t, pool.QueryRow(t.Context(),
			`SELECT id, body FROM malote.events ORDER BY id DESC LIMIT 1`).Scan(&eventID, &stored))
		require.Equal(t, round+1, events)
		require.Equal(t, (round+1)*endpoints, deliveries)
		require.Equal(t, first, eventID.Format(delivery.EventPrefix))
		require.Equal(t, body, string(stored))
	}
}

func atOnce[T any](n int, call func(i int) T) []T {
	results := make([]T, n)
	start := make(chan struct{})
	var crowd sync.WaitGroup
	for i := range n {
		crowd.Go(func() {
			<-start
			results[i] = call(i)
		})
	}
	close(start)
	crowd.Wait()
	return results
}

// addEndpoints gives the tenant acme endpoints that take everything.
func addEndpoints(t *testing.T, s *store.Store, n int) int {
	t.Helper()
	shard := delivery.ShardOf("acme")
	execute := func(statement string, arguments ...any) {
		_, err := s.Pool().Exec(t.Context(), statement, arguments...)
		require.NoError(t, err)
	}
	execute(`INSERT INTO malote.tenants (shard, id) VALUES ($1, 'acme')`, shard)
	for range n {
		id := delivery.NewID(shard, time.Now(), rand.Reader)
		execute(`INSERT INTO malote.endpoints (shard, id, tenant, url, policy)
			VALUES ($1, $2, 'acme', 'https://hooks.example.com/', 'standard')`, shard, id)
		execute(`INSERT INTO malote.lanes (shard, endpoint_id, tenant, max_in_flight, claim_limit, lease_seconds)
			VALUES ($1, $2, 'acme', 4, 4, 60)`, shard, id)
	}
	execute(`UPDATE malote.tenants t SET endpoints_version = endpoints_version + 1 WHERE t.shard = $1 AND t.id = 'acme'`, shard)
	return n
}

// A batch is one transaction: every item an event, each with its own key. Sent
// again with one item more, only that one is new.
func TestDoor_Gateway_G01_ABatchIsAllOrNothing(t *testing.T) {
	t.Parallel()
	s := pgtest.Open(t)
	addEndpoints(t, s, 1)
	r := newRig(t, func(o *Options) {
		o.Publisher, o.StorageTime = publishing(t, s, 2), 20*time.Second
	})
	id := r.put(Source{Provider: "okta", Secrets: []source.Secret{{Name: "shared", Value: "Bearer x"}}})
	send := func(uuids ...string) *httptest.ResponseRecorder {
		events := ""
		for i, uuid := range uuids {
			if i > 0 {
				events += ", "
			}
			events += fmt.Sprintf(`{"eventType":"user.session.start", "uuid":%q,  "n":1.0e1}`, uuid)
		}
		return r.do(authorized(pathOf(id), `{"eventType":"com.okta.event_hook","eventId":"e","data":{"events":[`+events+`]}}`))
	}
	first := send("a", "b", "a")
	require.Equal(t, http.StatusOK, first.Code, first.Body.String())
	told := receiptOf(t, first.Body)
	require.Len(t, told.IDs, 3)
	require.Equal(t, told.IDs[0], told.IDs[2], "the same item twice is one event")
	require.False(t, told.Duplicate)
	require.Equal(t, 1, told.Duplicates)
	more := receiptOf(t, send("c", "b").Body)
	require.Equal(t, told.IDs[1], more.IDs[1])
	require.False(t, more.Duplicate)
	all := receiptOf(t, send("a", "b").Body)
	require.True(t, all.Duplicate)
	require.Equal(t, told.IDs[:2], all.IDs)
	var events, deliveries int
	require.NoError(t, s.Pool().QueryRow(t.Context(), `SELECT count(*) FROM malote.events
		WHERE convert_from(body, 'UTF8') LIKE '{"eventType":"user.session.start", "uuid":"_",  "n":1.0e1}'
			AND content_type = 'application/json' AND source_id = $1 AND type = 'user.session.start'`, id).Scan(&events))
	require.NoError(t, s.Pool().QueryRow(t.Context(), `SELECT count(*) FROM malote.queue`).Scan(&deliveries))
	require.Equal(t, []int{3, 3}, []int{events, deliveries})
}

// A batch that cannot be written whole leaves nothing, and is not acknowledged.
func TestDoor_Gateway_G02_ARefusedBatchLeavesNothing(t *testing.T) {
	t.Parallel()
	s := pgtest.Open(t)
	r := newRig(t, func(o *Options) {
		o.Publisher, o.StorageTime = publishing(t, s, 2), 20*time.Second
	})
	id := r.put(Source{Provider: "okta", Secrets: []source.Secret{{Value: "Bearer x"}}})
	answer := r.do(authorized(pathOf(id), `{"data":{"events":[{"uuid":"a"},{"uuid":"b"}]}}`))
	require.Equal(t, http.StatusNotFound, answer.Code, "the tenant is gone")
	var rows int
	require.NoError(t, s.Pool().QueryRow(t.Context(),
		`SELECT (SELECT count(*) FROM malote.events) + (SELECT count(*) FROM malote.event_keys)`).Scan(&rows))
	require.Zero(t, rows)
}
