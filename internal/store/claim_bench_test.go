package store_test

import (
	"crypto/rand"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/store"
	"github.com/malotehq/malote/internal/store/pgtest"
)

// BenchmarkClaim measures I3: what 64 claims cost with few and many endpoints,
// each with three due deliveries, and a short and a long backlog in one of them,
// which is among those claimed from every time. Only Claim is timed; what it took
// is put back by hand. With many endpoints nearly every claim also reads the
// configuration of lanes that this process never claimed from; with few, it has
// them in memory after the first rounds.
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
		require.Len(b, claimed.Lanes, batch)
		require.True(b, slices.ContainsFunc(claimed.Claims, func(c *delivery.Claim) bool { return c.Endpoint.URL == longest }))
		putBack(b, s, claimed.Claims)
		b.StartTimer()
	}
}

// longest is the endpoint with the backlog. Its lane is always the first in line.
const longest = "https://hooks.example.com/1"

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
	_, err = s.Pool().Exec(b.Context(), `UPDATE malote.lanes l SET parked_full = false,
		ready_at = now() - CASE WHEN l.tenant = 'busy' THEN interval '1 day' ELSE interval '0' END
		WHERE l.shard = 0 AND l.endpoint_id = ANY($1)`, endpoints)
	require.NoError(b, err)
}

// fillQueue makes the rows in the database itself: a million through the front
// door would take longer than the measurement. They share a thousand events.
func fillQueue(b *testing.B, s *store.Store, endpoints, backlog int) {
	b.Helper()
	var events []delivery.ID
	for range 1000 {
		events = append(events, delivery.NewID(0, time.Now(), rand.Reader))
	}
	conn, err := s.Pool().Acquire(b.Context())
	require.NoError(b, err)
	defer conn.Release()
	run := func(statement string, arguments ...any) {
		_, err := conn.Exec(b.Context(), statement, arguments...)
		require.NoError(b, err, statement)
	}
	run(`SET statement_timeout = 0`)
	run(`INSERT INTO malote.tenants (shard, id) VALUES (0, 't')`)
	run(`INSERT INTO malote.events (shard, id, tenant, type, content_type, body, occurred_at, accepted_at)
		SELECT 0, id, 't', 'test.event', 'application/json', convert_to(repeat('x', 480), 'UTF8'), now(), now() FROM unnest($1::uuid[]) id`, events)
	run(`INSERT INTO malote.endpoints (shard, id, tenant, url, policy)
		SELECT 0, gen_random_uuid(), 't', 'https://hooks.example.com/' || n, 'standard' FROM generate_series(1, $1::integer) n`, endpoints)
	run(`INSERT INTO malote.endpoint_secrets (shard, id, endpoint_id, value) SELECT 0, gen_random_uuid(), e.id, 'whsec_x' FROM malote.endpoints e`)
	run(`INSERT INTO malote.lanes (shard, endpoint_id, tenant, max_in_flight, claim_limit, lease_seconds, ready_at)
		SELECT 0, e.id, CASE WHEN e.url = $1 THEN 'busy' ELSE 'calm' END, 4, 4, 60,
			now() - CASE WHEN e.url = $1 THEN interval '1 day' ELSE interval '0' END FROM malote.endpoints e`, longest)
	const due = `INSERT INTO malote.queue (shard, id, endpoint_id, event_id, tenant, status, trigger, next_attempt_at, cycle_started_at)
		SELECT 0, gen_random_uuid(), l.endpoint_id, ($1::uuid[])[1 + n % 1000], 't', 'pending', 'schedule', now() - random() * interval '1 hour', now()
		FROM malote.lanes l CROSS JOIN generate_series(1, $2::integer) n WHERE l.tenant = $3`
	run(due, events, 3, "calm")
	run(due, events, backlog, "busy")
	run(`VACUUM ANALYZE malote.queue, malote.lanes, malote.endpoints, malote.endpoint_secrets`)
}
