package history

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

func TestEvent_ComesBackAsItWasPublished(t *testing.T) {
	t.Parallel()
	s, r := seeded(t)
	tenant := s.tenant("acme")
	ids, _ := s.write(seedEvent{tenant: tenant, eventType: "invoice.paid", at: time.Now()})
	body := []byte("{\"b\":1, \"a\":\"\\u0000\xff\"} ")
	s.exec(`UPDATE malote.events SET body = $3, content_type = 'text/x', idempotency_key = 'k', coalesce_key = 'c',
		entity_version = '7', external_id = 'ext' WHERE shard = $1 AND id = $2`, ids[0].Shard(), ids[0], body)

	event, err := r.Event(t.Context(), ids[0])
	require.NoError(t, err)
	require.Equal(t, "acme", event.Tenant)
	require.Equal(t, "invoice.paid", event.Type)
	require.Equal(t, []string{"k", "c", "7", "ext"},
		[]string{event.IdempotencyKey, event.CoalesceKey, event.EntityVersion, event.ExternalID})
	require.Nil(t, event.Body)
	require.WithinDuration(t, ids[0].Time(), event.AcceptedAt, time.Millisecond)

	got, contentType, err := r.EventBody(t.Context(), ids[0])
	require.NoError(t, err)
	require.Equal(t, body, got)
	require.Equal(t, "text/x", contentType)
}

func TestEvent_Unknown(t *testing.T) {
	t.Parallel()
	_, r := seeded(t)
	for _, id := range []delivery.ID{{}, firstID, lastID, delivery.FloorID(time.Now()), delivery.FloorID(time.Now().AddDate(-3, 0, 0))} {
		_, err := r.Event(t.Context(), id)
		require.ErrorIs(t, err, ErrNotFound)
		_, _, err = r.EventBody(t.Context(), id)
		require.ErrorIs(t, err, ErrNotFound)
		_, _, err = r.Delivery(t.Context(), id)
		require.ErrorIs(t, err, ErrNotFound)
	}
}

func TestEvents_D15_PagesWithoutHolesOrRepeatsWhileEventsAreAdded(t *testing.T) {
	t.Parallel()
	s, r := seeded(t)
	tenant, other := s.tenant("acme"), s.tenant("other")
	now := time.Now().Add(-time.Minute) // room for those that are added, which no page shows early
	nobody := func(int) []seedDelivery { return nil }
	want, _ := s.write(eventsAt(tenant, "a", now, 120, nobody)...)
	s.write(eventsAt(other, "a", now, 50, nobody)...)

	var got []delivery.ID
	filter := EventFilter{Tenant: tenant, Limit: 25}
	for pages := 1; ; pages++ {
		page, err := r.Events(t.Context(), filter)
		require.NoError(t, err)
		for _, e := range page.Events {
			require.Equal(t, tenant, e.Tenant)
			got = append(got, e.ID)
		}
		if page.Next.IsZero() {
			break
		}
		require.Len(t, page.Events, 25)
		filter.After = page.Next
		added, _ := s.write(seedEvent{tenant: tenant, eventType: "b", at: now.Add(time.Duration(pages) * time.Second)})
		want = append(want, added...)
	}
	require.Equal(t, want, got)
}

func TestEvents_A10_OneCustomersWeekByTypeAndTime(t *testing.T) {
	t.Parallel()
	s, r := seeded(t)
	tenant := s.tenant("acme")
	now := time.Now()
	var events []seedEvent
	for i := range 40 {
		events = append(events, seedEvent{tenant: tenant, eventType: fmt.Sprintf("type.%d", i%4), at: now.Add(time.Duration(i-40) * time.Minute)})
	}
	ids, _ := s.write(events...)
	list := func(f EventFilter) []delivery.ID {
		f.Tenant = tenant
		page, err := r.Events(t.Context(), f)
		require.NoError(t, err)
		got := []delivery.ID{}
		for _, e := range page.Events {
			got = append(got, e.ID)
		}
		return got
	}
	require.Equal(t, ids[10:20], list(EventFilter{Since: events[10].at, Until: events[20].at}))
	require.Equal(t, []delivery.ID{ids[11], ids[15], ids[19]},
		list(EventFilter{Since: events[10].at, Until: events[20].at, Type: "type.3"}))
	require.Empty(t, list(EventFilter{Since: now.Add(time.Hour)}))
	require.Empty(t, list(EventFilter{Until: now.AddDate(-60, 0, 0)}))
	require.Len(t, list(EventFilter{Until: now.AddDate(5000, 0, 0), Limit: 3}), 3)
	require.Empty(t, list(EventFilter{Type: "type"}))
}

func TestEvents_CompleteUntilNeverPromisesTooMuch(t *testing.T) {
	t.Parallel()
	s, r := seeded(t)
	tenant := s.tenant("acme")
	old := time.Now().Add(-time.Hour)
	ids, _ := s.write(eventsAt(tenant, "a", old, 10, func(int) []seedDelivery { return nil })...)

	before := time.Now()
	last, err := r.Events(t.Context(), EventFilter{Tenant: tenant})
	require.NoError(t, err)
	require.WithinRange(t, last.CompleteUntil, before.Add(-time.Millisecond), time.Now().Add(time.Millisecond), "nobody is publishing")

	first, err := r.Events(t.Context(), EventFilter{Tenant: tenant, Limit: 5})
	require.NoError(t, err)
	require.Equal(t, ids[4], first.Next)
	require.False(t, first.CompleteUntil.After(ids[4].Time()), "later events are on later pages")

	until := old.Add(-5 * time.Second)
	bounded, err := r.Events(t.Context(), EventFilter{Tenant: tenant, Until: until})
	require.NoError(t, err)
	require.True(t, bounded.CompleteUntil.Equal(until), "later events were not asked for")
}

// A type that hardly occurs does not make one call read the whole history.
func TestEvents_RareTypeGivesShortPagesThatGoOn(t *testing.T) {
	t.Parallel()
	s, r := seeded(t)
	r.patience = 0
	tenant := s.tenant("acme")
	now := time.Now()
	// The rare one is the first of the second chunk.
	s.write(eventsAt(tenant, "common", now.Add(-time.Hour), eventsPerChunk, func(int) []seedDelivery { return nil })...)
	rare, _ := s.write(seedEvent{tenant: tenant, eventType: "rare", at: now})

	first, err := r.Events(t.Context(), EventFilter{Tenant: tenant, Type: "rare"})
	require.NoError(t, err)
	require.Empty(t, first.Events)
	require.False(t, first.Next.IsZero())
	require.False(t, first.CompleteUntil.After(rare[0].Time()))

	second, err := r.Events(t.Context(), EventFilter{Tenant: tenant, Type: "rare", After: first.Next})
	require.NoError(t, err)
	require.Len(t, second.Events, 1)
	require.Equal(t, rare[0], second.Events[0].ID)
	require.True(t, second.Next.IsZero())
}
