package retention

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

// bigDays makes whatever reads the queue take longer than statements may on any
// connection of the pool, and than transactions may idle there.
func (w *world) bigDays() {
	w.Helper()
	w.exec(`ALTER TABLE malote.queue RENAME TO quick;
		CREATE VIEW malote.queue AS SELECT q.* FROM malote.quick q WHERE (SELECT pg_sleep(0.6)) IS NOT NULL`)

	for range w.store.Pool().Stat().MaxConns() {
		conn, err := w.store.Pool().Acquire(w.Context())
		require.NoError(w, err)
		defer conn.Release()
		_, err = conn.Exec(w.Context(), `SET statement_timeout = '400ms'; SET idle_in_transaction_session_timeout = '400ms'`)
		require.NoError(w, err)
	}
}

func TestRetire_CountsAndCopiesForLongerThanOthersMay(t *testing.T) {
	t.Parallel()
	w, needed := partlyNeeded(t)
	w.keeper.moment = time.Minute
	w.keeper.step = func(step string) {
		if step == "go through events" {
			w.bigDays()
		}
	}
	removed, err := w.keeper.Retire(t.Context(), time.Now())
	require.NoError(t, err)
	require.Equal(t, Removed{events: 5, renderings: 5, deliveries: 5, attempts: 5}, removed)
	w.keeper.step = func(step string) { t.Errorf("%s: the day was not marked as gone through", step) }
	w.exec(`DROP VIEW malote.queue; ALTER TABLE malote.quick RENAME TO queue`)
	require.Empty(t, w.retire())
	require.Equal(t, needed, w.contents())
}

// Thinning goes through much that stays.
func TestRetire_ThinsForLongerThanOthersMay(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 40)
	dead := w.add(row{at: noon(40), state: delivery.Dead})
	w.add(row{at: noon(40), state: delivery.Delivered})
	w.exec(`CREATE FUNCTION public.linger() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.6); RETURN OLD; END';
		CREATE TRIGGER linger BEFORE DELETE ON malote.` + dayAt(40).of(deliveries) + ` FOR EACH ROW EXECUTE FUNCTION public.linger()`)
	w.keeper.moment = time.Nanosecond
	w.keeper.step = func(step string) {
		if step == "thin deliveries" {
			w.bigDays()
			w.exec(`DROP VIEW malote.queue; ALTER TABLE malote.quick RENAME TO queue`)
		}
	}
	require.Equal(t, int64(1), w.retire()[deliveries])
	require.Equal(t, []delivery.ID{dead.delivery}, w.contents()[deliveries])
}

// Should this process stall, the server soon ends what completions wait for.
func TestChanging_BoundsByWhomItHoldsUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 40)
	for _, lock := range []dayLock{withoutWriters, frozen} {
		err := w.keeper.changing(t.Context(), dayAt(40), lock, func(c *change) error {
			for _, setting := range []string{"statement_timeout", "idle_in_transaction_session_timeout"} {
				var is time.Duration
				err := c.conn.QueryRow(t.Context(), `SELECT current_setting($1)::interval`, setting).Scan(&is)
				require.NoError(t, err)
				require.Equal(t, lock == frozen, is <= 10*time.Second, "%s %s: %s", lock.mode, setting, is)
			}
			return nil
		})
		require.NoError(t, err)
	}
}

// Somebody who has a whole table may be waiting for the day that is being retired,
// with everybody behind him.
func TestRetire_DoesNotWaitForWhoeverMayWaitForIt(t *testing.T) {
	t.Parallel()
	for _, from := range []string{"rebuild events", "go through attempts"} {
		t.Run(from, func(t *testing.T) {
			t.Parallel()
			w, needed := partlyNeeded(t)
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
			defer cancel()
			var other pgx.Tx
			w.keeper.step = func(step string) {
				if step != from {
					return
				}
				var err error
				other, err = w.store.Pool().Begin(t.Context())
				require.NoError(t, err)
				_, err = other.Exec(t.Context(), `LOCK TABLE malote.queue IN ACCESS EXCLUSIVE MODE`)
				require.NoError(t, err)
			}
			_, err := w.keeper.Retire(ctx, time.Now())
			require.NoError(t, other.Rollback(t.Context()))
			require.ErrorIs(t, err, ErrBusy)
			w.finishes(needed)
		})
	}
}

// logged are the records that a keeper has written.
type logged []struct {
	Level, Day, Of, Error string
}

func (w *world) logging() func() logged {
	var written bytes.Buffer
	w.keeper.log = slog.New(slog.NewJSONHandler(&written, nil))
	return func() (records logged) {
		for decoder := json.NewDecoder(&written); decoder.More(); {
			var record struct{ Level, Day, Of, Error string }
			require.NoError(w, decoder.Decode(&record))
			if record.Error != "" {
				records = append(records, record)
			}
		}
		return records
	}
}

func TestRetire_LogsEachDayThatFailsAndDoesTheOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 42, 41, 40)
	records := w.logging()
	for _, days := range []int{42, 41, 40} {
		w.add(row{at: noon(days), state: delivery.Delivered, attempts: []int{0}})
		w.add(row{at: noon(days), state: delivery.Dead, attempts: []int{0}})
	}
	for _, days := range []int{42, 41} { // somebody's, with the name that the new table would have
		w.exec(`CREATE TABLE malote.` + dayAt(days).of(events) + `_kept ()`)
	}
	removed, err := w.keeper.Retire(t.Context(), time.Now())
	require.ErrorContains(t, err, noon(42).Format(time.DateOnly), "the task has failed")
	require.Equal(t, Removed{events: 1, renderings: 1, deliveries: 3, attempts: 3}, removed)
	found := records()
	require.Len(t, found, 2)
	for i, days := range []int{42, 41} {
		require.Equal(t, "ERROR", found[i].Level)
		require.Equal(t, noon(days).Format(time.DateOnly), found[i].Day)
		require.Equal(t, events, found[i].Of)
		require.Contains(t, found[i].Error, "already exists")
	}

	// The next run has time for others before it tries those again.
	w.makeDay(39)
	due, err := w.keeper.due(t.Context(), time.Now())
	require.NoError(t, err)
	names := make([]string, len(due))
	for i, d := range due {
		names[i] = d.of(d.tables[0])
	}
	attemptsOf39 := partitions{begin: dayAt(39).begin, tables: []string{attempts}}
	require.Equal(t, []string{dayAt(39).of(events), attemptsOf39.of(attempts), dayAt(42).of(events), dayAt(41).of(events)}, names)

	w.exec(`DROP TABLE malote.` + dayAt(42).of(events) + `_kept, malote.` + dayAt(41).of(events) + `_kept`)
	w.retire()
	require.Empty(t, records())
	require.Empty(t, w.keeper.failed.days)
}

func TestRetire_IsLouderWhenADayIsInTheWayForLong(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	records := w.logging()
	ctx, stop := context.WithCancel(t.Context())
	d, now := dayAt(40), time.Now()
	justDue := d
	justDue.looked = now.Add(-lookAgain)
	for _, c := range []struct {
		day  partitions
		err  error
		want string
	}{
		{justDue, ErrBusy, "WARN"},
		{justDue, errNeeded, "WARN"},
		{justDue, errors.New("a broken pipe"), "ERROR"},
		{d, ErrBusy, "ERROR"},
	} {
		w.keeper.note(ctx, c.day, c.err, now)
		found := records()
		require.Len(t, found, 1)
		require.Equal(t, c.want, found[0].Level, "%v", c.err)
	}
	stop()
	w.keeper.note(ctx, d, context.Canceled, now)
	require.Empty(t, records(), "being told to stop is no failure")
}
