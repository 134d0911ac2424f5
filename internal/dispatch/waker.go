package dispatch

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/malotehq/malote/internal/delivery"
)

// LaneStorage is what waking needs of the database.
type LaneStorage interface {
	// WakeLanes makes those lanes ready that look parked, tells the other
	// processes, and returns how many there were.
	WakeLanes(ctx context.Context, lanes []delivery.LaneRef) (int, error)
	// Listen calls wake when another process has woken lanes, until ctx ends or
	// the connection fails.
	Listen(ctx context.Context, wake func()) error
}

// breath is between two looks: what arrives meanwhile shares the next.
const breath = 2 * time.Millisecond

// wakeTimeout bounds one look at lanes.
const wakeTimeout = 10 * time.Second

// Waker looks at lanes after their new work is committed (I4: write, commit,
// then look), many at a time, and signals the dispatcher of this process.
type Waker struct {
	storage LaneStorage
	signal  func()
	hand    func([]delivery.LaneRef) bool
	log     *slog.Logger

	mu      sync.Mutex
	waiting map[delivery.LaneRef]struct{}
	arrived chan struct{} // capacity 1
}

// NewWaker makes a waker. signal is called when lanes became ready; hand takes
// lanes off its hands, if it says so. Neither must block.
func NewWaker(storage LaneStorage, signal func(), hand func([]delivery.LaneRef) bool, log *slog.Logger) *Waker {
	return &Waker{
		storage: storage, signal: signal, hand: hand, log: log,
		waiting: make(map[delivery.LaneRef]struct{}), arrived: make(chan struct{}, 1),
	}
}

// Wake hands lanes over to be claimed from, or notes them to look at. It never
// blocks.
func (w *Waker) Wake(lanes []delivery.LaneRef) {
	if len(lanes) > 0 && !w.hand(lanes) {
		w.Note(lanes)
	}
}

// Note notes lanes to look at. It never blocks.
func (w *Waker) Note(lanes []delivery.LaneRef) {
	if len(lanes) == 0 {
		return
	}
	w.mu.Lock()
	for _, lane := range lanes {
		w.waiting[lane] = struct{}{}
	}
	w.mu.Unlock()
	select {
	case w.arrived <- struct{}{}:
	default:
	}
}

// Run looks at what was noted, until ctx ends; then once more at the rest.
func (w *Waker) Run(ctx context.Context) {
	// Never as long as it takes the sweep to count a lane as stranded.
	failed := backoff{least: 50 * time.Millisecond, most: 800 * time.Millisecond}
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-w.arrived:
			if w.look() {
				failed.reset()
				pause(ctx, breath)
			} else {
				pause(ctx, failed.next())
			}
		}
	}
	w.look()
}

// look returns false, with the lanes noted again, if the database failed.
func (w *Waker) look() bool {
	lanes := w.take()
	if len(lanes) == 0 {
		return true
	}
	ctx, cancel := context.WithTimeout(context.Background(), wakeTimeout)
	defer cancel()
	woken, err := w.storage.WakeLanes(ctx, lanes)
	if err != nil {
		w.log.Warn("waking lanes failed; trying again", "error", err, "lanes", len(lanes))
		w.Note(lanes)
		return false
	}
	if woken > 0 {
		w.signal()
	}
	return true
}

func (w *Waker) take() []delivery.LaneRef {
	w.mu.Lock()
	defer w.mu.Unlock()
	lanes := make([]delivery.LaneRef, 0, len(w.waiting))
	for lane := range w.waiting {
		lanes = append(lanes, lane)
	}
	clear(w.waiting)
	return lanes
}

// steadyListener is how long a listener's connection must have held for the next
// failure to be a new one.
const steadyListener = 10 * time.Second

// Listen passes on the signals of other processes until ctx ends.
func Listen(ctx context.Context, storage LaneStorage, signal func(), log *slog.Logger) {
	failed := backoff{least: 100 * time.Millisecond, most: steadyListener}
	for ctx.Err() == nil {
		started := time.Now()
		err := storage.Listen(ctx, signal)
		if ctx.Err() != nil {
			return
		}
		if time.Since(started) > steadyListener {
			failed.reset()
		}
		wait := failed.next()
		log.Warn("the listener's connection failed; polling until it is back", "error", err, "pause", wait)
		pause(ctx, wait)
	}
}
