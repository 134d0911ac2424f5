package store_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
	"github.com/malotehq/malote/internal/store"
	"github.com/malotehq/malote/internal/store/pgtest"
)

// A worker whose clock is wrong claims, completes and rescues like any other:
// all that it does is measured by the database's clock.
func TestClaim_AWorkersClockDoesNotMatter(t *testing.T) {
	f := newFixture(t)
	f.endpoint("acme", 4)
	f.publishMany("acme", 2)
	now := scalar[time.Time](f, `SELECT now()`)
	synctest.Test(t, func(t *testing.T) { // in here it is the year 2000
		worker, err := store.Open(t.Context(), store.Options{DSN: f.dsn, HotConnections: 1, Connections: 1})
		require.NoError(t, err)
		defer worker.Close()
		claimed, err := worker.Claim(t.Context(), 1)
		require.NoError(t, err)
		require.Len(t, claimed.Claims, 1)
		c := claimed.Claims[0]
		require.WithinDuration(t, now, c.DatabaseTime(time.Now()), time.Minute)
		_, err = worker.Complete(t.Context(), []policy.Completion{f.completion(c, delivery.Outcome{Status: 500, StartedAt: c.DatabaseTime(time.Now())})})
		require.NoError(t, err)

		claimed, err = worker.Claim(t.Context(), 1)
		require.NoError(t, err)
		require.Len(t, claimed.Claims, 1)
	})
	require.Equal(t, map[string]int{"pending": 1, "sending": 1}, f.states())
	require.WithinDuration(t, now, scalar[time.Time](f, `SELECT started_at FROM malote.attempts`), time.Minute)

	f.exec(`UPDATE malote.queue SET lease_until = now() - interval '1 second' WHERE status = 'sending'`)
	require.Equal(t, 1, f.rescue(), "the attempt of its lost claim has a partition")
	require.Equal(t, map[string]int{"pending": 2}, f.states())
}

// What a worker takes for the database's time is never behind it, however long
// the claim took: or it would send with a lease that is over.
func TestI5_TheLeaseIsNotOverestimated(t *testing.T) {
	f := newFixture(t)
	f.endpoint("acme", 4)
	f.publishMany("acme", 1)
	f.exec(`CREATE FUNCTION dawdle() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.2); RETURN NEW; END'`)
	f.exec(`CREATE TRIGGER slow BEFORE UPDATE ON malote.queue FOR EACH ROW EXECUTE FUNCTION dawdle()`)
	claims := f.claim(1)
	require.Len(t, claims, 1)
	database := scalar[time.Time](f, `SELECT clock_timestamp()`)
	require.False(t, claims[0].DatabaseTime(time.Now()).Before(database))
	require.WithinDuration(t, database, claims[0].DatabaseTime(time.Now()), 10*time.Second)
}

// A publisher that is replacing a delivery, or stopped in the middle of it, holds
// up neither the claim of others nor, with it, their lanes.
func TestI8_AClaimDoesNotWaitForAPublisher(t *testing.T) {
	f := newFixture(t)
	f.endpoint("acme", 4)
	f.publish(draft("acme", "old", coalesced("k")), draft("acme", "fact"))
	publisher, err := f.store.Pool().Begin(t.Context())
	require.NoError(t, err)
	_, err = publisher.Exec(t.Context(), `DELETE FROM malote.queue WHERE coalesce_key = 'k'`)
	require.NoError(t, err)

	claims := f.claim(10) // would end by lock_timeout
	require.Len(t, claims, 1)
	require.Equal(t, "fact", string(claims[0].Event.Body))
	require.NoError(t, publisher.Rollback(t.Context()))
	claims = f.claim(10)
	require.Len(t, claims, 1, "the lane was not parked over it")
	require.Equal(t, "old", string(claims[0].Event.Body))
}

func TestClaim_AMissingEventHoldsUpNoOther(t *testing.T) {
	f := newFixture(t)
	f.endpoint("acme", 10)
	f.publishMany("acme", 3)
	f.store.ForgetEvents()
	f.exec(`DELETE FROM malote.events WHERE id = (SELECT min(id::text)::uuid FROM malote.events)`)
	require.Len(t, f.claim(10), 2)
	require.Equal(t, map[string]int{"sending": 3}, f.states(), "it comes back with its lease, until its attempts are used up")
}

// What is claimed but cannot be read is returned with the error, so that it can
// be handed back instead of waiting for its lease.
func TestClaim_ReturnsWhatItCouldNotRead(t *testing.T) {
	f := newFixture(t)
	f.endpoint("acme", 4)
	f.publishMany("acme", 2)
	f.store.ForgetEvents()
	f.exec(`ALTER TABLE malote.events RENAME TO away`)
	claimed, err := f.store.Claim(t.Context(), 10)
	require.ErrorContains(t, err, "reading what was claimed")
	require.Len(t, claimed.Claims, 2)
	f.handBack(claimed.Claims...)
	require.Equal(t, 2, scalar[int](f, `SELECT count(*)::int FROM malote.queue WHERE status = 'pending' AND attempt_count = 0 AND cycle_attempt = 0`))
}

func TestClaim_FromALaneWhoseEndpointWasRemovedByHand(t *testing.T) {
	f := newFixture(t)
	e := f.endpoint("acme", 4)
	f.endpoint("bolt", 4)
	f.publishMany("acme", 1)
	f.publishMany("bolt", 1)
	f.exec(`DELETE FROM malote.endpoints WHERE id = $1`, e.ID)
	claims := f.claim(10)
	require.Len(t, claims, 1)
	require.Equal(t, "bolt", claims[0].Event.Tenant)
	claimed, err := f.store.Claim(t.Context(), 10)
	require.NoError(t, err)
	require.Empty(t, claimed.Lanes, "it is not looked at again and again")
}

func TestClaim_ATestGoesFirst(t *testing.T) {
	f := newFixture(t)
	e := f.endpoint("acme", 1)
	f.publishMany("acme", 2)
	ahead := func(d *delivery.Draft, _ []*delivery.Endpoint) (delivery.Plan, error) {
		return delivery.Plan{Bodies: [][]byte{d.Event.Body}, Deliveries: []delivery.Planned{
			{EndpointID: e.ID, State: delivery.Pending, Delay: -30 * day, Trigger: delivery.TriggerTest},
		}}, nil
	}
	_, lanes, err := f.store.Publish(t.Context(), []*delivery.Draft{draft("acme", "test")}, ahead)
	require.NoError(t, err)
	_, err = f.store.WakeLanes(t.Context(), lanes)
	require.NoError(t, err)
	claims := f.claim(1)
	require.Equal(t, "test", string(claims[0].Event.Body))
	require.Equal(t, delivery.TriggerTest, claims[0].Trigger)
}

func TestClaim_UsesTheConfigurationOfTheMoment(t *testing.T) {
	f := newFixture(t)
	e := f.endpoint("acme", 4)
	other := pgtest.OpenDSN(t, f.dsn)
	for i, s := range []*store.Store{f.store, other, f.store, other} { // each has it cached the second time
		f.exec(`UPDATE malote.endpoints SET url = $2 WHERE id = $1`, e.ID, fmt.Sprintf("https://hooks.example.com/%d", i))
		f.exec(`UPDATE malote.lanes SET config_version = config_version + 1 WHERE endpoint_id = $1`, e.ID)
		f.publishMany("acme", 1)
		claimed, err := s.Claim(t.Context(), 1)
		require.NoError(t, err)
		require.Equal(t, fmt.Sprintf("https://hooks.example.com/%d", i), claimed.Claims[0].Endpoint.URL)
	}
}
