package dispatch

import (
	"context"
	"crypto/rand"
	"slices"
	"sync"
	"time"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
)

// memory is a Storage that keeps lanes the way the real one does, in no time.
// With a time bubble around it, whatever takes time is the dispatcher's doing.
type memory struct {
	mu    sync.Mutex
	lanes []*memoryLane
	jobs  map[delivery.ID]*job

	onClaim    func() error                    // nil: claims work
	afterClaim func()                          // what happens once a claim has looked
	onComplete func([]policy.Completion) error // nil: completions work
	onNext     func() error                    // nil: what they claim can be read

	isHeld bool // somebody holds all parked lanes

	claims    []time.Time // when each claim was made
	completed []policy.Completion
	onward    int // deliveries claimed by completions
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

func (m *memory) CompleteAndClaim(ctx context.Context, batch []policy.Completion, onward policy.Onward) (policy.Completed, error) {
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
	var full []*memoryLane
	for _, done := range batch {
		m.completed = append(m.completed, done)
		j := m.jobs[done.Claim.DeliveryID]
		if j.lane.isFull() {
			j.lane.parked = false // the end of an attempt wakes a full lane
			full = append(full, j.lane)
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
	result := policy.Completed{Next: m.claimOnward(full, onward)}
	for _, done := range batch { // of lanes that were full and are so again, there is no news
		result.Woken = result.Woken || !slices.Contains(result.Next.Full, m.jobs[done.Claim.DeliveryID].lane.ref())
	}
	if m.onNext != nil {
		result.NextErr = m.onNext()
	}
	return result, nil
}

// claimOnward claims of trusted lanes that were full.
func (m *memory) claimOnward(full []*memoryLane, onward policy.Onward) (next delivery.Claimed) {
	token := delivery.NewID(0, time.Now(), rand.Reader)
	for _, l := range full {
		if onward.Slots == 0 || l.standing != delivery.Trusted || slices.Contains(onward.Except, l.endpoint.ID) {
			continue
		}
		next.Lanes = append(next.Lanes, l.ref())
		for len(next.Claims) < onward.Slots && l.claimable(delivery.Room{Suspects: onward.Slots, Slow: onward.Slots}) {
			next.Claims = append(next.Claims, l.take(token))
			m.onward++
		}
		if l.isFull() {
			next.Full = append(next.Full, l.ref())
		}
	}
	return next
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
