package registry

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

func TestUpdateEndpoint_ChangesWhatThePatchNames(t *testing.T) {
	t.Parallel()
	r := open(t)
	addTenant(t, r, "acme")
	made := addEndpoint(t, r, "acme")
	for name, c := range map[string]struct {
		patch EndpointPatch
		apply func(*Endpoint)
	}{
		"nothing":     {EndpointPatch{}, func(*Endpoint) {}},
		"url":         {EndpointPatch{URL: ptr("https://example.org")}, func(e *Endpoint) { e.URL = "https://example.org" }},
		"types":       {EndpointPatch{EventTypes: &[]string{"a", "b.*"}}, func(e *Endpoint) { e.EventTypes = []string{"a", "b.*"} }},
		"all types":   {EndpointPatch{EventTypes: ptr[[]string](nil)}, func(e *Endpoint) { e.EventTypes = []string{} }},
		"headers":     {EndpointPatch{Headers: &map[string]string{"A": "b"}}, func(e *Endpoint) { e.Headers = map[string]string{"A": "b"} }},
		"no headers":  {EndpointPatch{Headers: ptr[map[string]string](nil)}, func(e *Endpoint) { e.Headers = map[string]string{} }},
		"once":        {EndpointPatch{AtMostOnce: ptr(true)}, func(e *Endpoint) { e.AtMostOnce = true }},
		"description": {EndpointPatch{Description: ptr("d")}, func(e *Endpoint) { e.Description = "d" }},
		"metadata":    {EndpointPatch{Metadata: &map[string]string{"k": "v"}}, func(e *Endpoint) { e.Metadata = map[string]string{"k": "v"} }},
	} {
		wanted, err := r.Endpoint(t.Context(), AnyTenant, made.ID)
		require.NoError(t, err)
		c.apply(&wanted)
		changed, err := r.UpdateEndpoint(t.Context(), OfTenant("acme"), made.ID, c.patch, Defaults{})
		require.NoError(t, err, name)
		require.False(t, changed.UpdatedAt.Before(wanted.UpdatedAt))
		wanted.UpdatedAt, wanted.Counted = changed.UpdatedAt, false
		require.Equal(t, wanted, changed, name)
	}
}

func TestUpdateEndpoint_F03_LimitReachesTheLane(t *testing.T) {
	t.Parallel()
	r := open(t)
	addTenant(t, r, "acme")
	for name, c := range map[string]struct {
		before string // what the lane is like before
		patch  EndpointPatch
		want   string // max_in_flight, claim_limit, lease_seconds
	}{
		"raised":              {``, EndpointPatch{MaxInFlight: ptr(20)}, "20 20 60"},
		"lowered":             {``, EndpointPatch{MaxInFlight: ptr(2)}, "2 2 60"},
		"back to the default": {`max_in_flight = 3, claim_limit = 3`, EndpointPatch{MaxInFlight: ptr(0)}, "10 10 60"},
		"raised while slow":   {`claim_limit = 5, slow_level = 1`, EndpointPatch{MaxInFlight: ptr(20)}, "20 5 60"},
		"lowered while slow":  {`claim_limit = 5, slow_level = 1`, EndpointPatch{MaxInFlight: ptr(3)}, "3 3 60"},
		"raised while open":   {`claim_limit = 1, circuit_phase = 'open'`, EndpointPatch{MaxInFlight: ptr(20)}, "20 1 60"},
		"untouched":           {`claim_limit = 5`, EndpointPatch{URL: ptr("https://example.org")}, "10 5 60"},
	} {
		endpoint := addEndpoint(t, r, "acme")
		if c.before != "" {
			execute(t, r, `UPDATE malote.lanes SET `+c.before+` WHERE endpoint_id = $1`, endpoint.ID)
		}
		changed, err := r.UpdateEndpoint(t.Context(), AnyTenant, endpoint.ID, c.patch, standard)
		require.NoError(t, err, name)
		if c.patch.MaxInFlight != nil {
			require.Equal(t, *c.patch.MaxInFlight, changed.MaxInFlight, name)
		}
		require.Equal(t, c.want, laneLimits(t, r, endpoint), name)
	}
}

func laneLimits(t *testing.T, r *Registry, endpoint Endpoint) string {
	t.Helper()
	return one[string](t, r, `SELECT concat_ws(' ', max_in_flight, claim_limit, lease_seconds) FROM malote.lanes
		WHERE endpoint_id = $1`, endpoint.ID)
}

func TestUpdateEndpoint_WakesALaneThatWasFull(t *testing.T) {
	t.Parallel()
	r := open(t)
	addTenant(t, r, "acme")
	for name, c := range map[string]struct {
		before      string
		ready, full bool
	}{
		"full":                   {`parked_full = true`, true, false},
		"empty":                  {`parked_full = false`, false, false},
		"full and paused":        {`parked_full = true, status = 'paused'`, false, true},
		"full, its circuit open": {`parked_full = true, circuit_phase = 'open', paused_until = now() + interval '1 hour'`, false, false},
	} {
		endpoint := addEndpoint(t, r, "acme")
		execute(t, r, `UPDATE malote.lanes SET ready_at = 'infinity', `+c.before+` WHERE endpoint_id = $1`, endpoint.ID)
		_, err := r.UpdateEndpoint(t.Context(), AnyTenant, endpoint.ID, EndpointPatch{MaxInFlight: ptr(20)}, standard)
		require.NoError(t, err, name)
		require.Equal(t, c.ready, laneReady(t, r, endpoint), name)
		require.Equal(t, c.full, one[bool](t, r, `SELECT parked_full FROM malote.lanes WHERE endpoint_id = $1`, endpoint.ID), name)
	}
}

func TestUpdateEndpoint_AnotherPolicy(t *testing.T) {
	t.Parallel()
	r := open(t)
	addTenant(t, r, "acme")
	endpoint := addEndpoint(t, r, "acme")
	fair := Defaults{Policy: "fair-queue", MaxInFlight: 4, LeaseSeconds: 90}

	_, err := r.UpdateEndpoint(t.Context(), AnyTenant, endpoint.ID, EndpointPatch{Policy: ptr("nonesuch")}, fair)
	require.ErrorIs(t, err, ErrNoPolicy)
	changed, err := r.UpdateEndpoint(t.Context(), AnyTenant, endpoint.ID, EndpointPatch{Policy: ptr("fair-queue")}, fair)
	require.NoError(t, err)
	require.Equal(t, "fair-queue", changed.Policy)
	require.Equal(t, "4 4 90", laneLimits(t, r, endpoint))

	// Whoever still thinks that it has the old policy must not set its default.
	_, err = r.UpdateEndpoint(t.Context(), AnyTenant, endpoint.ID, EndpointPatch{MaxInFlight: ptr(0)}, standard)
	require.ErrorIs(t, err, ErrPolicyChanged)
	require.Equal(t, "4 4 90", laneLimits(t, r, endpoint))

	_, err = r.UpdateEndpoint(t.Context(), AnyTenant, endpoint.ID, EndpointPatch{MaxInFlight: ptr(6)}, fair)
	require.NoError(t, err)
	changed, err = r.UpdateEndpoint(t.Context(), AnyTenant, endpoint.ID, EndpointPatch{Policy: ptr("standard")}, standard)
	require.NoError(t, err)
	require.Equal(t, 6, changed.MaxInFlight)
	require.Equal(t, "6 6 60", laneLimits(t, r, endpoint), "the endpoint's own limit outlives the policy")
}

func TestVersions_EveryChangeRaisesBoth(t *testing.T) {
	t.Parallel()
	r := open(t)
	addTenant(t, r, "acme")
	endpoint := addEndpoint(t, r, "acme")
	var added delivery.Secret
	for _, step := range []struct {
		name   string
		change func() error
	}{
		{"update", func() error {
			_, err := r.UpdateEndpoint(t.Context(), AnyTenant, endpoint.ID, EndpointPatch{URL: ptr("https://x.example")}, standard)
			return err
		}},
		{"limit", func() error {
			_, err := r.UpdateEndpoint(t.Context(), AnyTenant, endpoint.ID, EndpointPatch{MaxInFlight: ptr(3)}, standard)
			return err
		}},
		{"options", func() error {
			_, err := r.UpdateEndpoint(t.Context(), AnyTenant, endpoint.ID, EndpointPatch{RateLimit: ptr(3.0), FIFO: ptr(true)}, standard)
			return err
		}},
		{"filter", func() error {
			_, err := r.UpdateEndpoint(t.Context(), AnyTenant, endpoint.ID, EndpointPatch{Filter: ptr("true")}, Defaults{})
			return err
		}},
		{"secret headers", func() error {
			change := EndpointPatch{SecretHeaders: &map[string]*string{"A": ptr("b")}}
			_, err := r.UpdateEndpoint(t.Context(), AnyTenant, endpoint.ID, change, Defaults{})
			return err
		}},
		{"pause", func() error { _, err := r.SetStatus(t.Context(), AnyTenant, endpoint.ID, Pause); return err }},
		{"resume", func() error { _, err := r.SetStatus(t.Context(), AnyTenant, endpoint.ID, Resume); return err }},
		{"disable", func() error { _, err := r.SetStatus(t.Context(), AnyTenant, endpoint.ID, DisableByUser); return err }},
		{"enable", func() error { _, err := r.SetStatus(t.Context(), AnyTenant, endpoint.ID, Enable); return err }},
		{"add secret", func() (err error) {
			added, _, err = r.AddSecret(t.Context(), AnyTenant, endpoint.ID, "whsec_second", Once{})
			return err
		}},
		{"rotate secret", func() error {
			_, _, err := r.RotateSecret(t.Context(), AnyTenant, endpoint.ID, "whsec_third", 0, Once{})
			return err
		}},
		{"revoke secret", func() error { return r.RevokeSecret(t.Context(), AnyTenant, endpoint.ID, added.ID) }},
		{"delete", func() error { return r.DeleteEndpoint(t.Context(), AnyTenant, endpoint.ID) }},
	} {
		lane, tenant := versions(t, r, endpoint)
		require.NoError(t, step.change(), step.name)
		laneAfter, tenantAfter := versions(t, r, endpoint)
		require.Greater(t, laneAfter, lane, step.name)
		require.Greater(t, tenantAfter, tenant, step.name)
	}
}
