package dispatch

import (
	"context"
	"crypto/rand"
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

// memory is a Storage that keeps lanes the way the real one does, in no time.
// With a time bubble around it, whatever takes time is the dispatcher's doing.
type memory struct {
	mu    sync.Mutex
	lanes []*memoryLane
	jobs  map[delivery.ID]*job

	onClaim    func() error                    // nil: claims work
	afterClaim func()                          // what happens once a claim has looked
	onComplete func([]policy.Completion) error // nil: completions work

	isHeld bool // somebody holds all parked lanes

	claims    []time.Time // when each claim was made
	completed []policy.Completion
}

type memoryLane struct {
	endpoint *delivery.Endpoint
	limit    int
	pending  []*job // in the order in which they are due
	inFlight int
	most     int  // in flight at once, ever
	parked   bool // only claimed from when handed over
	parks    bool // a claim that finds it empty parks it
	standing delivery.Standing
}

type job struct {
	lane    *memoryLane
	id      delivery.ID
	due     time.Time
	attempt int
	state   delivery.State
}

func newMemory() *memory { return &memory{jobs: make(map[delivery.ID]*job)} }

// lane adds an endpoint with n due deliveries.
func (m *memory) lane(limit, n int) *memoryLane {
	l := &memoryLane{limit: limit, standing: delivery.Trusted, endpoint: &delivery.Endpoint{
		ID: delivery.NewID(0, time.Now(), rand.Reader), Tenant: "acme", Policy: "fair-queue",
	}}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lanes = append(m.lanes, l)
	m.addTo(l, n)
	return l
}

func (m *memory) addTo(l *memoryLane, n int) {
	for range n {
		j := &job{lane: l, id: delivery.NewID(0, time.Now(), rand.Reader), due: time.Now(), state: delivery.Pending}
		m.jobs[j.id] = j
		l.pending = append(l.pending, j)
	}
}

func (m *memory) ClaimHanded(_ context.Context, n int, room delivery.Room, handed []delivery.LaneRef) (delivery.Claimed, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.claims = append(m.claims, time.Now())
	if m.onClaim != nil {
		if err := m.onClaim(); err != nil {
			return delivery.Claimed{Untaken: handed}, err
		}
	}
	result := delivery.Claimed{NextDue: delivery.NothingDue}
	var ready []*memoryLane
	for _, l := range m.lanes {
		if l.parks && !l.parked && len(l.pending) == 0 {
			l.parked = true
			result.Lanes = append(result.Lanes, l.ref())
		}
		if len(ready) < n && l.claimable(room) && (!l.parked || slices.Contains(handed, l.ref()) && !m.isHeld) {
			ready = append(ready, l)
		}
	}
	for _, l := range ready {
		result.Lanes = append(result.Lanes, l.ref())
	}
	for _, ref := range handed {
		if !m.isSettled(ref, ready) {
			result.Untaken = append(result.Untaken, ref)
		}
	}
	token := delivery.NewID(0, time.Now(), rand.Reader)
	claimable := func(l *memoryLane) bool { return l.claimable(room) }
	for len(result.Claims) < n && slices.ContainsFunc(ready, claimable) {
		for _, l := range ready {
			if len(result.Claims) < n && l.claimable(room) {
				result.Claims = append(result.Claims, l.take(token))
				room = room.Take(room.StandingOf(l.endpoint.ID, l.standing))
			}
		}
	}
	for _, l := range m.lanes {
		if l.isFull() && (slices.Contains(ready, l) || slices.Contains(handed, l.ref())) {
			result.Full = append(result.Full, l.ref())
		}
	}
	if len(result.Claims) < n {
		result.NextDue = m.nextDue(room)
		result.More = slices.ContainsFunc(m.lanes, func(l *memoryLane) bool { return claimable(l) && !l.parked })
	}
	if m.afterClaim != nil {
		m.afterClaim()
	}
	return result, nil
}

// isSettled says whether a lane that was handed over need not be woken.
func (m *memory) isSettled(ref delivery.LaneRef, ready []*memoryLane) bool {
	return slices.ContainsFunc(m.lanes, func(l *memoryLane) bool {
		return l.ref() == ref && (l.isFull() || slices.Contains(ready, l))
	})
}

func (l *memoryLane) isFull() bool { return l.inFlight >= l.limit }

func (l *memoryLane) ref() delivery.LaneRef {
	return delivery.LaneRef{Shard: l.endpoint.ID.Shard(), EndpointID: l.endpoint.ID}
}

func (l *memoryLane) claimable(room delivery.Room) bool {
	return l.isOpen(room) && !l.pending[0].due.After(time.Now())
}

// isOpen says whether something may be claimed of the lane once it is due.
func (l *memoryLane) isOpen(room delivery.Room) bool {
	limit := l.limit
	if l.standing == delivery.Unheard {
		limit = min(limit, delivery.UnheardInFlight)
	}
	return l.inFlight < limit && len(l.pending) > 0 && room.For(room.StandingOf(l.endpoint.ID, l.standing), 1) > 0
}

func (l *memoryLane) take(token delivery.ID) *delivery.Claim {
	j := l.pending[0]
	l.pending = l.pending[1:]
	l.inFlight++
	l.most = max(l.most, l.inFlight)
	j.state = delivery.Sending
	j.attempt++
	now := time.Now()
	return &delivery.Claim{
		Token: token, DeliveryID: j.id, Endpoint: l.endpoint, Attempt: j.attempt, CycleAttempt: j.attempt,
		Standing: l.standing, ScheduledAt: j.due, CycleStartedAt: j.due, ClaimedAt: now, ReceivedAt: now, LeaseUntil: now.Add(time.Minute),
	}
}

func (m *memory) nextDue(room delivery.Room) time.Duration {
	next := delivery.NothingDue
	for _, l := range m.lanes {
		if l.isOpen(room) && !l.parked {
			if in := max(0, time.Until(l.pending[0].due)); next == delivery.NothingDue || in < next {
				next = in
			}
		}
	}
	return next
}

func (m *memory) Complete(ctx context.Context, batch []policy.Completion) (policy.Completed, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return policy.Completed{}, err
	}
	if m.onComplete != nil {
		if err := m.onComplete(batch); err != nil {
			return policy.Completed{}, err
		}
	}
	for _, done := range batch {
		m.completed = append(m.completed, done)
		j := m.jobs[done.Claim.DeliveryID]
		if j.lane.isFull() {
			j.lane.parked = false // the end of an attempt wakes a full lane
		}
		j.lane.inFlight--
		if done.Kind == policy.Sent {
			j.lane.standing = j.lane.standing.After(done.Outcome)
		}
		switch {
		case done.Kind == policy.Unsent:
			j.attempt--
			j.state = delivery.Pending
			j.lane.pending = slices.Insert(j.lane.pending, 0, j)
		case done.Decision.State == delivery.Pending:
			j.state, j.due = delivery.Pending, done.Decision.NextAttemptAt
			at, _ := slices.BinarySearchFunc(j.lane.pending, j.due, func(other *job, due time.Time) int { return other.due.Compare(due) })
			j.lane.pending = slices.Insert(j.lane.pending, at, j)
		default:
			j.state = done.Decision.State
		}
	}
	return policy.Completed{Woken: true}, nil
}

// states counts the deliveries.
func (m *memory) states() map[delivery.State]int {
	m.mu.Lock()
	defer m.mu.Unlock()
	counts := make(map[delivery.State]int)
	for _, j := range m.jobs {
		counts[j.state]++
	}
	return counts
}

// waiting is how many of a lane's deliveries are not claimed.
func (m *memory) waiting(l *memoryLane) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(l.pending)
}

// outcomes are the completions so far.
func (m *memory) outcomes() []policy.Completion {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.completed)
}

func (m *memory) claimTimes() []time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.claims)
}

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
