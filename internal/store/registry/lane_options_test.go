package registry

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// paced is a policy that has everything.
var paced = Defaults{Policy: "standard", MaxInFlight: 10, LeaseSeconds: 60, RateLimit: 25, FIFO: true}

func addWith(t *testing.T, r *Registry, spec NewEndpoint, defaults Defaults) Endpoint {
	t.Helper()
	spec.Tenant, spec.Policy, spec.URL = "acme", "standard", "https://example.com"
	made, created, err := r.CreateEndpoint(t.Context(), spec, defaults, Once{})
	require.NoError(t, err)
	require.True(t, created)
	return made
}

// laneOptions is what a claimer reads of a lane's options.
func laneOptions(t *testing.T, r *Registry, endpoint Endpoint) string {
	t.Helper()
	return one[string](t, r, `SELECT concat_ws(' ', rate_limit, rate_burst, fifo_since IS NOT NULL) FROM malote.lanes
		WHERE endpoint_id = $1`, endpoint.ID)
}

func TestEndpoint_OptionsAreItsOwnOrThePolicys(t *testing.T) {
	t.Parallel()
	r := open(t)
	addTenant(t, r, "acme")
	for name, c := range map[string]struct {
		spec     NewEndpoint
		defaults Defaults
		lane     string
	}{
		"nobody says anything": {NewEndpoint{}, standard, "0 1 f"},
		"the policy's":         {NewEndpoint{}, paced, "25 3 t"},
		"its own":              {NewEndpoint{RateLimit: 0.5, FIFO: ptr(true)}, standard, "0.5 1 t"},
		"its own, not the policy's": {
			NewEndpoint{RateLimit: 1000, FIFO: ptr(false), Filter: `type == "a"`}, paced, "1000 100 f",
		},
	} {
		made := addWith(t, r, c.spec, c.defaults)
		require.Equal(t, c.lane, laneOptions(t, r, made), name)
		require.Equal(t, c.spec.RateLimit, made.RateLimit, name)
		require.Equal(t, c.defaults.rate(c.spec.RateLimit), made.Rate, name)
		require.Equal(t, c.spec.FIFO, made.OwnFIFO, name)
		require.Equal(t, c.defaults.fifo(c.spec.FIFO), made.FIFO, name)
		require.Equal(t, c.spec.Filter, made.Filter, name)
		require.Empty(t, made.SecretHeaders, name)
		read, err := r.Endpoint(t.Context(), AnyTenant, made.ID)
		require.NoError(t, err)
		read.Counted, made.Secrets = false, nil
		require.Equal(t, made, read, name)
	}
}

func TestBurst(t *testing.T) {
	t.Parallel()
	for rate, want := range map[float64]int{0: 1, 0.1: 1, 9: 1, 10: 1, 10.5: 2, 25: 3, 10_000: 1000, 1e300: 1<<31 - 1} {
		require.Equal(t, want, burst(rate), rate)
	}
}

func TestUpdateEndpoint_OptionsReachTheLane(t *testing.T) {
	t.Parallel()
	r := open(t)
	addTenant(t, r, "acme")
	own := NewEndpoint{RateLimit: 50, FIFO: ptr(true)}
	fair := Defaults{Policy: "fair-queue", MaxInFlight: 4, LeaseSeconds: 60, RateLimit: 7}
	for name, c := range map[string]struct {
		spec     NewEndpoint
		before   Defaults
		change   EndpointPatch
		defaults Defaults
		lane     string
	}{
		"a rate":                         {NewEndpoint{}, standard, EndpointPatch{RateLimit: ptr(50.0)}, standard, "50 5 f"},
		"another rate":                   {own, standard, EndpointPatch{RateLimit: ptr(5.0)}, standard, "5 1 t"},
		"back to the policy's":           {own, paced, EndpointPatch{RateLimit: ptr(0.0)}, paced, "25 3 t"},
		"back to none":                   {own, standard, EndpointPatch{RateLimit: ptr(0.0)}, standard, "0 1 t"},
		"ordered":                        {NewEndpoint{}, standard, EndpointPatch{FIFO: ptr(true)}, standard, "0 1 t"},
		"not ordered":                    {own, paced, EndpointPatch{FIFO: ptr(false)}, paced, "50 5 f"},
		"a policy with options":          {NewEndpoint{}, standard, EndpointPatch{Policy: ptr("fair-queue")}, fair, "7 1 f"},
		"own ones outlive the policy":    {own, paced, EndpointPatch{Policy: ptr("fair-queue")}, fair, "50 5 t"},
		"the policy's go with it":        {NewEndpoint{}, paced, EndpointPatch{Policy: ptr("fair-queue")}, fair, "7 1 f"},
		"a limit leaves them alone":      {NewEndpoint{}, paced, EndpointPatch{MaxInFlight: ptr(3)}, standard, "25 3 t"},
		"something else, without notice": {own, paced, EndpointPatch{Filter: ptr("x")}, Defaults{}, "50 5 t"},
	} {
		endpoint := addWith(t, r, c.spec, c.before)
		changed, err := r.UpdateEndpoint(t.Context(), OfTenant("acme"), endpoint.ID, c.change, c.defaults)
		require.NoError(t, err, name)
		require.Equal(t, c.lane, laneOptions(t, r, endpoint), name)
		if c.change.RateLimit != nil {
			require.Equal(t, *c.change.RateLimit, changed.RateLimit, name)
		}
		if c.change.FIFO != nil {
			require.Equal(t, c.change.FIFO, changed.OwnFIFO, name)
		}
		if c.change.Filter != nil {
			require.Equal(t, *c.change.Filter, changed.Filter, name)
		}
	}
	endpoint := addWith(t, r, NewEndpoint{}, standard)
	for name, change := range map[string]EndpointPatch{"rate": {RateLimit: ptr(1.0)}, "order": {FIFO: ptr(true)}} {
		_, err := r.UpdateEndpoint(t.Context(), AnyTenant, endpoint.ID, change, fair)
		require.ErrorIs(t, err, ErrPolicyChanged, name)
	}
	require.Equal(t, "0 1 f", laneOptions(t, r, endpoint))
}

func TestUpdateEndpoint_OptionsWakeTheLane(t *testing.T) {
	t.Parallel()
	r := open(t)
	addTenant(t, r, "acme")
	for name, c := range map[string]struct {
		before string
		change EndpointPatch
		ready  bool
		rated  bool // still counted by the old rate
	}{
		"rate raised":           {`rate_ready_at = now() + interval '1 hour'`, EndpointPatch{RateLimit: ptr(50.0)}, true, false},
		"rate gone":             {`rate_ready_at = now() + interval '1 hour'`, EndpointPatch{RateLimit: ptr(0.0)}, true, false},
		"same rate":             {`rate_ready_at = now() + interval '1 hour'`, EndpointPatch{RateLimit: ptr(5.0)}, false, true},
		"order begins":          {``, EndpointPatch{FIFO: ptr(true)}, true, false},
		"order begins, full":    {`parked_full = true`, EndpointPatch{FIFO: ptr(true)}, true, false},
		"order ends":            {`fifo_since = now(), parked_full = true`, EndpointPatch{FIFO: ptr(false)}, true, false},
		"order ends, rate used": {`fifo_since = now(), rate_ready_at = now() + interval '1 hour'`, EndpointPatch{FIFO: ptr(false)}, false, true},
		"same order":            {`parked_full = true`, EndpointPatch{FIFO: ptr(false)}, false, false},
		"its circuit is open":   {`paused_until = now() + interval '1 hour', circuit_phase = 'open'`, EndpointPatch{RateLimit: ptr(50.0)}, false, false},
		"it is paused":          {`status = 'paused'`, EndpointPatch{RateLimit: ptr(50.0)}, false, false},
	} {
		endpoint := addWith(t, r, NewEndpoint{RateLimit: 5}, standard)
		execute(t, r, `UPDATE malote.lanes SET ready_at = 'infinity' WHERE endpoint_id = $1`, endpoint.ID)
		if c.before != "" {
			execute(t, r, `UPDATE malote.lanes SET `+c.before+` WHERE endpoint_id = $1`, endpoint.ID)
		}
		_, err := r.UpdateEndpoint(t.Context(), AnyTenant, endpoint.ID, c.change, standard)
		require.NoError(t, err, name)
		require.Equal(t, c.ready, laneReady(t, r, endpoint), name)
		require.Equal(t, c.rated, one[bool](t, r, `SELECT rate_ready_at IS NOT NULL FROM malote.lanes WHERE endpoint_id = $1`, endpoint.ID), name)
	}
}
