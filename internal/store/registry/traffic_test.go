package registry

import (
	"crypto/rand"
	"crypto/sha256"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/seal"
	"github.com/malotehq/malote/internal/store"
	"github.com/malotehq/malote/internal/store/pgtest"
)

// What publishers and claimers, who keep configuration in memory, see of changes.

func publish(t *testing.T, s *store.Store, tenant string) delivery.Published {
	t.Helper()
	now := time.Now()
	draft := &delivery.Draft{Event: delivery.Event{
		ID: delivery.NewID(delivery.ShardOf(tenant), now, rand.Reader), Tenant: tenant, Type: "a.b",
		Body: []byte("{}"), ContentType: "application/json", OccurredAt: now, AcceptedAt: now,
	}, Fingerprint: sha256.Sum256([]byte("x"))}
	published, lanes, err := s.Publish(t.Context(), []*delivery.Draft{draft}, toAll)
	if err != nil || published[0].Err != nil {
		t.Errorf("publishing: %v %v", err, published)
		return delivery.Published{}
	}
	if _, err := s.WakeLanes(t.Context(), lanes); err != nil {
		t.Errorf("waking: %v", err)
	}
	return published[0]
}

// toAll is a fan-out by status alone.
func toAll(draft *delivery.Draft, endpoints []*delivery.Endpoint) (delivery.Plan, error) {
	plan := delivery.Plan{Bodies: [][]byte{draft.Event.Body}}
	for _, endpoint := range endpoints {
		planned := delivery.Planned{EndpointID: endpoint.ID, State: delivery.Pending}
		if !endpoint.Status.Accepts() {
			planned.State, planned.Reason = delivery.Skipped, delivery.EndpointDisabled
		}
		plan.Deliveries = append(plan.Deliveries, planned)
	}
	return plan, nil
}

func claim(t *testing.T, s *store.Store) []*delivery.Claim {
	t.Helper()
	claimed, err := s.Claim(t.Context(), 100)
	require.NoError(t, err)
	return claimed.Claims
}

// allHaveAnswered makes every endpoint one that may have more than one delivery in
// flight, as if each had answered before.
func allHaveAnswered(t *testing.T, s *store.Store) {
	t.Helper()
	_, err := s.Pool().Exec(t.Context(), `UPDATE malote.lanes SET standing = 'trusted'`)
	require.NoError(t, err)
}

func TestTraffic_SeesEveryChangeAtOnce(t *testing.T) {
	t.Parallel()
	s := pgtest.Open(t)
	r := New(s, Options{Presets: []string{"standard"}})
	addTenant(t, r, "acme")
	publish(t, s, "acme")
	endpoint := addEndpoint(t, r, "acme")
	allHaveAnswered(t, s)
	require.Equal(t, 1, publish(t, s, "acme").Deliveries, "publishers see a new endpoint")
	claims := claim(t, s)
	require.Len(t, claims, 1, "D07: nothing older")
	require.Equal(t, "whsec_first", claims[0].Endpoint.Secrets[0].Value)

	_, _, err := r.RotateSecret(t.Context(), AnyTenant, endpoint.ID, "whsec_new", 0, Once{})
	require.NoError(t, err)
	_, err = r.UpdateEndpoint(t.Context(), AnyTenant, endpoint.ID, EndpointPatch{URL: ptr("https://new.example")}, standard)
	require.NoError(t, err)
	publish(t, s, "acme")
	claims = claim(t, s)
	require.Len(t, claims, 1)
	require.Equal(t, "https://new.example", claims[0].Endpoint.URL, "D10")
	require.Len(t, claims[0].Endpoint.Secrets, 1)
	require.Equal(t, "whsec_new", claims[0].Endpoint.Secrets[0].Value)

	_, err = r.SetStatus(t.Context(), AnyTenant, endpoint.ID, Pause)
	require.NoError(t, err)
	require.Equal(t, 1, publish(t, s, "acme").Deliveries, "a paused endpoint collects")
	require.Empty(t, claim(t, s))
	_, err = r.SetStatus(t.Context(), AnyTenant, endpoint.ID, Resume)
	require.NoError(t, err)
	require.Len(t, claim(t, s), 1)

	_, err = r.SetStatus(t.Context(), AnyTenant, endpoint.ID, DisableByUser)
	require.NoError(t, err)
	require.Equal(t, 1, publish(t, s, "acme").Skipped, "a disabled one's are skipped")
	require.NoError(t, r.DeleteEndpoint(t.Context(), AnyTenant, endpoint.ID))
	published := publish(t, s, "acme")
	require.Zero(t, published.Deliveries+published.Skipped)
}

// I4 while endpoints are paused and resumed under traffic: whatever was
// published in between is found, without the sweep.
func TestTraffic_I4_ResumingStrandsNothing(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DSN(t)
	first, second := pgtest.OpenDSN(t, dsn), pgtest.OpenDSN(t, dsn)
	r := New(second, Options{Presets: []string{"standard"}})
	addTenant(t, r, "acme")
	endpoint, _, err := r.CreateEndpoint(t.Context(), newEndpoint("acme"),
		Defaults{Policy: "standard", MaxInFlight: 1000, LeaseSeconds: 600}, Once{})
	require.NoError(t, err)
	allHaveAnswered(t, first)
	const rounds = 40
	atOnce(3, func(i int) struct{} {
		for range rounds {
			switch i {
			case 0:
				publish(t, first, "acme")
			case 1:
				for _, change := range []StatusChange{Pause, Resume} {
					if _, err := r.SetStatus(t.Context(), AnyTenant, endpoint.ID, change); err != nil {
						t.Errorf("%s: %v", change, err)
					}
				}
			case 2:
				if _, err := second.Claim(t.Context(), 100); err != nil {
					t.Errorf("claiming: %v", err)
				}
			}
		}
		return struct{}{}
	})
	claim(t, first)
	read, err := r.Endpoint(t.Context(), AnyTenant, endpoint.ID)
	require.NoError(t, err)
	require.Zero(t, read.Pending)
	require.Equal(t, rounds, read.InFlight)
}

// Claimers open what is sealed, also after it was sealed anew under their eyes.
func TestTraffic_SealedSecretsReachTheSender(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DSN(t)
	first, second := newKey(), newKey()
	openStore := func(keys *seal.Keyring) *store.Store {
		s, err := store.Open(t.Context(), store.Options{DSN: dsn, Opener: keys})
		require.NoError(t, err)
		t.Cleanup(s.Close)
		return s
	}
	both := seal.NewKeyring(second, first)
	s := openStore(both)
	r := New(s, Options{Presets: []string{"standard"}, Sealer: seal.NewKeyring(first)})
	addTenant(t, r, "acme")
	spec := newEndpoint("acme")
	spec.Headers, spec.SecretHeaders = map[string]string{"A": "shown"}, map[string]string{"B": "hush"}
	_, _, err := r.CreateEndpoint(t.Context(), spec, standard, Once{})
	require.NoError(t, err)
	allHaveAnswered(t, s)
	check := func(s *store.Store) {
		publish(t, s, "acme")
		claims := claim(t, s)
		require.Len(t, claims, 1)
		require.Len(t, claims[0].Endpoint.Secrets, 1)
		require.Equal(t, "whsec_first", claims[0].Endpoint.Secrets[0].Value)
		require.Equal(t, map[string]string{"A": "shown", "B": "hush"}, claims[0].Endpoint.Headers)
	}
	check(s)
	changed, err := New(s, Options{Sealer: both}).Reseal(t.Context(), nil)
	require.NoError(t, err)
	require.Equal(t, 2, changed)
	check(s)
	check(openStore(seal.NewKeyring(second))) // another process, without the old key
}
