package dispatch

import (
	"context"
	"log/slog"
	"maps"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

// laneBook is a LaneStorage that notes who was looked at.
type laneBook struct {
	lookTime time.Duration
	fails    func() bool // nil: never
	parked   map[delivery.LaneRef]bool
	listen   func(ctx context.Context, wake func()) error

	mu    sync.Mutex
	looks []map[delivery.LaneRef]bool // those that worked
	times []time.Time                 // of all
}

func (b *laneBook) WakeLanes(ctx context.Context, lanes []delivery.LaneRef) (int, error) {
	if !pause(ctx, b.lookTime) {
		return 0, ctx.Err()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.times = append(b.times, time.Now())
	if b.fails != nil && b.fails() {
		return 0, errAway
	}
	seen, woken := make(map[delivery.LaneRef]bool), 0
	for _, lane := range lanes {
		seen[lane] = true
		if b.parked[lane] {
			woken++
		}
	}
	b.looks = append(b.looks, seen)
	return woken, nil
}

func (b *laneBook) Listen(ctx context.Context, wake func()) error { return b.listen(ctx, wake) }

func (b *laneBook) seen() []map[delivery.LaneRef]bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]map[delivery.LaneRef]bool(nil), b.looks...)
}

func (b *laneBook) lookTimes() []time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]time.Time(nil), b.times...)
}

func lanes(shards ...delivery.Shard) []delivery.LaneRef {
	var refs []delivery.LaneRef
	for _, shard := range shards {
		refs = append(refs, delivery.LaneRef{Shard: shard})
	}
	return refs
}

func setOf(refs []delivery.LaneRef) map[delivery.LaneRef]bool {
	set := make(map[delivery.LaneRef]bool)
	for _, ref := range refs {
		set[ref] = true
	}
	return set
}

// startWaker runs a waker; stop stops it and waits.
func startWaker(t *testing.T, b *laneBook) (w *Waker, signals func() int, stop func()) {
	t.Helper()
	var mu sync.Mutex
	n := 0
	w = NewWaker(b, func() {
		mu.Lock()
		defer mu.Unlock()
		n++
	}, func([]delivery.LaneRef) bool { return false }, slog.New(slog.DiscardHandler))
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { w.Run(ctx) })
	stop = func() {
		cancel()
		running.Wait()
	}
	t.Cleanup(stop)
	return w, func() int {
		mu.Lock()
		defer mu.Unlock()
		return n
	}, stop
}

func TestWaker_I4_LooksAfterEveryWakeTogetherWithWhatCameMeanwhile(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &laneBook{lookTime: 10 * time.Millisecond, parked: setOf(lanes(3))}
		w, signals, stop := startWaker(t, b)
		w.Wake(nil)
		w.Wake(lanes(1))
		synctest.Wait()
		for range 100 { // never blocks
			w.Wake(lanes(1, 2))
			w.Wake(lanes(3))
		}
		elapse(t, time.Second)
		require.Equal(t, []map[delivery.LaneRef]bool{setOf(lanes(1)), setOf(lanes(1, 2, 3))}, b.seen())
		require.Equal(t, 1, signals(), "only when a lane was parked")
		stop()
		require.Len(t, b.seen(), 2)
	})
}

func TestWaker_I4_KeepsLanesWhileTheDatabaseIsAway(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		back := time.Now().Add(20 * time.Second)
		b := &laneBook{parked: setOf(lanes(1, 2)), fails: func() bool { return time.Now().Before(back) }}
		w, signals, _ := startWaker(t, b)
		w.Wake(lanes(1))
		elapse(t, 10*time.Second)
		w.Wake(lanes(2))
		elapse(t, time.Until(back))
		require.Less(t, len(b.lookTimes()), 32, "with pauses in between")
		elapse(t, 800*time.Millisecond)
		require.Equal(t, []map[delivery.LaneRef]bool{setOf(lanes(1, 2))}, b.seen())
		require.Equal(t, 1, signals())

		// The next trouble begins with short pauses again.
		at := time.Now()
		back = at.Add(40 * time.Millisecond)
		w.Wake(lanes(1))
		elapse(t, time.Second)
		times := b.lookTimes()
		require.Equal(t, at.Add(50*time.Millisecond), times[len(times)-1])
	})
}

func TestWaker_LooksOnceMoreWhenStopped(t *testing.T) {
	t.Parallel()
	for range 50 { // a select may take either case
		synctest.Test(t, func(t *testing.T) {
			b := &laneBook{lookTime: 5 * time.Millisecond}
			w, _, stop := startWaker(t, b)
			w.Wake(lanes(1))
			synctest.Wait()
			w.Wake(lanes(2))
			stop()
			all := make(map[delivery.LaneRef]bool)
			for _, look := range b.seen() {
				maps.Copy(all, look)
			}
			require.Equal(t, setOf(lanes(1, 2)), all)
		})
	}
}

func TestWaker_ALookThatHangsEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &laneBook{lookTime: time.Hour}
		w, _, stop := startWaker(t, b)
		w.Wake(lanes(1))
		synctest.Wait()
		began := time.Now()
		stop()
		require.LessOrEqual(t, time.Since(began), 2*wakeTimeout)
	})
}

func TestListen_ConnectsAgainWithGrowingPauses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var connected []time.Duration
		holds := []time.Duration{0, 0, time.Second, 0, time.Minute, 0, 0}
		began, signals := time.Now(), 0
		b := &laneBook{listen: func(ctx context.Context, wake func()) error {
			mu.Lock()
			connected = append(connected, time.Since(began))
			hold := time.Hour
			if len(connected) <= len(holds) {
				hold = holds[len(connected)-1]
			}
			mu.Unlock()
			wake()
			pause(ctx, hold)
			return errAway
		}}
		ctx, cancel := context.WithCancel(t.Context())
		var listening sync.WaitGroup
		listening.Go(func() { Listen(ctx, b, func() { signals++ }, slog.New(slog.DiscardHandler)) })
		pause(t.Context(), 10*time.Minute)
		cancel()
		listening.Wait()
		const ms = time.Millisecond
		require.Equal(t, []time.Duration{
			0, 100 * ms, 300 * ms, 1700 * ms, 2500 * ms, // a second is not yet steady
			62600 * ms, 62800 * ms, 63200 * ms, // a minute is
		}, connected)
		require.Equal(t, len(connected), signals)
	})
}

// A server that refuses in no time, without even an error, is no reason to spin.
func TestListen_NeverSpins(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log logged
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		n := 0
		b := &laneBook{listen: func(context.Context, func()) error {
			n++
			return nil
		}}
		Listen(ctx, b, func() {}, log.logger())
		require.Less(t, n, 40)
	})
}
