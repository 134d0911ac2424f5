package lifetimes

import (
	"crypto/rand"
	"crypto/sha256"
	mathrand "math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
	"github.com/malotehq/malote/internal/store"
	"github.com/malotehq/malote/internal/store/history"
	"github.com/malotehq/malote/internal/store/pgtest"
	"github.com/malotehq/malote/internal/store/redelivery"
	"github.com/malotehq/malote/internal/store/registry"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// start is when the first chapter of a life begins: two days before a leap day,
// shortly before midnight. It is past, so that what reads the history up to today
// finds everything.
var start = time.Date(2024, time.February, 27, 22, 15, 0, 0, time.UTC)

// tenant owns everything in a life, unless a test says otherwise.
const tenant = "acme"

// life is a database at a time, with two processes that work on it.
type life struct {
	*testing.T
	clock      *pgtest.Clock
	processes  [2]*store.Store
	registry   *registry.Registry
	redelivery *redelivery.Writer
	history    *history.Reader

	contract *policy.Policy
	random   policy.Random // the jitter
	turns    int

	begin    time.Time // of the chapter
	received []arrival // what receivers saw in it, in order
}

func newLife(t *testing.T, preset string) *life {
	t.Helper()
	t.Parallel()
	contract, ok := policy.Preset(preset)
	require.True(t, ok)
	first, clock := pgtest.OpenAt(t, start)
	l := &life{
		T: t, clock: clock, processes: [2]*store.Store{first, pgtest.OpenDSN(t, clock.DSN())},
		registry:   registry.New(first, registry.Options{Presets: policy.PresetNames(), Now: clock.Now}),
		redelivery: redelivery.New(first), history: history.New(first),
		contract: contract, random: mathrand.Float64, begin: start,
	}
	_, _, err := l.registry.CreateTenant(t.Context(), registry.Tenant{ID: tenant}, registry.Once{})
	require.NoError(t, err)
	return l
}

// chapter begins to count time and requests anew. A database is too dear for
// every row of a table; an endpoint of its own is not.
func (l *life) chapter(title string) {
	l.Helper()
	l.Log(title)
	l.clock.Set(l, l.clock.Now().Truncate(time.Second).Add(time.Second))
	l.begin, l.received = l.clock.Now(), nil
}

// always is a jitter without chance: 0 the least, 1 the most.
func always(u float64) policy.Random {
	return func() float64 { return min(u, 1-1.0/(1<<53)) }
}

// defaults is what the API takes from the policy for a lane.
func (l *life) defaults() registry.Defaults {
	return registry.Defaults{
		Policy: l.contract.Name, MaxInFlight: l.contract.MaxInFlight, LeaseSeconds: int(l.contract.Lease.Seconds()),
	}
}

// endpoint has answered before: of one that never did, only one delivery may be in
// flight, whatever its policy says.
func (l *life) endpoint(change ...func(*registry.NewEndpoint)) delivery.ID {
	l.Helper()
	wanted := registry.NewEndpoint{
		Tenant: tenant, URL: "https://hooks.example.com/1", Policy: l.contract.Name, Secrets: []string{"whsec_MTIzNDU2Nzg5MDEyMzQ1Njc4OTAxMjM0"},
	}
	for _, c := range change {
		c(&wanted)
	}
	made, _, err := l.registry.CreateEndpoint(l.Context(), wanted, l.defaults(), registry.Once{})
	require.NoError(l, err)
	l.exec(`UPDATE malote.lanes SET standing = 'trusted' WHERE endpoint_id = $1`, made.ID)
	return made.ID
}

// health is what the API shows of an endpoint.
func (l *life) health(id delivery.ID) registry.Endpoint {
	l.Helper()
	found, err := l.registry.Endpoint(l.Context(), registry.AnyTenant, id)
	require.NoError(l, err)
	return found
}

func (l *life) set(endpoint delivery.ID, change registry.StatusChange) {
	l.Helper()
	_, err := l.registry.SetStatus(l.Context(), registry.AnyTenant, endpoint, change)
	require.NoError(l, err)
}

// draft is an event, accepted when it is published. A body that is not given is
// one of its own.
func draft(change ...func(*delivery.Draft)) *delivery.Draft {
	d := &delivery.Draft{Event: delivery.Event{
		Tenant: tenant, Type: "order.changed", ContentType: "application/json", Body: []byte(rand.Text()),
	}}
	for _, c := range change {
		c(d)
	}
	d.Fingerprint = sha256.Sum256(d.Event.Body)
	return d
}

func about(entity string) func(*delivery.Draft) {
	return func(d *delivery.Draft) { d.Event.CoalesceKey = entity }
}

func saying(body string) func(*delivery.Draft) {
	return func(d *delivery.Draft) { d.Event.Body = []byte(body) }
}

func only(endpoint delivery.ID) func(*delivery.Draft) {
	return func(d *delivery.Draft) { d.EndpointIDs = []delivery.ID{endpoint} }
}

// publish accepts one event, in either process, and gives its id.
func (l *life) publish(change ...func(*delivery.Draft)) delivery.ID {
	l.Helper()
	return l.publishAll(draft(change...))[0]
}

func (l *life) publishAll(drafts ...*delivery.Draft) []delivery.ID {
	l.Helper()
	process := l.next()
	for i, d := range drafts {
		d.Unit = i
	}
	published, lanes, err := process.Publish(l.Context(), drafts, l.plan)
	require.NoError(l, err)
	_, err = process.WakeLanes(l.Context(), lanes)
	require.NoError(l, err)
	ids := make([]delivery.ID, len(published))
	for i, p := range published {
		require.NoError(l, p.Err)
		ids[i] = p.ID
	}
	// No two events are of the same instant.
	l.clock.Advance(l, time.Duration(len(drafts))*time.Microsecond)
	return ids
}

// plan is the fan-out: to the endpoints that the draft names, or to all.
func (l *life) plan(d *delivery.Draft, endpoints []*delivery.Endpoint) (delivery.Plan, error) {
	plan := delivery.Plan{Bodies: [][]byte{d.Event.Body}}
	for _, e := range endpoints {
		switch {
		case d.EndpointIDs != nil && e.ID != d.EndpointIDs[0]:
		case e.Status.Accepts():
			plan.Deliveries = append(plan.Deliveries, delivery.Planned{
				EndpointID: e.ID, State: delivery.Pending, Delay: l.contract.Schedule.FirstDelay,
			})
		default:
			plan.Deliveries = append(plan.Deliveries, delivery.Planned{
				EndpointID: e.ID, State: delivery.Skipped, Reason: delivery.EndpointDisabled,
			})
		}
	}
	if len(endpoints) == 0 {
		plan.Deliveries = []delivery.Planned{{State: delivery.Skipped, Reason: delivery.NoEndpoint}}
	}
	return plan, nil
}

// became is where the only delivery of an event stands.
func (l *life) became(event delivery.ID) delivery.Delivery {
	l.Helper()
	found, err := l.history.DeliveriesOfEvent(l.Context(), event)
	require.NoError(l, err)
	require.Len(l, found, 1)
	return found[0]
}

// attempts is what the history shows of an event's only delivery.
func (l *life) attempts(event delivery.ID) []delivery.Attempt {
	l.Helper()
	_, attempts, err := l.history.Delivery(l.Context(), l.became(event).ID)
	require.NoError(l, err)
	return attempts
}

// states counts all deliveries, open and closed.
func (l *life) states() map[delivery.State]int {
	l.Helper()
	counts := make(map[delivery.State]int)
	l.each(`SELECT s, count(*)::int FROM (SELECT status AS s FROM malote.queue
		UNION ALL SELECT state FROM malote.deliveries) x GROUP BY s`, func(rows pgx.Rows) error {
		var state delivery.State
		var n int
		err := rows.Scan(&state, &n)
		counts[state] = n
		return err
	})
	return counts
}

// told is what somebody should hear of an endpoint: what, why, and when in the
// chapter.
type told struct {
	kind, detail string
	after        time.Duration
}

func (l *life) told(endpoint delivery.ID) []told {
	l.Helper()
	var list []told
	l.each(`SELECT s.kind, s.detail, s.created_at FROM malote.signals s WHERE s.endpoint_id = $1
		ORDER BY s.created_at, s.id`, func(rows pgx.Rows) error {
		var one told
		var at time.Time
		err := rows.Scan(&one.kind, &one.detail, &at)
		one.after = at.Sub(l.begin)
		list = append(list, one)
		return err
	}, endpoint)
	return list
}

func (l *life) each(query string, do func(pgx.Rows) error, arguments ...any) {
	l.Helper()
	rows, err := l.processes[0].Pool().Query(l.Context(), query, arguments...)
	require.NoError(l, err)
	defer rows.Close()
	for rows.Next() {
		require.NoError(l, do(rows))
	}
	require.NoError(l, rows.Err())
}

func (l *life) exec(statement string, arguments ...any) {
	l.Helper()
	_, err := l.processes[0].Pool().Exec(l.Context(), statement, arguments...)
	require.NoError(l, err)
}
