package maintenance

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var errAway = errors.New("the database is away")

// house is a Storage that several processes may share. Claims whose lease ran
// out stay until they are completed.
type house struct {
	refuses func([]policy.Completion) error // nil: completions work
	fails   func(task string) error         // nil: tasks work
	ignores func(policy.Completion) bool    // completions that change nothing, and say so
	lost    func(policy.Completion) bool    // claims that their workers completed meanwhile

	mu         sync.Mutex
	lastRun    map[string]time.Time
	expired    []*delivery.Claim
	completed  []policy.Completion
	tries      []int // sizes of completions, those that failed included
	looks      int   // for expired leases
	stranded   int
	keys       int // to expire
	orphans    int // to close
	partitions []time.Time
}

func newHouse() *house { return &house{lastRun: make(map[string]time.Time)} }

func (h *house) ClaimTask(ctx context.Context, name string, every time.Duration) (bool, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return false, err
	}
	if last, ran := h.lastRun[name]; ran && time.Since(last) < every {
		return false, nil
	}
	h.lastRun[name] = time.Now()
	return true, nil
}

func (h *house) ExpiredLeases(_ context.Context, limit int) ([]*delivery.Claim, time.Time, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.looks++
	if h.fails != nil {
		if err := h.fails("rescue"); err != nil {
			return nil, time.Time{}, err
		}
	}
	return slices.Clone(h.expired[:min(limit, len(h.expired))]), time.Now(), nil
}

func (h *house) Complete(ctx context.Context, completions []policy.Completion) (policy.Completed, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return policy.Completed{}, err
	}
	h.tries = append(h.tries, len(completions))
	if h.refuses != nil {
		if err := h.refuses(completions); err != nil {
			return policy.Completed{}, err
		}
	}
	result := policy.Completed{States: make(map[delivery.State]int)}
	for _, done := range completions {
		if h.ignores != nil && h.ignores(done) {
			continue
		}
		h.expired = slices.DeleteFunc(h.expired, func(claim *delivery.Claim) bool { return claim == done.Claim })
		if h.lost != nil && h.lost(done) {
			result.Lost++
			continue
		}
		h.completed = append(h.completed, done)
		result.States[done.Decision.State]++
	}
	return result, nil
}

func (h *house) Sweep(context.Context) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := h.stranded
	h.stranded = 0
	if h.fails != nil {
		return n, h.fails("sweep")
	}
	return n, nil
}

func (h *house) CreatePartitions(_ context.Context, now time.Time) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.partitions = append(h.partitions, now)
	return nil
}

func (h *house) ExpireKeys(_ context.Context, limit int) (int, error) { return h.take(&h.keys, limit) }

func (h *house) CloseOrphans(_ context.Context, limit int) (int, error) {
	return h.take(&h.orphans, limit)
}

func (h *house) take(left *int, limit int) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := min(*left, limit)
	*left -= n
	return n, nil
}

// remaining says what is left of the given.
func (h *house) remaining(left *int) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return *left
}

// noted is an Observer that notes.
type noted struct {
	mu                sync.Mutex
	stranded, rescued int
	runs              map[string][]time.Time
	failures          map[string]int
}

func (n *noted) Stranded(lanes int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.stranded += lanes
}

func (n *noted) Rescued(claims int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.rescued += claims
}

func (n *noted) TaskRan(task string, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.runs[task] = append(n.runs[task], time.Now())
	if err != nil {
		n.failures[task]++
	}
}

func (n *noted) runsOf(task string) []time.Time {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.runs[task])
}

func (n *noted) failuresOf(task string) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.failures[task]
}

// presets finds the policies that ship.
type presets struct{}

func (presets) Policy(name string) (*policy.Policy, error) {
	if p, known := policy.Preset(name); known {
		return p, nil
	}
	return nil, errors.New("no such policy")
}

// rig is the maintenance of one process, over a house.
type rig struct {
	*Maintenance
	house    *house
	observer *noted
	signals  int // for tests that run tasks themselves
}

func newRig(h *house) *rig {
	r := &rig{house: h, observer: &noted{runs: make(map[string][]time.Time), failures: make(map[string]int)}}
	r.Maintenance = New(Options{
		Storage: h, Policies: presets{}, Observer: r.observer, Signal: func() { r.signals++ },
		Random: func() float64 { return 0.5 },
	})
	return r
}

// run runs all tasks; stop stops them and waits.
func (r *rig) run(t *testing.T) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	r.options.Signal = func() {}
	var running sync.WaitGroup
	running.Go(func() { r.Run(ctx) })
	stop = func() {
		cancel()
		running.Wait()
	}
	t.Cleanup(stop)
	return stop
}

// elapse lets time go by. For use in time bubbles.
func elapse(t *testing.T, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-t.Context().Done():
	case <-timer.C:
	}
}

// lostClaim is a claim of an earlier minute, on its n-th attempt.
func lostClaim(n int, change func(*delivery.Claim)) *delivery.Claim {
	claimed := time.Now().Add(-time.Minute)
	claim := &delivery.Claim{
		Token: delivery.NewID(0, claimed, rand.Reader), DeliveryID: delivery.NewID(0, claimed, rand.Reader),
		Endpoint: &delivery.Endpoint{ID: delivery.NewID(0, claimed, rand.Reader), Policy: "fair-queue"},
		Attempt:  n, CycleAttempt: n, Trigger: delivery.TriggerSchedule, ScheduledAt: claimed, CycleStartedAt: claimed,
	}
	if change != nil {
		change(claim)
	}
	return claim
}
