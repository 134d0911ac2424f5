package registry

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

// Every kind of thing that can be created with an idempotency key. create says
// which one it made or found.
type creator struct {
	create func(t *testing.T, r *Registry, once Once) (id string, created bool, err error)
	remove func(t *testing.T, r *Registry, id string)
	count  string
}

func creators(endpoint Endpoint) map[string]creator {
	return map[string]creator{
		"tenant": {
			create: func(t *testing.T, r *Registry, once Once) (string, bool, error) {
				tenant, created, err := r.CreateTenant(t.Context(), Tenant{ID: "globex"}, once)
				return tenant.ID, created, err
			},
			remove: func(t *testing.T, r *Registry, id string) { require.NoError(t, r.DeleteTenant(t.Context(), id)) },
			count:  `SELECT count(*) FROM malote.tenants WHERE id <> 'acme'`,
		},
		"key": {
			create: func(t *testing.T, r *Registry, once Once) (string, bool, error) {
				plain, key, err := r.CreateKey(t.Context(), ScopeRead, "acme", "", once)
				return key.ID.String(), plain != "", err
			},
			count: `SELECT count(*) FROM malote.api_keys`,
		},
		"endpoint": {
			create: func(t *testing.T, r *Registry, once Once) (string, bool, error) {
				made, created, err := r.CreateEndpoint(t.Context(), newEndpoint("acme"), standard, once)
				if err == nil {
					require.Len(t, made.Secrets, 1)
					require.Equal(t, created, made.Secrets[0].Value != "", "a value is shown once")
				}
				return made.ID.Format(delivery.EndpointPrefix), created, err
			},
			remove: func(t *testing.T, r *Registry, id string) {
				parsed, err := delivery.ParseID(delivery.EndpointPrefix, id)
				require.NoError(t, err)
				require.NoError(t, r.DeleteEndpoint(t.Context(), AnyTenant, parsed))
			},
			count: `SELECT count(*) - 1 FROM malote.endpoints WHERE deleted_at IS NULL`,
		},
		"secret": {
			create: func(t *testing.T, r *Registry, once Once) (string, bool, error) {
				made, created, err := r.AddSecret(t.Context(), AnyTenant, endpoint.ID, "whsec_second", once)
				if err == nil {
					require.Equal(t, created, made.Value != "", "a value is shown once")
				}
				return made.ID.Format(delivery.SecretPrefix), created, err
			},
			remove: func(t *testing.T, r *Registry, id string) {
				parsed, err := delivery.ParseID(delivery.SecretPrefix, id)
				require.NoError(t, err)
				require.NoError(t, r.RevokeSecret(t.Context(), AnyTenant, endpoint.ID, parsed))
			},
			count: `SELECT count(*) - 1 FROM malote.endpoint_secrets WHERE endpoint_id = (SELECT min(id::text)::uuid FROM malote.endpoints)`,
		},
		"policy": {
			create: func(t *testing.T, r *Registry, once Once) (string, bool, error) {
				policy, created, err := r.CreatePolicy(t.Context(), "mine", "name: mine", once)
				return policy.Name, created, err
			},
			remove: func(t *testing.T, r *Registry, id string) { require.NoError(t, r.DeletePolicy(t.Context(), id)) },
			count:  `SELECT count(*) FROM malote.policies`,
		},
	}
}

func creatorsOfSources(source Source) map[string]creator {
	return map[string]creator{
		"source": {
			create: func(t *testing.T, r *Registry, once Once) (string, bool, error) {
				made, created, err := r.CreateSource(t.Context(), newSource("acme"), once)
				if err == nil {
					require.Len(t, made.Secrets, 1)
					require.Equal(t, created, made.Secrets[0].Value != "", "a value is shown once")
				}
				return made.ID.Format(delivery.SourcePrefix), created, err
			},
			remove: func(t *testing.T, r *Registry, id string) {
				parsed, err := delivery.ParseID(delivery.SourcePrefix, id)
				require.NoError(t, err)
				require.NoError(t, r.DeleteSource(t.Context(), AnyTenant, parsed))
			},
			count: `SELECT count(*) FROM malote.sources WHERE deleted_at IS NULL AND name = 'new'`,
		},
		"source's secret": {
			create: func(t *testing.T, r *Registry, once Once) (string, bool, error) {
				made, created, err := r.AddSourceSecret(t.Context(), AnyTenant, source.ID, SourceSecret{Name: "second", Value: "s"}, once)
				if err == nil {
					require.Equal(t, "second", made.Name)
					require.Equal(t, created, made.Value != "", "a value is shown once")
				}
				return made.ID.Format(delivery.SecretPrefix), created, err
			},
			remove: func(t *testing.T, r *Registry, id string) {
				parsed, err := delivery.ParseID(delivery.SecretPrefix, id)
				require.NoError(t, err)
				require.NoError(t, r.RevokeSourceSecret(t.Context(), AnyTenant, source.ID, parsed))
			},
			count: `SELECT count(*) FROM malote.source_secrets WHERE name = 'second'`,
		},
	}
}

func allCreators(endpoint Endpoint, source Source) map[string]creator {
	all := creators(endpoint)
	maps.Copy(all, creatorsOfSources(source))
	return all
}

func TestOnce_RepeatReuseAndDeletion(t *testing.T) {
	t.Parallel()
	r := open(t)
	addTenant(t, r, "acme")
	endpoint := addEndpoint(t, r, "acme")
	for name, c := range allCreators(endpoint, addSource(t, r, "acme")) {
		t.Run(name, func(t *testing.T) {

			id, created, err := c.create(t, r, once("k", "one"))
			require.NoError(t, err)
			require.True(t, created)
			again, created, err := c.create(t, r, once("k", "one"))
			require.NoError(t, err)
			require.False(t, created)
			require.Equal(t, id, again)
			require.Equal(t, 1, one[int](t, r, c.count))

			_, _, err = c.create(t, r, once("k", "two"))
			require.ErrorIs(t, err, delivery.ErrKeyReused)
			require.Equal(t, 1, one[int](t, r, c.count))

			if c.remove == nil {
				return
			}
			c.remove(t, r, id)
			_, _, err = c.create(t, r, once("k", "one"))
			require.ErrorIs(t, err, ErrCreatedAndDeleted)

			execute(t, r, `UPDATE malote.event_keys SET expires_at = now()`)
			_, created, err = c.create(t, r, once("k", "two"))
			require.NoError(t, err, "an expired key is free again")
			require.True(t, created)
		})
	}
}

func TestOnce_TwentyFourAtOnce(t *testing.T) {
	t.Parallel()
	first, second := openTwice(t)
	addTenant(t, first, "acme")
	for name, c := range allCreators(addEndpoint(t, first, "acme"), addSource(t, first, "acme")) {
		t.Run(name, func(t *testing.T) {
			type result struct {
				id      string
				created bool
				err     error
			}
			results := atOnce(24, func(i int) (got result) {
				got.id, got.created, got.err = c.create(t, []*Registry{first, second}[i%2], once("k", "one"))
				return got
			})
			winners := 0
			for _, got := range results {
				require.NoError(t, got.err)
				require.Equal(t, results[0].id, got.id)
				if got.created {
					winners++
				}
			}
			require.Equal(t, 1, winners)
			require.Equal(t, 1, one[int](t, first, c.count))
		})
	}
}

func TestOnce_KeysAreWhoseTheyShouldBe(t *testing.T) {
	t.Parallel()
	r := open(t)
	_, _, err := r.CreateEndpoint(t.Context(), newEndpoint("acme"), standard, once("k", "one"))
	require.ErrorIs(t, err, ErrNoTenant)
	require.ErrorIs(t, err, delivery.ErrUnknownTenant)
	addTenant(t, r, "acme")
	_, created, err := r.CreateEndpoint(t.Context(), newEndpoint("acme"), standard, once("k", "one"))
	require.NoError(t, err)
	require.True(t, created)

	addTenant(t, r, "globex") // whose keys are its own
	_, created, err = r.CreateEndpoint(t.Context(), newEndpoint("globex"), standard, once("k", "two"))
	require.NoError(t, err)
	require.True(t, created)
	require.True(t, one[bool](t, r, `SELECT expires_at - now() BETWEEN '6 days 23:59'::interval AND '7 days'
		FROM malote.event_keys LIMIT 1`))
}
