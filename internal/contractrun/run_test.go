package contractrun

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/store/pgtest"
	"github.com/malotehq/malote/webhook"
)

// contract is what the clauses say of a run: the numbers of docs/contracts.md.
type contract struct {
	preset    string
	scale     scale
	fates     map[string]fate // by behaviour; all others have the fate others
	others    fate
	exhausted fate // of what is retried and never succeeds

	scheme  webhook.Scheme
	headers headerNames
	body    func(event string) string
}

// headerNames are the names by which a contract calls what it sends; "": it does
// not send it.
type headerNames struct{ id, timestamp, signature, attempt, trigger, idempotencyKey string }

// fate is what becomes of a delivery.
type fate struct {
	state    string
	reason   string
	attempts int
	disables string // the endpoint, and why
}

// retried is the fate of what a contract tries again: as often as it fails, and
// to the contract's end if it always does.
var retried = fate{state: "retried"}

// triedAgain is the fate of what may fail too slowly to be waited for.
var triedAgain = fate{state: "tried again"}

func delivered(attempts int) fate { return fate{state: "delivered", attempts: attempts} }

func dead(reason string, attempts int) fate {
	return fate{state: "dead", reason: reason, attempts: attempts}
}

func (f fate) disabling(why string) fate {
	f.disables = why
	return f
}

// run is one event's way to every behaviour, as it was seen from all sides.
type run struct {
	contract contract
	malote   *malote
	script   *script
	policy   string
	event    published

	started   time.Time // before the event was published
	parts     map[string]behaviour
	endpoints map[string]endpoint // as they were made, by behaviour
	became    map[string]delivery
}

// live runs a contract: a Malote of its own, one endpoint per behaviour, one
// event to all of them.
func live(t *testing.T, c contract) *run {
	t.Helper()
	r := &run{
		contract: c, script: newScript(t), parts: make(map[string]behaviour),
		endpoints: make(map[string]endpoint), became: make(map[string]delivery),
	}
	elsewhere := addresses(t)
	r.malote = start(t, options(pgtest.DSN(t)))
	r.policy = r.malote.publishPolicy(c.preset, "scaled", c.scale)
	r.malote.makeTenant()
	for _, part := range behaviours() {
		url := elsewhere[part.name]
		if part.part != nil {
			url = r.script.play(part.path(), part.part)
		}
		r.parts[part.name] = part
		r.endpoints[part.name] = r.malote.makeEndpoint(url, r.policy, nil)
	}
	r.started = time.Now()
	r.event = r.malote.publish()
	require.Equal(t, len(r.parts), r.event.Deliveries)
	r.await()
	return r
}

func (r *run) fate(name string) fate {
	f, special := r.contract.fates[name]
	if !special {
		f = r.contract.others
	}
	switch fails := r.parts[name].fails; {
	case f != retried:
		return f
	case fails > 0:
		return delivered(fails + 1)
	case len(r.parts[name].or) > 0:
		return triedAgain
	default:
		return r.contract.exhausted
	}
}

// await waits until every delivery has come where its fate says, and notes what
// became of each.
func (r *run) await() {
	r.malote.t.Helper()
	names := make(map[string]string)
	for name, made := range r.endpoints {
		names[made.ID] = name
	}
	found := r.malote.await("event="+r.event.ID, "all have come so far", func(list []delivery) bool {
		return !slices.ContainsFunc(list, func(d delivery) bool {
			onItsWay := r.fate(names[d.EndpointID]) == triedAgain && d.AttemptCount > 1
			return d.open() && !onItsWay
		})
	})
	for _, d := range found {
		r.became[names[d.EndpointID]] = r.malote.delivery(d.ID)
	}
}

// requireFates compares what became of the deliveries to these behaviours with
// what the contract says; of all, if none is named.
func (r *run) requireFates(t *testing.T, names ...string) {
	t.Helper()
	if len(names) == 0 {
		for name := range r.parts {
			names = append(names, name)
		}
	}
	for _, name := range names {
		r.compare(t, name)
	}
}

func (r *run) compare(t *testing.T, name string) {
	t.Helper()
	want, got := r.fate(name), r.became[name]
	if want == triedAgain {
		assert.NotEmpty(t, got.Attempts, name)
		assert.NotEqual(t, "delivered", got.State, name)
	} else {
		assert.Equal(t, want.state, got.State, name)
		assert.Equal(t, want.reason, got.DeadReason, name)
		assert.GreaterOrEqual(t, got.AttemptCount, want.attempts, name)
		assert.True(t, got.AttemptCount == want.attempts, "%s: %d attempts", name, got.AttemptCount)
		assert.Len(t, got.Attempts, got.AttemptCount, "%s: every attempt is on record", name)
	}
	r.compareAttempts(t, name, got)
	r.compareEndpoint(t, name, want)
	if r.parts[name].part != nil {
		assert.Len(t, r.script.to(r.parts[name].path()), got.AttemptCount, "%s: one attempt is one request", name)
	}
}

func (r *run) compareAttempts(t *testing.T, name string, got delivery) {
	t.Helper()
	part := r.parts[name]
	for i, a := range got.Attempts {
		assert.Equal(t, i+1, a.Number, name)
		assert.Equal(t, "schedule", a.Trigger, name)
		succeeded := got.State == "delivered" && i == len(got.Attempts)-1
		if succeeded {
			assert.Empty(t, a.ErrorCode, name)
			assert.Equal(t, part.statusAt(i), a.Status, name)
			continue
		}
		assert.Contains(t, append(part.or, part.code), a.ErrorCode, name)
		assert.Equal(t, part.statusAt(i), a.Status, name)
		assert.NotEmpty(t, a.Error, "%s: a sentence for people", name)
	}
}

func (r *run) compareEndpoint(t *testing.T, name string, want fate) {
	t.Helper()
	now := r.malote.on(t).endpoint(r.endpoints[name].ID)
	status := "active"
	if want.disables != "" {
		status = "disabled_by_system"
	}
	assert.Equal(t, status, now.Status, name)
	assert.Equal(t, want.disables, now.DisabledReason, name)
	if want.state == "dead" {
		assert.Equal(t, r.became[name].AttemptCount, now.ConsecutiveFailures, name)
		assert.WithinRange(t, now.LastFailureAt, r.started.Add(-time.Second), time.Now().Add(time.Second), name)
	}
	if want.state == "delivered" {
		assert.Zero(t, now.ConsecutiveFailures, name)
		assert.WithinRange(t, now.LastSuccessAt, r.started.Add(-time.Second), time.Now().Add(time.Second), name)
	}
}

// requests are all that came to behaviours of the script's.
func (r *run) requests() map[string][]request {
	all := make(map[string][]request)
	for name, part := range r.parts {
		if part.part != nil {
			all[name] = r.script.to(part.path())
		}
	}
	return all
}
