package dispatch

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// errAway is what a database that is not there says.
var errAway = errors.New("the database is away")

// sending is a Sender that counts what is under way.
type sending struct {
	answer func(ctx context.Context, claim *delivery.Claim) delivery.Outcome

	mu        sync.Mutex
	now, most int
	ids       []delivery.ID
	times     []time.Time
}

func (s *sending) Send(ctx context.Context, claim *delivery.Claim, _ *policy.Policy, now time.Time) delivery.Outcome {
	s.count(1, claim, now)
	defer s.count(-1, claim, now)
	outcome := s.answer(ctx, claim)
	outcome.StartedAt = now
	return outcome
}

func (s *sending) count(by int, claim *delivery.Claim, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now += by
	s.most = max(s.most, s.now)
	if by > 0 {
		s.ids = append(s.ids, claim.DeliveryID)
		s.times = append(s.times, now)
	}
}

// sent are the deliveries that attempts were made of.
func (s *sending) sent() []delivery.ID {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.ids)
}

// signed are the times that the attempts were given.
func (s *sending) signed() []time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.times)
}

// mostAtOnce is how many attempts were ever under way.
func (s *sending) mostAtOnce() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.most
}

// answering is a Sender whose endpoints all answer after d with the status.
func answering(d time.Duration, status int) *sending {
	return &sending{answer: func(ctx context.Context, _ *delivery.Claim) delivery.Outcome {
		if !pause(ctx, d) {
			return delivery.Outcome{Error: delivery.InterruptedSend, ErrorText: "interrupted"}
		}
		return delivery.Outcome{Status: status, Duration: d}
	}}
}

// presets finds the policies that ship.
type presets struct{}

func (presets) Policy(name string) (*policy.Policy, error) {
	if p, known := policy.Preset(name); known {
		return p, nil
	}
	return nil, errors.New("no such policy")
}

// counting is an Observer that counts.
type counting struct {
	mu                      sync.Mutex
	claims, started, ended  int
	batches, failedBatches  []int
	codes                   map[delivery.ErrorCode]int
	claimErrors, inProgress int
}

func (c *counting) Claimed(_, _ int, _ time.Duration, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.claims++
	if err != nil {
		c.claimErrors++
	}
}

func (c *counting) AttemptStarted() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.started++
	c.inProgress++
}

func (c *counting) AttemptEnded(code delivery.ErrorCode, _ bool, _ time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended++
	c.inProgress--
	if c.codes == nil {
		c.codes = make(map[delivery.ErrorCode]int)
	}
	c.codes[code]++
}

func (c *counting) Completed(batch int, _ policy.Completed, _ time.Duration, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		c.failedBatches = append(c.failedBatches, batch)
	} else {
		c.batches = append(c.batches, batch)
	}
}

// rig is a dispatcher with everything around it.
type rig struct {
	*Dispatcher
	memory   *memory
	sender   *sending
	observer *counting

	stop  context.CancelFunc
	ended chan struct{} // closed when Run has returned
}

func newRig(sender *sending, change func(*Options)) *rig {
	r := &rig{memory: newMemory(), sender: sender, observer: &counting{}, ended: make(chan struct{})}
	options := Options{Storage: r.memory, Sender: sender, Policies: presets{}, Observer: r.observer}
	if change != nil {
		change(&options)
	}
	r.Dispatcher = New(options)
	return r
}

// start runs the dispatcher until the test ends, or r.stop is called.
func (r *rig) start(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r.stop = cancel
	go func() {
		defer close(r.ended)
		r.Run(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-r.ended
		require.Empty(t, r.slots, "a slot was not given back")
		require.Zero(t, r.observer.inProgress, "an attempt was not counted as ended")
	})
}

// elapse lets time go by and everything come to rest. For use in time bubbles.
func elapse(t *testing.T, d time.Duration) {
	t.Helper()
	pause(t.Context(), d)
	synctest.Wait()
}

func states(pairs ...any) map[delivery.State]int {
	counts := make(map[delivery.State]int)
	for i := 0; i < len(pairs); i += 2 {
		counts[pairs[i].(delivery.State)] = pairs[i+1].(int)
	}
	return counts
}
