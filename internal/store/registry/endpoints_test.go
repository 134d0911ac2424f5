package registry

import (
	"context"
	"crypto/rand"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/circuit"
	"github.com/malotehq/malote/internal/delivery"
)

func TestEndpoint_CreateAndRead(t *testing.T) {
	t.Parallel()
	r := open(t)
	addTenant(t, r, "acme")
	before := one[int64](t, r, `SELECT endpoints_version FROM malote.tenants`)
	made, created, err := r.CreateEndpoint(t.Context(), NewEndpoint{
		Tenant: "acme", URL: "https://example.com/hook?a=<b>", Policy: "standard",
		EventTypes: []string{"invoice.*"}, MaxInFlight: 4,
		Headers: map[string]string{"X-Key": "é \u2028"}, AtMostOnce: true, Description: "books",
		Metadata: map[string]string{"crm": "42"}, Secrets: []string{"whsec_current", "whsec_older"},
	}, standard, Once{})
	require.NoError(t, err)
	require.True(t, created)
	require.Equal(t, delivery.ShardOf("acme"), made.ID.Shard())
	require.Equal(t, delivery.Active, made.Status)
	require.Equal(t, 4, made.MaxInFlight)
	require.Equal(t, 4, made.Limit)
	require.Equal(t, "whsec_current", made.Secrets[0].Value)
	require.Equal(t, "whsec_older", made.Secrets[1].Value)
	_, after := versions(t, r, made)
	require.Greater(t, after, before, "publishers must see a new endpoint")

	read, err := r.Endpoint(t.Context(), OfTenant("acme"), made.ID)
	require.NoError(t, err)
	require.True(t, read.Counted)
	wanted := made
	wanted.Secrets, wanted.Counted = nil, true
	require.Equal(t, wanted, read)

	// The current secret is the newest: it signs first (S04).
	listed, err := r.Secrets(t.Context(), OfTenant("acme"), made.ID)
	require.NoError(t, err)
	require.Equal(t, []delivery.ID{made.Secrets[0].ID, made.Secrets[1].ID}, []delivery.ID{listed[0].ID, listed[1].ID})
}

func TestEndpoint_F03_DefaultsAreThePolicys(t *testing.T) {
	t.Parallel()
	r := open(t)
	addTenant(t, r, "acme")
	made, _, err := r.CreateEndpoint(t.Context(), newEndpoint("acme"), Defaults{MaxInFlight: 7, LeaseSeconds: 33}, Once{})
	require.NoError(t, err)
	require.Zero(t, made.MaxInFlight)
	require.Equal(t, 7, made.Limit)
	require.Equal(t, "7 7 33 infinity false unheard", one[string](t, r,
		`SELECT concat_ws(' ', max_in_flight, claim_limit, lease_seconds, ready_at, parked_full::text, standing) FROM malote.lanes`))
}

func TestEndpoint_RefusedWhole(t *testing.T) {
	t.Parallel()
	r := open(t)
	_, _, err := r.CreateEndpoint(t.Context(), newEndpoint("acme"), standard, Once{})
	require.ErrorIs(t, err, ErrNoTenant)
	addTenant(t, r, "acme")
	unknownPolicy := newEndpoint("acme")
	unknownPolicy.Policy = "nonesuch"
	_, _, err = r.CreateEndpoint(t.Context(), unknownPolicy, standard, Once{})
	require.ErrorIs(t, err, ErrNoPolicy)
	twice := newEndpoint("acme")
	twice.Secrets = []string{"whsec_same", "whsec_same"}
	_, _, err = r.CreateEndpoint(t.Context(), twice, standard, Once{})
	require.ErrorIs(t, err, ErrSecretExists)
	require.Zero(t, one[int](t, r, `SELECT (SELECT count(*) FROM malote.endpoints) + (SELECT count(*) FROM malote.lanes)
		+ (SELECT count(*) FROM malote.endpoint_secrets)`), "nothing is half-written")
}

func TestEndpoint_IsNobodyElses(t *testing.T) {
	t.Parallel()
	r := open(t)
	addTenant(t, r, "acme")
	addTenant(t, r, "globex")
	endpoint := addEndpoint(t, r, "acme")
	before := endpointRow(t, r)
	for _, owner := range []Owner{{}, OfTenant("globex"), OfTenant("")} {
		for name, call := range endpointCalls(t, r, owner, endpoint) {
			require.ErrorIs(t, call(), ErrNoEndpoint, name)
		}
	}
	for name, call := range endpointCalls(t, r, AnyTenant, Endpoint{Endpoint: delivery.Endpoint{
		ID: delivery.NewID(endpoint.ID.Shard(), time.Now(), rand.Reader)}}) {
		require.ErrorIs(t, call(), ErrNoEndpoint, name)
	}
	require.Equal(t, before, endpointRow(t, r), "nothing was touched")

	require.NoError(t, r.DeleteEndpoint(t.Context(), OfTenant("acme"), endpoint.ID))
	for name, call := range endpointCalls(t, r, AnyTenant, endpoint) {
		require.ErrorIs(t, call(), ErrNoEndpoint, "deleted: %s", name)
	}
}

func endpointRow(t *testing.T, r *Registry) string {
	t.Helper()
	return one[string](t, r, `SELECT concat(e, l, t) FROM malote.endpoints e, malote.lanes l, malote.tenants t WHERE t.id = 'acme'`)
}

// endpointCalls is every call that takes an endpoint's id.
func endpointCalls(t *testing.T, r *Registry, owner Owner, endpoint Endpoint) map[string]func() error {
	id, ctx := endpoint.ID, t.Context()
	return map[string]func() error{
		"read":   func() error { _, err := r.Endpoint(ctx, owner, id); return err },
		"update": func() error { _, err := r.UpdateEndpoint(ctx, owner, id, EndpointPatch{}, standard); return err },
		"status": func() error { _, err := r.SetStatus(ctx, owner, id, Enable); return err },
		"enable with": func() error {
			_, err := r.EnableWith(ctx, owner, id, func(context.Context, pgx.Tx) error { panic("it is not theirs") })
			return err
		},
		"change": func() error {
			change := EndpointPatch{SecretHeaders: &map[string]*string{"A": nil}}
			_, err := r.UpdateEndpoint(ctx, owner, id, change, standard)
			return err
		},
		"delete": func() error { return r.DeleteEndpoint(ctx, owner, id) },
		"secrets": func() error {
			_, err := r.Secrets(ctx, owner, id)
			return err
		},
		"add secret": func() error {
			_, _, err := r.AddSecret(ctx, owner, id, "whsec_x", once("k", "x"))
			return err
		},
		"rotate": func() error {
			_, _, err := r.RotateSecret(ctx, owner, id, "whsec_x", 0, Once{})
			return err
		},
		"revoke": func() error { return r.RevokeSecret(ctx, owner, id, id) },
	}
}

func TestEndpoints_PagesByOwner(t *testing.T) {
	t.Parallel()
	r := open(t)
	wanted := map[Owner][]delivery.ID{{}: nil}
	for i := range 12 {
		slug := fmt.Sprintf("tenant-%d", i%3) // of three shards
		if i < 3 {
			addTenant(t, r, slug)
		}
		id := addEndpoint(t, r, slug).ID
		wanted[AnyTenant] = append(wanted[AnyTenant], id)
		wanted[OfTenant(slug)] = append(wanted[OfTenant(slug)], id)
	}
	for owner, ids := range wanted {
		require.Equal(t, ids, walkEndpoints(t, r, owner, func() {}))
	}
}

func TestEndpoints_PagesHaveNoHolesOrRepeats(t *testing.T) {
	t.Parallel()
	r := open(t)
	addTenant(t, r, "acme")
	addTenant(t, r, "globex")
	var wanted []delivery.ID
	for range 5 {
		wanted = append(wanted, addEndpoint(t, r, "acme").ID, addEndpoint(t, r, "globex").ID)
	}
	once := sync.OnceFunc(func() { // after the first page: one seen goes, one comes
		require.NoError(t, r.DeleteEndpoint(t.Context(), AnyTenant, wanted[0]))
		wanted = append(wanted, addEndpoint(t, r, "acme").ID)
	})
	seen := walkEndpoints(t, r, AnyTenant, once)
	require.Equal(t, wanted, seen)
}

func walkEndpoints(t *testing.T, r *Registry, owner Owner, afterPage func()) (ids []delivery.ID) {
	t.Helper()
	page := Page{Limit: 3}
	for more := true; more; {
		var endpoints []Endpoint
		var err error
		endpoints, more, err = r.Endpoints(t.Context(), owner, page, EndpointFilter{})
		require.NoError(t, err)
		for _, endpoint := range endpoints {
			require.False(t, endpoint.Counted)
			ids = append(ids, endpoint.ID)
			page.After = endpoint.ID
		}
		afterPage()
	}
	return ids
}

func TestEndpoints_F17_Counts(t *testing.T) {
	t.Parallel()
	r := open(t)
	addTenant(t, r, "acme")
	addTenant(t, r, "globex")
	busy, idle := addEndpoint(t, r, "acme"), addEndpoint(t, r, "globex")
	addOpen(t, r, busy, delivery.Pending, 5)
	addOpen(t, r, busy, delivery.Sending, 2)

	read, err := r.Endpoint(t.Context(), AnyTenant, busy.ID)
	require.NoError(t, err)
	require.Equal(t, 5, read.Pending)
	require.Equal(t, 2, read.InFlight)
	require.WithinDuration(t, time.Now().Add(-time.Hour), read.OldestPendingSince, time.Minute)
	oldest := one[time.Time](t, r, `SELECT min(cycle_started_at) FROM malote.queue WHERE status = 'pending'`)
	require.True(t, oldest.Equal(read.OldestPendingSince))

	list, _, err := r.Endpoints(t.Context(), AnyTenant, Page{Limit: 10}, EndpointFilter{Counted: true})
	require.NoError(t, err)
	require.Equal(t, []Endpoint{read}, list[:1])
	require.Equal(t, idle.ID, list[1].ID)
	require.True(t, list[1].Counted)
	require.Zero(t, list[1].Pending+list[1].InFlight)
	require.Zero(t, list[1].OldestPendingSince)
}

func TestEndpoints_FilteredByStatusCircuitAndText(t *testing.T) {
	t.Parallel()
	r := open(t)
	addTenant(t, r, "acme")
	addTenant(t, r, "globex")
	made := map[string]Endpoint{}
	for name, url := range map[string]string{
		"closed": "https://a.example/100%25", "open": "https://OPEN.example/", "probed": "https://b.example/", "paused": "https://c.example/",
	} {
		spec := newEndpoint("acme")
		spec.URL, spec.Description = url, "the "+name+" One"
		endpoint, _, err := r.CreateEndpoint(t.Context(), spec, standard, Once{})
		require.NoError(t, err)
		made[name] = endpoint
	}
	foreign := addEndpoint(t, r, "globex")
	const openCircuit = `UPDATE malote.lanes SET circuit_phase = 'open', claim_limit = 1, paused_until = now() + $2::interval WHERE endpoint_id = $1`
	execute(t, r, openCircuit, made["open"].ID, "1 hour")
	execute(t, r, openCircuit, made["probed"].ID, "-1 second")
	_, err := r.SetStatus(t.Context(), AnyTenant, made["paused"].ID, Pause)
	require.NoError(t, err)

	for name, test := range map[string]struct {
		owner  Owner
		filter EndpointFilter
		want   []string
	}{
		"all":         {OfTenant("acme"), EndpointFilter{}, []string{"closed", "open", "probed", "paused"}},
		"status":      {OfTenant("acme"), EndpointFilter{Status: delivery.Paused}, []string{"paused"}},
		"open":        {AnyTenant, EndpointFilter{Circuit: circuit.Open}, []string{"open"}},
		"half open":   {AnyTenant, EndpointFilter{Circuit: circuit.HalfOpen}, []string{"probed"}},
		"closed":      {OfTenant("acme"), EndpointFilter{Circuit: circuit.Closed}, []string{"closed", "paused"}},
		"URL":         {AnyTenant, EndpointFilter{Text: "OPEN.EXAMPLE"}, []string{"open"}},
		"description": {AnyTenant, EndpointFilter{Text: "probed one"}, []string{"probed"}},
		"no pattern":  {AnyTenant, EndpointFilter{Text: "%"}, []string{"closed"}},
		"nobody's":    {OfTenant("globex"), EndpointFilter{Text: "a.example"}, nil},
		"policy":      {OfTenant("acme"), EndpointFilter{Policy: newEndpoint("acme").Policy}, []string{"closed", "open", "probed", "paused"}},
		"no policy":   {AnyTenant, EndpointFilter{Policy: "another"}, nil},
		"together":    {OfTenant("acme"), EndpointFilter{Status: delivery.Active, Circuit: circuit.Closed, Text: "a.example"}, []string{"closed"}},
	} {
		var want []delivery.ID
		for _, name := range test.want {
			want = append(want, made[name].ID)
		}
		var got []delivery.ID
		for page, more := (Page{Limit: 1}), true; more; {
			var list []Endpoint
			var err error
			list, more, err = r.Endpoints(t.Context(), test.owner, page, test.filter)
			require.NoError(t, err, name)
			for _, e := range list {
				got, page.After = append(got, e.ID), e.ID
			}
		}
		require.ElementsMatch(t, want, got, name)
		require.NotContains(t, got, foreign.ID, name)
	}
	read, err := r.Endpoint(t.Context(), AnyTenant, made["open"].ID)
	require.NoError(t, err)
	require.Equal(t, circuit.Open, read.Circuit)
	require.Equal(t, []int{10, 1}, []int{read.Limit, read.LimitNow})
}

func TestEndpoint_R08_HealthIsTheLanes(t *testing.T) {
	t.Parallel()
	r := open(t)
	addTenant(t, r, "acme")
	endpoint := addEndpoint(t, r, "acme")
	execute(t, r, `UPDATE malote.lanes SET status = 'disabled_by_system', disabled_reason = 'gone', consecutive_failures = 7,
		first_failure_at = '2026-01-01Z', last_failure_at = '2026-01-02Z', last_success_at = '2026-01-03Z', paused_until = '2026-01-04Z'`)
	read, err := r.Endpoint(t.Context(), AnyTenant, endpoint.ID)
	require.NoError(t, err)
	require.Equal(t, delivery.DisabledBySystem, read.Status)
	require.Equal(t, "gone", read.DisabledReason)
	day := func(d int) time.Time { return time.Date(2026, 1, d, 0, 0, 0, 0, time.UTC) }
	require.Equal(t, Health{
		ConsecutiveFailures: 7, FirstFailureAt: day(1), LastFailureAt: day(2), LastSuccessAt: day(3), PausedUntil: day(4),
		Limit: 10, LimitNow: 10, Circuit: circuit.Closed, Counted: true,
	}, read.Health)
}
