package store_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

// An event, its deliveries and what its lane needs are one transaction: the rows
// carry the same one's number, and none is there when it did not commit.
func TestFairQueue_F06_GatewayG02_AnEventAndItsDeliveriesAreOneTransaction(t *testing.T) {
	f := newFixture(t)
	f.endpoint("acme", 4)
	f.publish(draft("acme", "1", withKey("k")), draft("acme", "2", coalesced("c")))
	require.Equal(t, 1, scalar[int](f, `SELECT count(DISTINCT x)::int FROM (
		SELECT xmin::text AS x FROM malote.events UNION ALL SELECT xmin::text FROM malote.queue
		UNION ALL SELECT xmin::text FROM malote.event_keys) t`))

	// The backend dies after the transaction wrote the key and planned the rest.
	ctx, cancel := context.WithCancel(t.Context())
	lost := draft("acme", "3", withKey("lost"))
	_, _, err := f.store.Publish(ctx, []*delivery.Draft{lost}, func(d *delivery.Draft, endpoints []*delivery.Endpoint) (delivery.Plan, error) {
		f.exec(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()
			AND state = 'idle in transaction' AND pid <> pg_backend_pid()`)
		cancel() // and nobody tries again
		return toAll(d, endpoints)
	})
	require.Error(t, err)
	require.Equal(t, map[string]int{"pending": 2}, f.states())
	require.Equal(t, 2, scalar[int](f, `SELECT count(*)::int FROM malote.events`))
	require.Equal(t, 1, scalar[int](f, `SELECT count(*)::int FROM malote.event_keys`))
	published := f.publish(draft("acme", "3", withKey("lost")))
	require.False(t, published[0].Duplicate, "the key was not taken")
}
