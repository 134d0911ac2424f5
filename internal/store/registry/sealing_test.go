package registry

import (
	"crypto/rand"
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/seal"
	"github.com/malotehq/malote/internal/store/pgtest"
)

// sealed opens a registry on the database with a keyring.
func openSealed(t *testing.T, dsn string, current seal.Key, older ...seal.Key) *Registry {
	t.Helper()
	return New(pgtest.OpenDSN(t, dsn), Options{
		Presets: []string{"standard", "fair-queue"}, Sealer: seal.NewKeyring(current, older...),
	})
}

func newKey() seal.Key { return seal.GenerateKey(rand.Reader) }

// newSecret is a secret as people have them, and its bytes.
func newSecret(t *testing.T) (value string, raw []byte) {
	t.Helper()
	raw = make([]byte, 32)
	_, err := rand.Read(raw)
	require.NoError(t, err)
	return "whsec_" + base64.StdEncoding.EncodeToString(raw), raw
}

// dump is all bytes of a table, bytea columns as they are.
func dump(t *testing.T, r *Registry, table string) string {
	t.Helper()
	rows, err := r.pool.Query(t.Context(), `SELECT * FROM malote.`+table)
	require.NoError(t, err)
	defer rows.Close()
	var all strings.Builder
	for rows.Next() {
		for _, raw := range rows.RawValues() {
			all.Write(raw)
		}
	}
	require.NoError(t, rows.Err())
	require.NotZero(t, all.Len())
	return all.String()
}

func TestSecret_IsSealedAtRest(t *testing.T) {
	t.Parallel()
	key := newKey()
	r := openSealed(t, pgtest.DSN(t), key)
	addTenant(t, r, "acme")
	values, raws := make([]string, 4), make([][]byte, 4)
	for i := range values {
		values[i], raws[i] = newSecret(t)
	}
	spec := newEndpoint("acme")
	spec.Secrets = values[:2]
	endpoint, _, err := r.CreateEndpoint(t.Context(), spec, standard, Once{})
	require.NoError(t, err)
	added, _, err := r.AddSecret(t.Context(), AnyTenant, endpoint.ID, values[2], once("k", "r"))
	require.NoError(t, err)
	require.Equal(t, values[2], added.Value, "whoever made it sees it, once")
	_, _, err = r.RotateSecret(t.Context(), AnyTenant, endpoint.ID, values[3], time.Hour, Once{})
	require.NoError(t, err)

	for _, table := range []string{"endpoint_secrets", "endpoints", "event_keys"} {
		stored := dump(t, r, table)
		for i := range values {
			for _, form := range []string{values[i], values[i][6:30], string(raws[i]), string(raws[i][8:16])} {
				require.NotContains(t, stored, form, table)
			}
		}
	}
	require.Equal(t, 4, one[int](t, r, `SELECT count(*) FROM malote.endpoint_secrets WHERE key_id = $1`, key.ID()))
	sealed := one[[]byte](t, r, `SELECT value FROM malote.endpoint_secrets WHERE id = $1`, added.ID)
	opened, err := seal.NewKeyring(key).Open(sealed, append([]byte("endpoint_secret:"), added.ID[:]...), key.ID())
	require.NoError(t, err, "by the context that the store's readers use")
	require.Equal(t, values[2], string(opened))

	for _, value := range values {
		_, _, err = r.AddSecret(t.Context(), AnyTenant, endpoint.ID, value, Once{})
		require.ErrorIs(t, err, ErrSecretExists, "S05: also where no two sealed ones are alike")
	}
	repeated, created, err := r.AddSecret(t.Context(), AnyTenant, endpoint.ID, values[2], once("k", "r"))
	require.NoError(t, err)
	require.False(t, created)
	require.Equal(t, added.ID, repeated.ID)
	require.Empty(t, repeated.Value)
}

func TestSecret_WithoutAKeyIsStoredAsItIs(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DSN(t)
	r := openSealed(t, dsn, seal.Key{})
	addTenant(t, r, "acme")
	endpoint := addEndpoint(t, r, "acme")
	require.Equal(t, "whsec_first ", one[string](t, r, `SELECT convert_from(value, 'UTF8') || ' ' || key_id FROM malote.endpoint_secrets`))

	// Sealed and open ones live side by side while an operator introduces a key.
	sealing := openSealed(t, dsn, newKey())
	_, _, err := sealing.AddSecret(t.Context(), AnyTenant, endpoint.ID, "whsec_first", Once{})
	require.ErrorIs(t, err, ErrSecretExists)
	_, _, err = sealing.AddSecret(t.Context(), AnyTenant, endpoint.ID, "whsec_second", Once{})
	require.NoError(t, err)
	live, err := r.Secrets(t.Context(), AnyTenant, endpoint.ID)
	require.NoError(t, err)
	require.Len(t, live, 2)
}

func TestSealed_UnderAnUnknownKey(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DSN(t)
	key := newKey()
	r := openSealed(t, dsn, key)
	addTenant(t, r, "acme")
	endpoint, _, err := r.CreateEndpoint(t.Context(), NewEndpoint{
		Tenant: "acme", Policy: "standard", Secrets: []string{"whsec_first"}, SecretHeaders: map[string]string{"Authorization": "hush"},
	}, standard, Once{})
	require.NoError(t, err)
	for name, blind := range map[string]*Registry{
		"another key": openSealed(t, dsn, newKey()), "none": openSealed(t, dsn, seal.Key{}),
		"no sealer": New(pgtest.OpenDSN(t, dsn), Options{Presets: []string{"standard"}}),
	} {
		for what, call := range map[string]func() error{
			"add": func() error {
				_, _, err := blind.AddSecret(t.Context(), AnyTenant, endpoint.ID, "whsec_x", Once{})
				return err
			},
			"read": func() error { _, err := blind.Endpoint(t.Context(), AnyTenant, endpoint.ID); return err },
			"list": func() error {
				_, _, err := blind.Endpoints(t.Context(), AnyTenant, Page{Limit: 5}, EndpointFilter{})
				return err
			},
			"keep": func() error {
				_, err := blind.UpdateEndpoint(t.Context(), AnyTenant, endpoint.ID,
					EndpointPatch{SecretHeaders: &map[string]*string{"Authorization": nil}}, standard)
				return err
			},
		} {
			err := call()
			require.ErrorIs(t, err, seal.ErrUnknownKey, "%s: %s", name, what)
			require.ErrorContains(t, err, key.ID())
		}
	}
	_, err = r.Endpoint(t.Context(), AnyTenant, endpoint.ID)
	require.NoError(t, err, "nothing was lost")

	// Headers that nobody can open any more can be replaced, and a broken
	// endpoint can be deleted.
	execute(t, r, `UPDATE malote.endpoints SET secret_headers = 'x'`)
	_, err = r.Endpoint(t.Context(), AnyTenant, endpoint.ID)
	require.ErrorIs(t, err, seal.ErrBroken)
	changed, err := r.UpdateEndpoint(t.Context(), AnyTenant, endpoint.ID,
		EndpointPatch{SecretHeaders: &map[string]*string{"X-New": ptr("v")}}, standard)
	require.NoError(t, err)
	require.Equal(t, []string{"X-New"}, changed.SecretHeaders)
	execute(t, r, `UPDATE malote.endpoints SET secret_headers = 'x'`)
	require.NoError(t, r.DeleteEndpoint(t.Context(), AnyTenant, endpoint.ID))
}

func TestSealed_DoesNotOpenInAnotherRow(t *testing.T) {
	t.Parallel()
	r := openSealed(t, pgtest.DSN(t), newKey())
	addTenant(t, r, "acme")
	addEndpoint(t, r, "acme")
	other := addEndpoint(t, r, "acme")
	execute(t, r, `UPDATE malote.endpoint_secrets SET value =
		(SELECT value FROM malote.endpoint_secrets WHERE endpoint_id <> $1) WHERE endpoint_id = $1`, other.ID)
	_, _, err := r.AddSecret(t.Context(), AnyTenant, other.ID, "whsec_x", Once{})
	require.ErrorIs(t, err, seal.ErrBroken)
}

func TestSecretHeaders_AreWrittenAndNeverRead(t *testing.T) {
	t.Parallel()
	key := newKey()
	r := openSealed(t, pgtest.DSN(t), key)
	addTenant(t, r, "acme")
	made, _, err := r.CreateEndpoint(t.Context(), NewEndpoint{
		Tenant: "acme", URL: "https://example.com", Policy: "standard", Headers: map[string]string{"X-Shown": "yes"},
		SecretHeaders: map[string]string{"X-Token": "token-hush", "Authorization": "Bearer <hush> \u2028"},
	}, standard, Once{})
	require.NoError(t, err)
	stored := func() map[string]string {
		sealed := one[[]byte](t, r, `SELECT secret_headers FROM malote.endpoints`)
		if sealed == nil {
			require.Empty(t, one[string](t, r, `SELECT secret_headers_key FROM malote.endpoints`))
			return nil
		}
		require.Equal(t, key.ID(), one[string](t, r, `SELECT secret_headers_key FROM malote.endpoints`))
		require.NotContains(t, dump(t, r, "endpoints"), "hush")
		headers, err := r.openHeaders(made.ID, sealed, key.ID())
		require.NoError(t, err)
		return headers
	}
	require.Equal(t, map[string]string{"X-Token": "token-hush", "Authorization": "Bearer <hush> \u2028"}, stored())
	require.Equal(t, []string{"Authorization", "X-Token"}, made.SecretHeaders)
	require.Equal(t, map[string]string{"X-Shown": "yes"}, made.Headers)

	for _, step := range []struct {
		name  string
		given *map[string]*string
		want  map[string]string
		fails error
	}{
		{"not named", nil, map[string]string{"X-Token": "token-hush", "Authorization": "Bearer <hush> \u2028"}, nil},
		{
			"one kept, one new, one gone", &map[string]*string{"x-token": nil, "X-More": ptr("more hush")},
			map[string]string{"x-token": "token-hush", "X-More": "more hush"}, nil,
		},
		{"none to keep", &map[string]*string{"Authorization": nil, "X-More": ptr("other")}, nil, ErrNoSecretHeader},
		{"not text", &map[string]*string{"X-More": ptr("\xff")}, nil, ErrInvalidText},
		{"replaced", &map[string]*string{"X-More": ptr("hush 2"), "x-token": ptr("")}, map[string]string{"X-More": "hush 2", "x-token": ""}, nil},
		{"removed", &map[string]*string{}, nil, nil},
		{"none to keep of none", &map[string]*string{"X-More": nil}, nil, ErrNoSecretHeader},
	} {
		before := stored()
		lane, tenant := versions(t, r, made)
		changed, err := r.UpdateEndpoint(t.Context(), AnyTenant, made.ID, EndpointPatch{SecretHeaders: step.given}, Defaults{})
		if step.fails != nil {
			require.ErrorIs(t, err, step.fails, step.name)
			require.Equal(t, before, stored(), step.name)
			continue
		}
		require.NoError(t, err, step.name)
		require.Equal(t, step.want, stored(), step.name)
		require.Len(t, changed.SecretHeaders, len(step.want), step.name)
		laneAfter, tenantAfter := versions(t, r, made)
		require.Greater(t, laneAfter, lane, step.name)
		require.Greater(t, tenantAfter, tenant, step.name)
	}

	_, err = r.UpdateEndpoint(t.Context(), AnyTenant, made.ID, EndpointPatch{SecretHeaders: &map[string]*string{"A": ptr("b")}}, Defaults{})
	require.NoError(t, err)
	require.NoError(t, r.DeleteEndpoint(t.Context(), AnyTenant, made.ID))
	require.Nil(t, stored(), "a deleted endpoint's are forgotten")
}

func TestSecret_D14_ExpiredOnesAreForgotten(t *testing.T) {
	t.Parallel()
	r := open(t)
	addTenant(t, r, "acme")
	endpoint := addEndpoint(t, r, "acme")
	for _, overlap := range []time.Duration{0, time.Hour} {
		_, _, err := r.RotateSecret(t.Context(), AnyTenant, endpoint.ID, "whsec_"+overlap.String(), overlap, Once{})
		require.NoError(t, err)
	}
	live, err := r.Secrets(t.Context(), AnyTenant, endpoint.ID)
	require.NoError(t, err)
	forgotten, err := r.ForgetExpiredSecrets(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, forgotten)
	after, err := r.Secrets(t.Context(), AnyTenant, endpoint.ID)
	require.NoError(t, err)
	require.Equal(t, live, after)
	require.Equal(t, 2, one[int](t, r, `SELECT count(*) FROM malote.endpoint_secrets`))
	require.ElementsMatch(t, []delivery.ID{live[0].ID, live[1].ID}, secretIDs(after))
}
