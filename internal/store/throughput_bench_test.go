package store_test

import (
	"crypto/rand"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
	"github.com/malotehq/malote/internal/store"
	"github.com/malotehq/malote/internal/store/pgtest"
)

// benchEndpoints makes endpoints of acme that may have any number in flight.
func benchEndpoints(b *testing.B, s *store.Store, n int) {
	b.Helper()
	shard := delivery.ShardOf("acme")
	_, err := s.Pool().Exec(b.Context(), `INSERT INTO malote.tenants (shard, id) VALUES ($1, 'acme')`, shard)
	require.NoError(b, err)
	for range n {
		id := delivery.NewID(shard, time.Now(), rand.Reader)
		_, err := s.Pool().Exec(b.Context(), `INSERT INTO malote.endpoints (shard, id, tenant, url, policy)
			VALUES ($1, $2, 'acme', 'https://hooks.example.com/', 'standard')`, shard, id)
		require.NoError(b, err)
		_, err = s.Pool().Exec(b.Context(), `INSERT INTO malote.lanes (shard, endpoint_id, tenant, max_in_flight, claim_limit, lease_seconds)
			VALUES ($1, $2, 'acme', 1000, 1000, 60)`, shard, id)
		require.NoError(b, err)
	}
}

func benchDrafts(n int) []*delivery.Draft {
	drafts := make([]*delivery.Draft, n)
	for i := range drafts {
		drafts[i] = draft("acme", fmt.Sprintf("%480d", i))
		drafts[i].Unit = i
	}
	return drafts
}

// toOne spreads events over the endpoints, one delivery each.
func toOne(d *delivery.Draft, endpoints []*delivery.Endpoint) (delivery.Plan, error) {
	return toAll(d, endpoints[d.Unit%len(endpoints):][:1])
}

// BenchmarkPublish measures one transaction of so many events of 480 bytes, each
// for one of 64 endpoints, and the look at their lanes.
func BenchmarkPublish(b *testing.B) {
	for _, events := range []int{1, 32, 256} {
		b.Run(fmt.Sprintf("events=%d", events), func(b *testing.B) {
			s := pgtest.Open(b)
			benchEndpoints(b, s, 64)
			for b.Loop() {
				_, lanes, err := s.Publish(b.Context(), benchDrafts(events), toOne)
				require.NoError(b, err)
				_, err = s.WakeLanes(b.Context(), lanes)
				require.NoError(b, err)
			}
			b.ReportMetric(b.Elapsed().Seconds()*1e6/float64(b.N*events), "µs/event")
		})
	}
}

// BenchmarkPublishNamed measures what an external_id costs a publish: 256 events in
// one transaction without one, with one, and with one but without its index.
func BenchmarkPublishNamed(b *testing.B) {
	const events = 256
	for _, kind := range []string{"none", "external_id", "external_id, no index"} {
		b.Run(kind, func(b *testing.B) {
			s := pgtest.Open(b)
			benchEndpoints(b, s, 64)
			if kind == "external_id, no index" {
				_, err := s.Pool().Exec(b.Context(), `DROP INDEX malote.events_by_external_id`)
				require.NoError(b, err)
			}
			var first, last int64
			wal := func(at *int64) {
				require.NoError(b, s.Pool().QueryRow(b.Context(), `SELECT pg_current_wal_lsn() - '0/0'::pg_lsn`).Scan(at))
			}
			wal(&first)
			for b.Loop() {
				drafts := benchDrafts(events)
				for i, d := range drafts {
					if kind != "none" {
						d.Event.ExternalID = fmt.Sprintf("order-%d-%s", i, rand.Text()[:12])
					}
				}
				_, lanes, err := s.Publish(b.Context(), drafts, toOne)
				require.NoError(b, err)
				_, err = s.WakeLanes(b.Context(), lanes)
				require.NoError(b, err)
			}
			wal(&last)
			b.ReportMetric(b.Elapsed().Seconds()*1e6/float64(b.N*events), "µs/event")
			b.ReportMetric(float64(last-first)/float64(b.N*events), "WAL-bytes/event")
		})
	}
}

// BenchmarkComplete measures one transaction of 64 outcomes of as many endpoints,
// one in eight of them a failure. Publishing and claiming are not timed.
func BenchmarkComplete(b *testing.B) {
	const batch = 64
	s := pgtest.Open(b)
	benchEndpoints(b, s, batch)
	contract, _ := policy.Preset("fair-queue")
	f := &fixture{store: s, policy: contract}
	f.noCircuit()
	for b.Loop() {
		b.StopTimer()
		_, lanes, err := s.Publish(b.Context(), benchDrafts(batch), toOne)
		require.NoError(b, err)
		_, err = s.WakeLanes(b.Context(), lanes)
		require.NoError(b, err)
		claimed, err := s.Claim(b.Context(), batch)
		require.NoError(b, err)
		require.Len(b, claimed.Claims, batch)
		done := make([]policy.Completion, batch)
		for i, c := range claimed.Claims {
			status := 200
			if i%8 == 0 {
				status = 413 // for good, so that nothing comes back
			}
			done[i] = f.completion(c, delivery.Outcome{Status: status, StartedAt: c.ClaimedAt, Duration: 20 * time.Millisecond})
		}
		b.StartTimer()
		_, err = s.Complete(b.Context(), done)
		require.NoError(b, err)
	}
	b.ReportMetric(b.Elapsed().Seconds()*1e6/float64(b.N*batch), "µs/outcome")
}
