package retention

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

func TestNew_KeepsForEightDaysAtLeast(t *testing.T) {
	t.Parallel()
	_, err := New(nil, Options{Keep: Shortest - time.Second})
	require.ErrorIs(t, err, ErrTooShort)
	k, err := New(nil, Options{})
	require.NoError(t, err)
	require.Equal(t, 30*day, k.keep)
}

func TestRetire_DropsADayThatNothingIsNeededOf(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 40, 31, 30)
	for _, state := range []delivery.State{delivery.Delivered, delivery.Skipped, delivery.Superseded, delivery.Resolved, delivery.Discarded} {
		w.add(row{at: noon(40), state: state, attempts: []int{0}})
	}
	young := w.add(row{at: noon(30), state: delivery.Delivered, attempts: []int{0}})
	require.Equal(t, Removed{events: 5, renderings: 5, deliveries: 5, attempts: 5}, w.retire())
	require.Empty(t, w.partitionsOf(40))
	require.Equal(t, []string{attempts}, w.partitionsOf(31), "an empty day goes too, attempts a day later")
	require.Len(t, w.partitionsOf(30), 4, "thirty days are kept")
	require.Equal(t, []delivery.ID{young.event}, w.contents()[events])

	before := w.contents()
	require.Empty(t, w.retire(), "nothing is left to do")
	require.Equal(t, before, w.contents())
}

func TestRetire_KeepsWhatIsNeeded(t *testing.T) {
	t.Parallel()
	for name, r := range map[string]row{
		"a pending delivery": {state: delivery.Pending, attempts: []int{0, 1}},
		"one being sent":     {state: delivery.Sending, attempts: []int{0, 1}},
		"a dead one":         {state: delivery.Dead, attempts: []int{0, 1}},
		"a key":              {state: delivery.Delivered, key: "k", keyUntil: time.Now().Add(time.Hour)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 40, 39)
			r.at = noon(40)
			kept := w.add(r)
			w.add(row{at: noon(40), state: delivery.Delivered, attempts: []int{0, 1}})
			w.add(row{at: noon(40), state: delivery.Resolved, key: "gone", keyUntil: time.Now().Add(-time.Hour)})
			removed := w.retire()
			require.Equal(t, int64(2), removed[events])
			require.Equal(t, int64(2), removed[renderings])
			require.Equal(t, int64(2), removed[attempts])

			left := w.contents()
			require.Equal(t, []delivery.ID{kept.event}, left[events])
			require.Equal(t, []delivery.ID{kept.event}, left[renderings])
			require.ElementsMatch(t, kept.tokens, left[attempts])
			if r.state == delivery.Dead {
				require.Equal(t, []delivery.ID{kept.delivery}, left[deliveries])
			} else {
				require.Empty(t, left[deliveries])
			}
			require.Equal(t, 1, w.count(`SELECT count(*) FROM malote.events e JOIN malote.event_renderings r ON r.event_id = e.id
				WHERE e.body = convert_to(e.id::text, 'UTF8') AND r.body = convert_to('1' || e.id::text, 'UTF8')
					AND e.type = 'a.b' AND e.tenant = 'acme'`), "to the byte")
			require.Subset(t, w.partitionsOf(40), []string{events, renderings, deliveries}, "its delivery will close there")
			w.sameShape(40)

			w.tomorrow()
			require.Empty(t, w.retire(), "what is needed stays, day after day")
			require.Equal(t, left, w.contents())
			w.noLongerNeeded(kept)
			w.tomorrow()
			w.retire()
			require.Empty(t, w.partitionsOf(40))
			require.Empty(t, w.partitionsOf(39))
		})
	}
}

// noLongerNeeded ends what keeps a delivery.
func (w *world) noLongerNeeded(s seeded) {
	w.exec(`DELETE FROM malote.queue WHERE id = $1`, s.delivery)
	w.exec(`UPDATE malote.deliveries SET state = 'resolved' WHERE id = $1`, s.delivery)
	w.exec(`UPDATE malote.event_keys SET expires_at = now() WHERE id = $1`, s.event)
}

// sameShape says that rebuilt partitions have what others have.
func (w *world) sameShape(daysAgo int) {
	w.Helper()
	shape := func(name string) (columns, indexes, constraints string) {
		require.NoError(w, w.store.Pool().QueryRow(w.Context(), `SELECT
			(SELECT string_agg(format('%s %s %s', attname, atttypid::regtype, attnotnull), ',' ORDER BY attnum) FROM pg_attribute
				WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped),
			(SELECT string_agg(i.inhparent::regclass::text, ',' ORDER BY i.inhparent) FROM pg_index x JOIN pg_inherits i ON i.inhrelid = x.indexrelid
				WHERE x.indrelid = c.oid),
			(SELECT string_agg(pg_get_constraintdef(oid), ',' ORDER BY pg_get_constraintdef(oid)) FROM pg_constraint WHERE conrelid = c.oid)
			FROM pg_class c WHERE c.oid = $1::text::regclass`, "malote."+name).Scan(&columns, &indexes, &constraints))
		return columns, indexes, constraints
	}
	for _, table := range w.partitionsOf(daysAgo) {
		columns, indexes, constraints := shape(table + "_" + noon(daysAgo).Format(dayLayout))
		wantColumns, wantIndexes, wantConstraints := shape(table + "_" + noon(0).Format(dayLayout))
		require.Equal(w, []string{wantColumns, wantIndexes, wantConstraints}, []string{columns, indexes, constraints}, table)
	}
}

func TestRetire_LooksAgainDailyAndRebuildsWhereItShrinksNotably(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 40)
	var dead []seeded
	for range 30 {
		dead = append(dead, w.add(row{at: noon(40), state: delivery.Dead, attempts: []int{0}}))
	}
	w.add(row{at: noon(40), state: delivery.Delivered})
	node := func() int {
		return w.count(`SELECT relfilenode::bigint FROM pg_class WHERE relname = $1`, dayAt(40).of(events))
	}
	original := node()
	require.Equal(t, Removed{events: 1, renderings: 1, deliveries: 1}, w.retire(), "the first time, however little it is")
	rebuilt := node()
	require.NotEqual(t, original, rebuilt)

	w.noLongerNeeded(dead[0])
	w.noLongerNeeded(dead[1])
	w.keeper.step = func(step string) { t.Errorf("%s: that costs something, every hour", step) }
	require.Empty(t, w.retire(), "not before tomorrow")
	w.keeper.step = func(string) {}
	w.tomorrow()
	require.Empty(t, w.retire(), "two of thirty are not worth it")
	require.Equal(t, rebuilt, node())
	w.noLongerNeeded(dead[2])
	w.tomorrow()
	require.Equal(t, Removed{events: 3, renderings: 3, deliveries: 3, attempts: 3}, w.retire(), "a tenth is")
	require.NotEqual(t, rebuilt, node())
	require.Len(t, w.contents()[events], 27)
}

// A clock that jumps ahead costs nobody's history: neither the process's nor, if
// the process's is right, the database's.
func TestRetire_ByTheEarlierOfTwoClocks(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 40, 20)
	w.add(row{at: noon(40), state: delivery.Delivered})
	w.add(row{at: noon(20), state: delivery.Delivered})
	removed, err := w.keeper.Retire(t.Context(), time.Now().AddDate(0, 0, -20))
	require.NoError(t, err)
	require.Empty(t, removed)
	removed, err = w.keeper.Retire(t.Context(), time.Now().AddDate(1, 0, 0))
	require.NoError(t, err)
	require.Equal(t, int64(1), removed[events])
	require.Len(t, w.partitionsOf(20), 4)
}

// Attempts of a delivery that is needed may be of any later day.
func TestRetire_JudgesEachDayOfAttemptsByItself(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 45, 44, 40, 36, 30)
	dead := w.add(row{at: noon(45), state: delivery.Dead, attempts: []int{0, 5, 9, 15}})
	delivered := w.add(row{at: noon(45), state: delivery.Delivered, attempts: []int{0, 1, 5, 15}})
	require.Equal(t, int64(3), w.retire()[attempts])
	require.Equal(t, sorted(append(dead.tokens, delivered.tokens[3])), w.contents()[attempts])
	require.Empty(t, w.partitionsOf(44))
	require.Equal(t, []string{attempts}, w.partitionsOf(40))
}

// Where more is dead than can be copied while others wait, the rest is removed in
// place.
func TestRetire_ADayOfDeadLetters(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 40)
	dead := w.add(row{at: noon(40), state: delivery.Dead})
	for i := range 5 {
		w.add(row{at: noon(40).Add(time.Duration(i) * time.Hour), state: delivery.Delivered})
	}
	w.keeper.moment = time.Nanosecond
	require.Equal(t, Removed{events: 5, renderings: 5, deliveries: 5}, w.retire())
	require.Equal(t, []delivery.ID{dead.delivery}, w.contents()[deliveries])
	require.Equal(t, []delivery.ID{dead.event}, w.contents()[events])
}
