package relay

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/publish"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var errAway = errors.New("the database is away")

// world is an outbox, a publisher and an observer, in memory.
type world struct {
	mu        sync.Mutex
	rows      []Row // in the outbox, by position
	refused   map[string]string
	events    []string // idempotency keys, in the order of their commits
	sizes     []int    // of the batches that were tried
	takeErr   error
	settleErr error
	publish   func(requests []publish.Request) ([]publish.Each, error) // nil: all are events
	lag       Lag
	lags      int
	failures  int
	closed    bool
	held      int // rows in batches that have not ended
}

func (w *world) Take(_ context.Context, above int64, rows, _ int) (Batch, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.takeErr != nil {
		return nil, w.takeErr
	}
	b := &batch{world: w}
	for _, row := range w.rows {
		if row.Position > above && len(b.rows) < rows {
			b.rows = append(b.rows, row)
		}
	}
	w.held += len(b.rows)
	return b, nil
}

func (w *world) Lag(context.Context) (Lag, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lags++
	return w.lag, nil
}

func (w *world) Close() { w.closed = true }

type batch struct {
	world *world
	rows  []Row
}

func (b *batch) Rows() []Row { return b.rows }

func (b *batch) Settle(_ context.Context, refusals []Refusal) error {
	b.world.mu.Lock()
	defer b.world.mu.Unlock()
	b.world.held -= len(b.rows)
	if b.world.settleErr != nil {
		return b.world.settleErr
	}
	for _, refusal := range refusals {
		b.world.refused[b.rows[refusal.Index].ID] = refusal.Reason
	}
	b.world.rows = slices.DeleteFunc(b.world.rows, func(r Row) bool {
		return slices.ContainsFunc(b.rows, func(mine Row) bool { return mine.ID == r.ID })
	})
	return nil
}

func (b *batch) Release(context.Context) {
	b.world.mu.Lock()
	defer b.world.mu.Unlock()
	b.world.held -= len(b.rows)
}

func (w *world) PublishEach(_ context.Context, requests []publish.Request) ([]publish.Each, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sizes = append(w.sizes, len(requests))
	outcomes := make([]publish.Each, len(requests))
	if w.publish != nil {
		var err error
		if outcomes, err = w.publish(requests); err != nil {
			return nil, err
		}
	}
	for i, request := range requests {
		switch {
		case outcomes[i].Err != nil:
		case slices.Contains(w.events, request.IdempotencyKey):
			outcomes[i].Duplicate = true
		default:
			w.events = append(w.events, request.IdempotencyKey)
		}
	}
	return outcomes, nil
}

func (w *world) Relayed(string, int, int, int)                {}
func (w *world) RelayFailed(string)                           { w.do(func() { w.failures++ }) }
func (w *world) RelayLag(string, int64, time.Duration, int64) {}
func (w *world) relay() *Relay                                { return New(w.options()) }
func (w *world) do(change func())                             { w.mu.Lock(); defer w.mu.Unlock(); change() }
func (w *world) keys() []string                               { w.mu.Lock(); defer w.mu.Unlock(); return slices.Clone(w.events) }
func (w *world) left() int                                    { w.mu.Lock(); defer w.mu.Unlock(); return len(w.rows) }
func newWorld(rows int) *world                                { w := &world{refused: map[string]string{}}; w.add(1, rows); return w }
func (w *world) options() Options {
	return Options{Name: "shop", Outbox: w, Publisher: w, Observer: w, Unavailable: func(err error) bool { return errors.Is(err, errAway) }}
}

func (w *world) add(first int64, n int) {
	for i := range int64(n) {
		w.rows = append(w.rows, Row{Position: first + i, ID: fmt.Sprintf("id-%d", first+i), Tenant: "acme", Type: "a.b", Body: []byte("1")})
	}
	slices.SortFunc(w.rows, func(a, b Row) int { return int(a.Position - b.Position) })
}

func (w *world) failed() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.failures
}

func (w *world) tried() []int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.sizes)
}

func keysOf(first, last int) []string {
	var keys []string
	for i := first; i <= last; i++ {
		keys = append(keys, fmt.Sprintf("outbox:id-%d", i))
	}
	return keys
}

// during runs a relay in a bubble while do does what it does. pass lets the
// bubble's time pass.
func during(t *testing.T, w *world, do func(t *testing.T, pass func(time.Duration))) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			w.relay().Run(ctx)
		}()
		do(t, func(d time.Duration) { time.Sleep(d) })
		cancel()
		<-done
		require.True(t, w.closed)
		require.Zero(t, w.held, "every batch has an end")
	})
}

func TestRelay_CarriesEverythingInOrderAndOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(600)
	during(t, w, func(t *testing.T, pass func(time.Duration)) {
		pass(time.Millisecond)
		require.Equal(t, keysOf(1, 600), w.keys(), "without a pause between full batches")
		require.Equal(t, []int{256, 256, 88}, w.tried())
		w.do(func() { w.add(601, 1) })
		pass(2 * DefaultPoll)
		require.Equal(t, keysOf(1, 601), w.keys())
	})
}

func TestRelay_ARowsOwnKeyIsTheEvents(t *testing.T) {
	t.Parallel()
	w := newWorld(2)
	w.rows[0].IdempotencyKey = "mine"
	during(t, w, func(t *testing.T, pass func(time.Duration)) {
		pass(time.Millisecond)
		require.Equal(t, []string{"mine", "outbox:id-2"}, w.keys())
	})
}

// Whatever is away, nothing is lost and nothing is told twice.
func TestRelay_WaitsOutWhateverIsAway(t *testing.T) {
	t.Parallel()
	for name, breaks := range map[string]func(w *world, err error){
		"the outbox":    func(w *world, err error) { w.takeErr = err },
		"the database":  func(w *world, err error) { w.publish = failing(err) },
		"the last step": func(w *world, err error) { w.settleErr = err },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(300)
			breaks(w, errAway)
			during(t, w, func(t *testing.T, pass func(time.Duration)) {
				pass(time.Minute)
				require.Equal(t, 300, w.left())
				require.InDelta(t, 18, w.failed(), 8, "slower and slower, and never longer than five seconds apart")
				w.do(func() { breaks(w, nil) })
				pass(2 * passFor)
				require.Zero(t, w.left())
				keys := w.keys()
				slices.Sort(keys)
				want := keysOf(1, 300)
				slices.Sort(want)
				require.Equal(t, want, keys, "each once")
			})
		})
	}
}

func failing(err error) func([]publish.Request) ([]publish.Each, error) {
	if err == nil {
		return nil
	}
	return func([]publish.Request) ([]publish.Each, error) { return nil, err }
}

// One row that breaks every transaction that it is in is found and put aside.
func TestRelay_APoisonousRowHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	w := newWorld(300)
	w.publish = func(requests []publish.Request) ([]publish.Each, error) {
		if slices.ContainsFunc(requests, func(r publish.Request) bool { return r.IdempotencyKey == "outbox:id-77" }) {
			return nil, errors.New("it breaks the statement")
		}
		return make([]publish.Each, len(requests)), nil
	}
	during(t, w, func(t *testing.T, pass func(time.Duration)) {
		pass(time.Minute)
		require.Zero(t, w.left())
		require.Equal(t, map[string]string{"id-77": errUnstorable.Error()}, w.refused)
		require.Equal(t, append(keysOf(1, 76), keysOf(78, 300)...), w.keys())
	})
}

// A row that only fails as if the database were away holds up nobody behind it.
func TestRelay_ARowThatFailsAloneIsPassedBy(t *testing.T) {
	t.Parallel()
	w := newWorld(1000)
	w.publish = func(requests []publish.Request) ([]publish.Each, error) {
		outcomes := make([]publish.Each, len(requests))
		for i, request := range requests {
			switch request.IdempotencyKey {
			case "outbox:id-1":
				return nil, errAway
			case "outbox:id-500": // what went wrong is not a refusal
				outcomes[i].Err = &publish.RefusedError{Err: errors.New("a policy could not be read")}
			}
		}
		return outcomes, nil
	}
	during(t, w, func(t *testing.T, pass func(time.Duration)) {
		pass(30 * time.Second)
		require.Equal(t, 2, w.left())
		require.Empty(t, w.refused)
		w.do(func() { w.publish = nil })
		pass(2 * passFor)
		require.Zero(t, w.left())
		require.Len(t, w.keys(), 1000)
	})
}

// What a long transaction wrote is carried as fast as anything, once it is seen.
func TestRelay_CarriesWhatCommitsBelowTheHorizonAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(0)
	w.add(100_000, 1)
	during(t, w, func(t *testing.T, pass func(time.Duration)) {
		pass(time.Second)
		w.do(func() { w.add(200_000, 1) })
		pass(2 * settled)
		w.do(func() { w.add(300_000, 1) })
		pass(2 * settled)
		w.do(func() { w.add(1, 3000) })
		pass(sweepEvery + time.Second)
		require.Zero(t, w.left())
	})
}

func TestRelay_KeepsWhatIsRefusedWithItsReason(t *testing.T) {
	t.Parallel()
	w := newWorld(6)
	w.rows[5].EndpointIDs = []string{"whe_nonsense"}
	w.publish = func(requests []publish.Request) ([]publish.Each, error) {
		outcomes := make([]publish.Each, len(requests))
		for i, err := range []error{
			&publish.InvalidError{Index: 3, Field: "data", Reason: "must be one JSON value in UTF-8"},
			&publish.TooLargeError{Index: 3, Size: 20, Limit: 10},
			&publish.RefusedError{Index: 3, Err: fmt.Errorf("%w: %q", delivery.ErrUnknownTenant, "acme")},
			&publish.RefusedError{Index: 3, Err: delivery.ErrKeyReused},
		} {
			if i < len(outcomes) {
				outcomes[i].Err = err
			}
		}
		return outcomes, nil
	}
	during(t, w, func(t *testing.T, pass func(time.Duration)) {
		pass(time.Millisecond)
		require.Equal(t, keysOf(5, 5), w.keys())
		require.Zero(t, w.left())
		for id, text := range map[string]string{
			"id-1": "data must be one JSON value", "id-2": "20 bytes, the limit of this Malote is 10", "id-3": "create it, then retry",
			"id-4": "belongs to an event that says something else", "id-6": "whe_nonsense",
		} {
			require.Contains(t, w.refused[id], text)
			require.NotContains(t, w.refused[id], "event 3", "nobody knows its place in a batch")
		}
	})
}

func TestRelay_FinishesTheBatchThatItHas(t *testing.T) {
	t.Parallel()
	w := newWorld(10)
	ctx, cancel := context.WithCancel(t.Context())
	w.publish = func(requests []publish.Request) ([]publish.Each, error) {
		cancel()
		return make([]publish.Each, len(requests)), nil
	}
	w.relay().Run(ctx)
	require.Zero(t, w.left())
	require.Len(t, w.events, 10)
}

// A look is never further from the beginning than a second ago, so what commits
// late is carried within a second; and while all is quiet, looks from the
// beginning are no more frequent than that.
func TestHorizon_SweepsOnceASecondAndOtherwiseBeginsSecondsBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var h horizon
		now := time.Unix(1_000_000, 0)
		var swept time.Time
		carried := map[int64]time.Time{} // when a position was carried
		var highest int64
		for range rapid.IntRange(1, 400).Draw(t, "looks") {
			now = now.Add(time.Duration(rapid.IntRange(1, 900).Draw(t, "ms")) * time.Millisecond)
			above := h.next(now)
			if above == 0 && now.Sub(swept) >= sweepEvery {
				swept = now
			}
			if now.Sub(swept) >= sweepEvery {
				t.Fatalf("no sweep for %v", now.Sub(swept))
			}
			for position, at := range carried {
				if position == above && now.Sub(at) < settled {
					t.Fatalf("it begins at what was carried %v ago", now.Sub(at))
				}
			}
			if above > highest {
				t.Fatalf("it begins at %d, and nothing above %d was carried", above, highest)
			}
			if rapid.Bool().Draw(t, "carried") {
				highest += int64(rapid.IntRange(1, 300).Draw(t, "rows"))
				h.saw(now, highest)
				carried[highest] = now
			}
		}
	})
}
