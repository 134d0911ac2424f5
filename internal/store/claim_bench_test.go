package store_test

import (
	"crypto/rand"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/store"
	"github.com/malotehq/malote/internal/store/pgtest"
)

// BenchmarkClaim measures I3: what 64 claims cost with few and many endpoints,
// each with three due deliveries, and a short and a long backlog in one of them.
// Only Claim is timed; what it took is put back by hand.
func BenchmarkClaim(b *testing.B) {
	for _, endpoints := range []int{1_000, 100_000} {
		for _, backlog := range []int{1_000, 1_000_000} {
			b.Run(fmt.Sprintf("endpoints=%d/backlog=%d", endpoints, backlog), func(b *testing.B) {
				s := pgtest.Open(b)
				fillQueue(b, s, endpoints, backlog)
				benchmarkClaim(b, s)
			})
		}
	}
}

func benchmarkClaim(b *testing.B, s *store.Store) {
	const batch = 64
	for b.Loop() {
		claimed, err := s.Claim(b.Context(), batch)
		b.StopTimer()
		require.NoError(b, err)
		require.Len(b, claimed.Claims, batch)
		putBack(b, s, claimed.Claims)
		b.StartTimer()
	}
}

func putBack(b *testing.B, s *store.Store, claims []*delivery.Claim) {
	b.Helper()
	var ids, endpoints []delivery.ID
	for _, c := range claims {
		ids = append(ids, c.DeliveryID)
		endpoints = append(endpoints, c.Endpoint.ID)
	}
	_, err := s.Pool().Exec(b.Context(), `UPDATE malote.queue q SET status = 'pending', claim_token = NULL, lease_until = NULL
		WHERE q.shard = 0 AND q.id = ANY($1)`, ids)
	require.NoError(b, err)
	_, err = s.Pool().Exec(b.Context(), `UPDATE malote.lanes l SET ready_at = now(), parked_full = false
		WHERE l.shard = 0 AND l.endpoint_id = ANY($1)`, endpoints)
	require.NoError(b, err)
}

// fillQueue makes the rows in the database itself: a million through the front
// door would take longer than the measurement. All are of one event.
func fillQueue(b *testing.B, s *store.Store, endpoints, backlog int) {
	b.Helper()
	event := delivery.NewID(0, time.Now(), rand.Reader)
	for _, statement := range []string{
		`INSERT INTO malote.tenants (shard, id) VALUES (0, 't')`,
		`INSERT INTO malote.events (shard, id, tenant, type, content_type, body, occurred_at, accepted_at)
			VALUES (0, '` + event.String() + `', 't', 'test.event', 'application/json', convert_to(repeat('x', 480), 'UTF8'), now(), now())`,
		fmt.Sprintf(`INSERT INTO malote.endpoints (shard, id, tenant, url, policy)
			SELECT 0, gen_random_uuid(), 't', 'https://hooks.example.com/' || n, 'standard' FROM generate_series(1, %d) n`, endpoints),
		`INSERT INTO malote.endpoint_secrets (shard, id, endpoint_id, value) SELECT 0, gen_random_uuid(), e.id, 'whsec_x' FROM malote.endpoints e`,
		`INSERT INTO malote.lanes (shard, endpoint_id, tenant, max_in_flight, claim_limit, lease_seconds, ready_at)
			SELECT 0, e.id, 't', 4, 4, 60, now() FROM malote.endpoints e`,
		queueRowsSQL(event, `SELECT e.id FROM malote.endpoints e CROSS JOIN generate_series(1, 3)`),
		queueRowsSQL(event, fmt.Sprintf(`SELECT (SELECT e.id FROM malote.endpoints e LIMIT 1) AS id FROM generate_series(1, %d)`, backlog)),
		`VACUUM ANALYZE malote.queue`, `VACUUM ANALYZE malote.lanes`, `ANALYZE malote.endpoints`,
	} {
		_, err := s.Pool().Exec(b.Context(), "SET statement_timeout = 0")
		require.NoError(b, err)
		_, err = s.Pool().Exec(b.Context(), statement)
		require.NoError(b, err, statement)
	}
}

func queueRowsSQL(event delivery.ID, endpoints string) string {
	return `INSERT INTO malote.queue (shard, id, endpoint_id, event_id, tenant, status, trigger, next_attempt_at, cycle_started_at)
		SELECT 0, gen_random_uuid(), e.id, '` + event.String() + `', 't', 'pending', 'schedule',
			now() - random() * interval '1 hour', now() FROM (` + endpoints + `) e`
}
