package store_test

import (
	"crypto/rand"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/store/pgtest"
)

const day = 24 * time.Hour

func midnight(at time.Time) time.Time { return at.UTC().Truncate(day) }

func TestPartitions_TakeWhatClocksAroundUsBring(t *testing.T) {
	f := newFixture(t)
	f.endpoint("acme", 4)
	until, err := f.store.PartitionsUntil(t.Context())
	require.NoError(t, err)
	today := until.AddDate(0, 0, -15) // the fixture's: midnight may have come since
	require.WithinRange(t, today, midnight(time.Now().Add(-day)), midnight(time.Now()))

	at := func(at time.Time) func(*delivery.Draft) {
		return func(d *delivery.Draft) { d.Event.ID = delivery.NewID(delivery.ShardOf("acme"), at, rand.Reader) }
	}
	edges := []time.Time{
		today.AddDate(0, 0, -2), today.Add(-day), today, today.Add(day).Add(-time.Nanosecond), today.Add(day),
		today.AddDate(0, 0, 13), until.Add(-time.Nanosecond),
	}
	for _, edge := range edges {
		f.publish(draft("acme", "1", at(edge)))
	}
	claims := f.claim(10)
	require.Len(t, claims, 4, "the limit of the endpoint")
	f.answer(200, claims...)
	f.answer(200, f.claim(10)...)
	require.Equal(t, map[string]int{"delivered": len(edges)}, f.states())

	for _, beyond := range []time.Time{today.AddDate(0, 0, -2).Add(-time.Millisecond), until} {
		_, _, err := f.store.Publish(t.Context(), []*delivery.Draft{draft("acme", "1", at(beyond))}, toAll)
		require.ErrorContains(t, err, "no partition", "it is refused, not filed where it can never be dropped")
	}
}

// Every process makes partitions; two at once must not disturb each other, nor a
// publisher.
func TestPartitions_MadeByManyAtOnce(t *testing.T) {
	f := newFixture(t)
	f.endpoint("acme", 4)
	later := time.Now().Add(16 * day)
	start := make(chan struct{})
	var group errgroup.Group
	for range 4 {
		s := pgtest.OpenDSN(t, f.dsn)
		group.Go(func() error {
			<-start
			return s.CreatePartitions(t.Context(), later)
		})
	}
	group.Go(func() error {
		<-start
		for range 10 {
			if _, err := f.publishOn(t.Context(), f.store, draft("acme", "1")); err != nil {
				return err
			}
		}
		return nil
	})
	close(start)
	require.NoError(t, group.Wait())

	until, err := f.store.PartitionsUntil(t.Context())
	require.NoError(t, err)
	require.Equal(t, midnight(later).AddDate(0, 0, 15), until, "today's and those around the later day, without a hole")
	require.Equal(t, 0, scalar[int](f, `SELECT count(*)::int FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname = 'malote' AND c.relkind = 'r' AND c.relname ~ '_\d{8}$' AND NOT c.relispartition`), "none was made and not attached")
}

func TestPartitionsUntil_StopsAtTheFirstHole(t *testing.T) {
	f := newFixture(t)
	hole := midnight(time.Now()).AddDate(0, 0, 5)
	f.exec(`DROP TABLE malote.attempts_` + hole.Format("20060102"))
	until, err := f.store.PartitionsUntil(t.Context())
	require.NoError(t, err)
	require.Equal(t, hole, until, "whichever table has it")

	require.NoError(t, f.store.CreatePartitions(t.Context(), time.Now()))
	until, err = f.store.PartitionsUntil(t.Context())
	require.NoError(t, err)
	require.Equal(t, midnight(time.Now()).AddDate(0, 0, 15), until, "and it is filled")

	f.exec(`DROP TABLE malote.events_` + time.Now().UTC().Format("20060102"))
	_, err = f.store.PartitionsUntil(t.Context())
	require.ErrorContains(t, err, "malote migrate up")
}

// A process whose clock is wrong by days still makes what the others need.
func TestPartitions_MadeAroundTheDatabasesDayToo(t *testing.T) {
	f := newFixture(t)
	f.exec(`DROP TABLE malote.attempts_` + time.Now().UTC().Format("20060102"))
	require.NoError(t, f.store.CreatePartitions(t.Context(), time.Now().AddDate(0, 0, -10)))
	_, err := f.store.PartitionsUntil(t.Context())
	require.NoError(t, err)
}
