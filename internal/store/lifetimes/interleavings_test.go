package lifetimes

import (
	"crypto/rand"
	"fmt"
	mathrand "math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
	"github.com/malotehq/malote/internal/store"
	"github.com/malotehq/malote/internal/store/redelivery"
)

const (
	interleavings = 1000
	rounds        = 8
	entities      = 2 // that each interleaving's events are about
)

// TestFairQueue_F13_InterleavingsLeaveTheNewestLast takes a thousand endpoints
// through random interleavings of publishing, claiming, succeeding, failing,
// dying and replaying. They are of one database and go in rounds: in each,
// whatever the endpoints drew is done by two processes at the same time, then a
// random while passes, and leases end. In the end everything is sent, and the
// receiver of every entity must have accepted its newest payload last.
func TestFairQueue_F13_InterleavingsLeaveTheNewestLast(t *testing.T) {
	seed := mathrand.Uint64()
	t.Log("seed", seed)
	m := newMingle(t, mathrand.New(mathrand.NewPCG(seed, seed)))
	for range rounds {
		m.round()
		m.clock.Advance(t, time.Duration(m.draw.Int64N(int64(45*time.Second))))
		m.tally["given up"] += m.rescue()
	}
	m.drain()
	m.check()
}

// mingle is the interleavings, with what their receivers saw.
type mingle struct {
	*life
	draw      *mathrand.Rand // of the test's goroutine
	fates     [2]*mathrand.Rand
	endpoints []delivery.ID
	held      [2][]policy.Completion // by workers that are slow to record

	mu       sync.Mutex
	newest   map[entity]payload
	accepted map[entity][]int // versions, in the order in which the receiver took them
	tally    map[string]int   // what happened, to show that it did
}

// entity is one thing as one endpoint sees it, and payload its present state.
type entity struct {
	endpoint delivery.ID
	key      string
}

type payload struct {
	version int
	event   delivery.ID
}

func newMingle(t *testing.T, draw *mathrand.Rand) *mingle {
	m := &mingle{
		life: newLife(t, "fair-queue"), draw: draw,
		newest: make(map[entity]payload), accepted: make(map[entity][]int), tally: make(map[string]int),
	}
	for i := range m.fates {
		m.fates[i] = mathrand.New(mathrand.NewPCG(draw.Uint64(), draw.Uint64()))
	}
	// The registry would take as long for them as all that follows.
	shard := delivery.ShardOf(tenant)
	for range interleavings {
		m.endpoints = append(m.endpoints, delivery.NewID(shard, start, rand.Reader))
	}
	m.exec(`INSERT INTO malote.endpoints (shard, id, tenant, url, policy)
		SELECT $1, e.id, $3, 'https://hooks.example.com/', 'fair-queue' FROM unnest($2::uuid[]) AS e (id)`, shard, m.endpoints, tenant)
	m.exec(`INSERT INTO malote.lanes (shard, endpoint_id, tenant, max_in_flight, claim_limit, lease_seconds)
		SELECT $1, e.id, $3, 4, 4, 60 FROM unnest($2::uuid[]) AS e (id)`, shard, m.endpoints, tenant)
	m.exec(`UPDATE malote.tenants t SET endpoints_version = t.endpoints_version + 1 WHERE t.shard = $1 AND t.id = $2`, shard, tenant)
	return m
}

// round is what all interleavings do at the same time, in both processes. What
// is accepted and put back meanwhile is claimed after that.
func (m *mingle) round() {
	m.Helper()
	m.together(m.publisher, m.slowWorker, m.replayer)
	m.clock.Advance(m, 10*time.Millisecond) // the ids of a batch lie a little ahead
	m.together(m.worker)
}

// together prepares what each process does, and does it all at once.
func (m *mingle) together(parts ...func(process int) func() error) {
	m.Helper()
	var prepared []func() error
	for process := range m.processes {
		for _, part := range parts {
			prepared = append(prepared, part(process))
		}
	}
	var group errgroup.Group
	for _, do := range prepared {
		group.Go(do)
	}
	require.NoError(m, group.Wait())
}

// publisher changes a quarter of the entities.
func (m *mingle) publisher(process int) func() error {
	var drafts []*delivery.Draft
	var changed []entity
	for i, endpoint := range m.endpoints {
		at := entity{endpoint, strconv.Itoa(m.draw.IntN(entities))}
		if i%2 != process || m.draw.IntN(2) > 0 {
			continue // each is one process's, in this round
		}
		next := m.newest[at].version + 1
		m.newest[at] = payload{version: next}
		changed = append(changed, at)
		drafts = append(drafts, draft(about(at.key), only(endpoint), saying(fmt.Sprint(at.key, " ", next))))
	}
	if m.draw.IntN(2) > 0 {
		slices.Reverse(drafts)
		slices.Reverse(changed)
	}
	return func() error {
		ids, err := m.publishOn(m.processes[process], drafts)
		m.mu.Lock()
		defer m.mu.Unlock()
		for i, id := range ids {
			m.newest[changed[i]] = payload{m.newest[changed[i]].version, id}
		}
		m.tally["published"] += len(ids)
		return err
	}
}

func (m *mingle) publishOn(process *store.Store, drafts []*delivery.Draft) (ids []delivery.ID, err error) {
	for i, d := range drafts {
		d.Unit = i
	}
	published, lanes, err := process.Publish(m.Context(), drafts, toTheOneNamed)
	if err != nil {
		return nil, err
	}
	for _, p := range published {
		ids = append(ids, p.ID)
	}
	_, err = process.WakeLanes(m.Context(), lanes)
	return ids, err
}

// toTheOneNamed is the plan of drafts that name their endpoint, which is active.
func toTheOneNamed(d *delivery.Draft, _ []*delivery.Endpoint) (delivery.Plan, error) {
	return delivery.Plan{
		Bodies:     [][]byte{d.Event.Body},
		Deliveries: []delivery.Planned{{EndpointID: d.EndpointIDs[0], State: delivery.Pending}},
	}, nil
}

// slowWorker records some of what it should have recorded long ago.
func (m *mingle) slowWorker(process int) func() error {
	var late, later []policy.Completion
	for _, done := range m.held[process] {
		if m.draw.IntN(2) > 0 {
			late = append(late, done)
		} else {
			later = append(later, done)
		}
	}
	m.held[process] = later
	return func() error { return m.recordOn(process, "late", late) }
}

func (m *mingle) recordOn(process int, kind string, done []policy.Completion) error {
	if len(done) == 0 {
		return nil
	}
	result, err := m.processes[process].Complete(m.Context(), done)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.tally["recorded "+kind] += len(done) - result.Lost
	m.tally["lost"] += result.Lost
	return err
}

// replayer puts the present state of some entities back, if it is closed. One
// that has an older state replayed after a newer one arrived wants that.
func (m *mingle) replayer(process int) func() error {
	var events []delivery.ID
	for i, endpoint := range m.endpoints {
		present := m.newest[entity{endpoint, strconv.Itoa(m.draw.IntN(entities))}]
		if i%2 != process && !present.event.IsZero() && m.draw.IntN(10) == 0 {
			events = append(events, present.event)
		}
	}
	writer := redelivery.New(m.processes[process])
	return func() error {
		var closed []delivery.ID
		m.each(`SELECT d.id FROM malote.deliveries d WHERE d.event_id = ANY ($1) AND d.state IN ('delivered', 'dead')`,
			func(rows pgx.Rows) error {
				var id delivery.ID
				err := rows.Scan(&id)
				closed = append(closed, id)
				return err
			}, events)
		return m.replayOn(process, writer, closed)
	}
}

// replayOn replays what may be, which others may change between the two calls.
func (m *mingle) replayOn(process int, writer *redelivery.Writer, ids []delivery.ID) error {
	request := redelivery.Request{
		IDs: ids, Trigger: delivery.TriggerReplay, Preview: true,
		Allowed: func(_ string, state delivery.State) bool { return m.contract.Replayable(state) },
	}
	preview, err := writer.Replay(m.Context(), request)
	if err != nil {
		return err
	}
	request.IDs, request.Preview = nil, false
	for _, result := range preview.Results {
		if result.Refusal == "" {
			request.IDs = append(request.IDs, result.ID)
		}
	}
	replay, err := writer.Replay(m.Context(), request)
	if err != nil {
		return err
	}
	m.mu.Lock()
	if replay.Done {
		m.tally["replayed"] += len(request.IDs)
	}
	m.tally["refused"] += len(ids) - len(request.IDs)
	m.mu.Unlock()
	_, err = m.processes[process].WakeLanes(m.Context(), replay.Lanes)
	return err
}

// worker claims and meets its fate with each claim.
func (m *mingle) worker(process int) func() error {
	atMost := 1 + m.draw.IntN(interleavings)
	return func() error {
		claimed, err := m.processes[process].Claim(m.Context(), atMost)
		if err != nil {
			return err
		}
		var done []policy.Completion
		for _, claim := range claimed.Claims {
			failed := m.completion(claim, delivery.Outcome{Status: 500, StartedAt: claim.ClaimedAt})
			accepted := m.completion(claim, delivery.Outcome{Status: 200, StartedAt: claim.ClaimedAt})
			switch m.fates[process].IntN(12) {
			case 0, 1, 2:
				m.accept(claim)
				done = append(done, accepted)
			case 3, 4, 5:
				done = append(done, failed)
			case 6:
				done = append(done, policy.Completion{Kind: policy.Unsent, Claim: claim, CompletedAt: claim.ClaimedAt})
			case 7:
				m.accept(claim)
				m.held[process] = append(m.held[process], accepted)
			case 8:
				m.held[process] = append(m.held[process], failed)
			case 9:
				m.accept(claim) // dies after the request
			default: // dies before it
			}
		}
		return m.recordOn(process, "at once", done)
	}
}

// accept is the receiver, who takes what it is sent.
func (m *mingle) accept(claim *delivery.Claim) {
	key, version, _ := strings.Cut(string(claim.Event.Body), " ")
	number, _ := strconv.Atoi(version)
	at := entity{claim.Endpoint.ID, key}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.accepted[at] = append(m.accepted[at], number)
}

// drain lets everything arrive. Workers that were slow so far, are lost.
func (m *mingle) drain() {
	m.Helper()
	for turn := 0; ; turn++ {
		require.Less(m, turn, 500, "%v", m.states())
		process := turn % 2
		claimed, err := m.processes[process].Claim(m.Context(), interleavings)
		require.NoError(m, err)
		var done []policy.Completion
		for _, claim := range claimed.Claims {
			m.accept(claim)
			done = append(done, m.completion(claim, delivery.Outcome{Status: 200, StartedAt: claim.ClaimedAt}))
		}
		require.NoError(m, m.recordOn(process, "in the end", done))
		if len(claimed.Claims) > 0 {
			continue
		}
		m.sweep()
		rescued := m.rescue() // what it put back, the claim before it could not see
		if claimed.NextDue == delivery.NothingDue && rescued == 0 && m.states()[delivery.Sending] == 0 {
			return
		}
		m.clock.Advance(m, time.Minute)
	}
}

func (m *mingle) check() {
	m.Helper()
	m.Log(m.tally, m.states())
	for _, happened := range []string{"published", "replayed", "lost", "given up", "recorded late", "recorded at once"} {
		require.NotZero(m, m.tally[happened], happened)
	}
	require.Zero(m, m.states()[delivery.Pending], "nothing blocks the queue")
	var events []delivery.ID
	for at, present := range m.newest {
		versions := m.accepted[at]
		require.NotEmpty(m, versions)
		require.Equal(m, present.version, versions[len(versions)-1], "the newest is accepted last: %v", versions)
		require.True(m, slices.IsSorted(versions), "nothing older comes after it: %v", versions)
		events = append(events, present.event)
	}
	var delivered int
	require.NoError(m, m.processes[0].Pool().QueryRow(m.Context(), `SELECT count(*) FROM malote.deliveries d
		WHERE d.state = 'delivered' AND d.event_id = ANY ($1)`, events).Scan(&delivered))
	require.Equal(m, len(events), delivered)
}
