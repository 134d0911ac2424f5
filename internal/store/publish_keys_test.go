package store_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

// outcomes of a publish, as the tables write them.
type publishedAs struct {
	same int   // index of the draft whose event it is
	err  error // that it was refused with
}

func first(i int) publishedAs  { return publishedAs{same: i} }
func repeat(i int) publishedAs { return publishedAs{same: i} }

var (
	refused = publishedAs{err: delivery.ErrKeyReused}
	withIt  = publishedAs{err: delivery.ErrUnitRefused} // refused for another of its unit
)

// TestGateway_G01_Keys tells what becomes of every way in which a key can come
// again. A case is a list of calls, each a list of units, each a list of drafts
// written "key:request"; want has one entry per draft, over all calls.
func TestGateway_G01_Keys(t *testing.T) {
	f := newFixture(t)
	type unit []string
	type call []unit
	for number, c := range []struct {
		name  string
		calls []call
		want  []publishedAs
	}{
		{"the same again", []call{{{"k:a"}}, {{"k:a"}}}, []publishedAs{first(0), repeat(0)}},
		{"another request with the key", []call{{{"k:a"}}, {{"k:b"}}, {{"k:a"}}}, []publishedAs{first(0), refused, repeat(0)}},
		{"without keys nothing repeats", []call{{{":a"}, {":a"}}, {{":a"}}}, []publishedAs{first(0), first(1), first(2)}},
		{"in one batch", []call{{{"k:a"}, {"k:a"}, {"k:a"}}}, []publishedAs{first(0), repeat(0), repeat(0)}},
		{"another request in one batch", []call{{{"k:a"}, {"k:b"}, {"k:a"}}}, []publishedAs{first(0), refused, repeat(0)}},
		{"within a unit", []call{{{"k:a", "k:a", "l:b"}}}, []publishedAs{first(0), repeat(0), first(2)}},
		{"within a unit, of an earlier event", []call{{{"k:a"}}, {{"k:a", "k:a"}}}, []publishedAs{first(0), repeat(0), repeat(0)}},
		{"a unit that contradicts itself keeps nothing", []call{{{"k:a", "k:b"}, {"l:c"}}, {{"k:b"}}},
			[]publishedAs{withIt, refused, first(2), first(3)}},
		{"a unit is refused whole and gives its other keys back", []call{{{"k:a"}}, {{"l:a", "k:b", ":c"}, {"m:a"}}, {{"l:z"}}},
			[]publishedAs{first(0), withIt, refused, withIt, first(4), first(5)}},
		{"who repeats a refused draft comes first", []call{{{"k:a"}}, {{"l:a", "k:b"}, {"l:a"}, {"l:a"}}},
			[]publishedAs{first(0), withIt, refused, first(3), repeat(3)}},
		{"a unit that repeats one draft and adds another", []call{{{"k:a"}, {"k:a", "l:b"}}, {{"l:b"}}},
			[]publishedAs{first(0), repeat(0), first(2), repeat(2)}},
		{"a unit that meets a repeat and a reuse", []call{{{"k:a"}, {"l:a"}}, {{"k:a", "l:b"}, {"l:a"}}},
			[]publishedAs{first(0), first(1), withIt, refused, repeat(1)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			tenant := fmt.Sprintf("tenant-%d", number)
			f.endpoint(tenant, 4)
			var got []delivery.Published
			firsts := 0
			for _, call := range c.calls {
				units := make([][]*delivery.Draft, len(call))
				for i, unit := range call {
					for _, written := range unit {
						key, body := written[:len(written)-2], written[len(written)-1:]
						units[i] = append(units[i], draft(tenant, body, withKey(key)))
					}
				}
				got = append(got, f.publishUnits(units...)...)
			}
			require.Len(t, got, len(c.want))
			for i, want := range c.want {
				if want.err != nil {
					require.ErrorIs(t, got[i].Err, want.err, "draft %d", i)
					continue
				}
				require.NoError(t, got[i].Err, "draft %d", i)
				require.Equal(t, got[want.same].ID, got[i].ID, "draft %d", i)
				require.Equal(t, want.same != i, got[i].Duplicate, "draft %d", i)
				if want.same == i {
					firsts++
					require.Equal(t, 1, got[i].Deliveries, "draft %d", i)
				}
			}
			require.Equal(t, firsts, scalar[int](f, `SELECT count(*)::int FROM malote.events WHERE tenant = $1`, tenant))
			require.Equal(t, firsts, scalar[int](f, `SELECT count(*)::int FROM malote.queue WHERE tenant = $1`, tenant),
				"one delivery per event and endpoint (G02)")
		})
	}
}

func TestGateway_G01_KeysAreTheTenantsOwn(t *testing.T) {
	f := newFixture(t)
	f.endpoint("acme", 4)
	f.endpoint("bolt", 4)
	published := f.publish(draft("acme", "1", withKey("k")), draft("bolt", "2", withKey("k")))
	require.False(t, published[0].Duplicate || published[1].Duplicate)
	require.NoError(t, published[1].Err)
}

func TestGateway_G01_AKeyPastItsTimeCountsAsAbsent(t *testing.T) {
	f := newFixture(t)
	f.endpoint("acme", 4)
	old := f.publish(draft("acme", "1", withKey("same")), draft("acme", "1", withKey("other")), draft("acme", "1", withKey("live")))
	f.exec(`UPDATE malote.event_keys SET expires_at = now() - interval '1 second' WHERE key <> 'live'`) // not yet removed
	again := f.publish(draft("acme", "1", withKey("same")), draft("acme", "2", withKey("other")), draft("acme", "1", withKey("live")))
	for i := range 2 {
		require.NoError(t, again[i].Err)
		require.False(t, again[i].Duplicate)
		require.NotEqual(t, old[i].ID, again[i].ID)
	}
	require.True(t, again[2].Duplicate)
	repeated := f.publish(draft("acme", "2", withKey("other")))
	require.True(t, repeated[0].Duplicate)
	require.Equal(t, again[1].ID, repeated[0].ID, "the key is the new event's now")
	require.Equal(t, 3, scalar[int](f, `SELECT count(*)::int FROM malote.event_keys WHERE expires_at > now() + interval '6 days'`))
}

func TestExpireKeys_RemovesOnlyWhatIsPastItsTime(t *testing.T) {
	f := newFixture(t)
	f.endpoint("acme", 4)
	for i := range 5 {
		f.publish(draft("acme", "1", withKey(fmt.Sprint(i))))
	}
	f.exec(`UPDATE malote.event_keys SET expires_at = now() - interval '1 second' WHERE key <> '4'`)
	for _, want := range []int{3, 1, 0} {
		n, err := f.store.ExpireKeys(t.Context(), 3)
		require.NoError(t, err)
		require.Equal(t, want, n)
	}
	require.Equal(t, "4", scalar[string](f, `SELECT key FROM malote.event_keys`))
}

func TestPublish_RefusedUnitsLeaveNoKey(t *testing.T) {
	f := newFixture(t)
	f.endpoint("acme", 4)
	published := f.publishUnits(
		[]*delivery.Draft{draft("acme", "1", withKey("k")), draft("nobody", "2")},
		[]*delivery.Draft{draft("acme", "3", withKey("l"))})
	require.ErrorIs(t, published[0].Err, delivery.ErrUnitRefused, "the publisher must learn which one it was")
	require.ErrorIs(t, published[1].Err, delivery.ErrUnknownTenant)
	require.NoError(t, published[2].Err)
	require.Equal(t, "l", scalar[string](f, `SELECT key FROM malote.event_keys`))
}
