package registry

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/seal"
	"github.com/malotehq/malote/internal/store/pgtest"
)

func sourceSecretNames(t *testing.T, r *Registry, source delivery.ID) (names []string) {
	t.Helper()
	live, err := r.SourceSecrets(t.Context(), AnyTenant, source)
	require.NoError(t, err)
	for _, secret := range live {
		require.Empty(t, secret.Value, "a value is never listed")
		names = append(names, secret.Name)
	}
	return names
}

func TestSourceSecret_SeveralLiveAtOnce(t *testing.T) {
	t.Parallel()
	r := open(t)
	addTenant(t, r, "acme")
	source := addSource(t, r, "acme")
	for _, c := range []struct {
		secret SourceSecret
		fails  error
	}{
		{SourceSecret{Name: "second", Role: RoleSignature, Value: "2"}, nil},
		{SourceSecret{Name: "first", Value: "3"}, ErrSecretNameTaken},
		{SourceSecret{Name: "third", Value: "hush-first"}, ErrSecretExists},
		{SourceSecret{Name: "third", Role: RoleSignature, Value: "hush-first"}, nil}, // of another role
		{SourceSecret{Name: "", Value: "4"}, nil},
		{SourceSecret{Name: "", Value: "5"}, nil},
	} {
		version := sourceVersion(t, r, source.ID)
		added, created, err := r.AddSourceSecret(t.Context(), OfTenant("acme"), source.ID, c.secret, Once{})
		if c.fails != nil {
			require.ErrorIs(t, err, c.fails)
			require.ErrorIs(t, err, ErrConflict)
			require.Equal(t, version, sourceVersion(t, r, source.ID))
			continue
		}
		require.NoError(t, err)
		require.True(t, created)
		require.Equal(t, c.secret.Value, added.Value)
		require.Equal(t, version+1, sourceVersion(t, r, source.ID))
	}
	names := sourceSecretNames(t, r, source.ID)
	require.Len(t, names, 5)
	require.Equal(t, []string{"third", "second", "first"}, names[2:])
	found, err := r.Source(t.Context(), AnyTenant, source.ID)
	require.NoError(t, err)
	require.Equal(t, names, found.SecretNames)

	other := addSource(t, r, "acme") // whose names are its own
	version := sourceVersion(t, r, other.ID)
	require.ErrorIs(t, r.RevokeSourceSecret(t.Context(), AnyTenant, other.ID, source.Secrets[0].ID), ErrNoSecret)
	require.Equal(t, version, sourceVersion(t, r, other.ID))
	require.NoError(t, r.RevokeSourceSecret(t.Context(), AnyTenant, other.ID, other.Secrets[0].ID))
	require.Equal(t, version+1, sourceVersion(t, r, other.ID))
	require.Empty(t, sourceSecretNames(t, r, other.ID), "even the last one")
	require.Zero(t, one[int](t, r, `SELECT count(*) FROM malote.source_secrets WHERE source_id = $1`, other.ID), "its value is forgotten")
	_, _, err = r.AddSourceSecret(t.Context(), AnyTenant, other.ID, SourceSecret{Name: "first", Value: "hush-first"}, Once{})
	require.NoError(t, err, "a revoked one's name and value are free")
}

func TestSourceSecret_RotationOverlaps(t *testing.T) {
	t.Parallel()
	r := open(t)
	addTenant(t, r, "acme")
	source := addSource(t, r, "acme")
	_, _, err := r.AddSourceSecret(t.Context(), AnyTenant, source.ID, SourceSecret{Name: "verify", Role: RoleHandshake, Value: "v"}, Once{})
	require.NoError(t, err)
	rotate := func(name, value string, overlap time.Duration) error {
		_, _, err := r.RotateSourceSecret(t.Context(), OfTenant("acme"), source.ID, SourceSecret{Name: name, Value: value}, overlap, Once{})
		return err
	}
	require.ErrorIs(t, rotate("first", "2", time.Hour), ErrSecretNameTaken, "while the older one lives on")
	require.ErrorIs(t, rotate("x", "hush-first", 0), ErrSecretExists)
	require.NoError(t, rotate("second", "2", time.Hour))
	version := sourceVersion(t, r, source.ID)
	require.NoError(t, rotate("third", "3", 2*time.Hour))
	require.Equal(t, version+1, sourceVersion(t, r, source.ID))

	live, err := r.SourceSecrets(t.Context(), AnyTenant, source.ID)
	require.NoError(t, err)
	require.Len(t, live, 4)
	ends := map[string]time.Time{}
	for _, secret := range live {
		ends[secret.Name] = secret.ExpiresAt
	}
	require.Zero(t, ends["third"])
	require.Zero(t, ends["verify"], "one of another role goes on")
	require.WithinDuration(t, time.Now().Add(2*time.Hour), ends["second"], time.Minute)
	require.WithinDuration(t, time.Now().Add(time.Hour), ends["first"], time.Minute, "a longer overlap prolongs nothing")

	require.NoError(t, rotate("third", "4", 0), "what ends at once leaves its name")
	require.Equal(t, []string{"third", "verify"}, sourceSecretNames(t, r, source.ID))
	forgotten, err := r.ForgetExpiredSecrets(t.Context())
	require.NoError(t, err)
	require.Equal(t, 3, forgotten)
	require.Equal(t, 2, one[int](t, r, `SELECT count(*) FROM malote.source_secrets`))
}

func TestSourceSecret_ABoundedNumber(t *testing.T) {
	t.Parallel()
	r := open(t)
	addTenant(t, r, "acme")
	spec := newSource("acme")
	for i := 1; i < MaxSecrets+1; i++ {
		spec.Secrets = append(spec.Secrets, SourceSecret{Value: fmt.Sprint(i)})
	}
	_, _, err := r.CreateSource(t.Context(), spec, Once{})
	require.ErrorIs(t, err, ErrTooManySecrets)
	spec.Secrets = spec.Secrets[:MaxSecrets]
	source, _, err := r.CreateSource(t.Context(), spec, Once{})
	require.NoError(t, err)
	more := SourceSecret{Value: "more"}
	_, _, err = r.AddSourceSecret(t.Context(), AnyTenant, source.ID, more, Once{})
	require.ErrorIs(t, err, ErrTooManySecrets)
	_, _, err = r.RotateSourceSecret(t.Context(), AnyTenant, source.ID, more, time.Hour, Once{})
	require.ErrorIs(t, err, ErrTooManySecrets)
	_, _, err = r.RotateSourceSecret(t.Context(), AnyTenant, source.ID, more, 0, Once{})
	require.NoError(t, err, "what ends at once takes no place")
	require.Len(t, sourceSecretNames(t, r, source.ID), 1)
}

// However many come at once, no name is there twice, no value, and no more than
// there may be.
func TestSourceSecret_ManyAtOnce(t *testing.T) {
	t.Parallel()
	first, second := openTwice(t)
	addTenant(t, first, "acme")
	source := addSource(t, first, "acme")
	count := func(n int, secret func(i int) SourceSecret, refusal error) (added int) {
		for _, err := range atOnce(n, func(i int) error {
			_, _, err := []*Registry{first, second}[i%2].AddSourceSecret(t.Context(), AnyTenant, source.ID, secret(i), Once{})
			return err
		}) {
			if err == nil {
				added++
				continue
			}
			require.ErrorIs(t, err, refusal)
		}
		return added
	}
	require.Equal(t, 1, count(8, func(i int) SourceSecret { return SourceSecret{Name: "same", Value: fmt.Sprint(i)} }, ErrSecretNameTaken))
	require.Equal(t, 1, count(8, func(int) SourceSecret { return SourceSecret{Value: "same"} }, ErrSecretExists))
	require.Equal(t, MaxSecrets-3, count(12, func(i int) SourceSecret { return SourceSecret{Value: fmt.Sprint("more ", i)} }, ErrTooManySecrets))
	require.EqualValues(t, MaxSecrets, sourceVersion(t, first, source.ID))
}

func TestSourceSecret_IsSealedAtRest(t *testing.T) {
	t.Parallel()
	dsn, key := pgtest.DSN(t), newKey()
	r := openSealed(t, dsn, key)
	addTenant(t, r, "acme")
	values := []string{"hush-created", "hush-added", "hush-rotated"}
	spec := newSource("acme")
	spec.Secrets[0].Value = values[0]
	source, _, err := r.CreateSource(t.Context(), spec, once("k", "r"))
	require.NoError(t, err)
	added, _, err := r.AddSourceSecret(t.Context(), AnyTenant, source.ID, SourceSecret{Value: values[1]}, once("k", "r"))
	require.NoError(t, err)
	_, _, err = r.RotateSourceSecret(t.Context(), AnyTenant, source.ID, SourceSecret{Value: values[2]}, time.Hour, Once{})
	require.NoError(t, err)
	for _, table := range []string{"source_secrets", "sources", "event_keys"} {
		require.NotContains(t, dump(t, r, table), "hush", table)
	}
	require.Equal(t, 3, one[int](t, r, `SELECT count(*) FROM malote.source_secrets WHERE key_id = $1`, key.ID()))
	sealed := one[[]byte](t, r, `SELECT value FROM malote.source_secrets WHERE id = $1`, added.ID)
	opened, err := seal.NewKeyring(key).Open(sealed, seal.SourceSecretContext(added.ID), key.ID())
	require.NoError(t, err)
	require.Equal(t, values[1], string(opened))
	for _, value := range values {
		_, _, err = r.AddSourceSecret(t.Context(), AnyTenant, source.ID, SourceSecret{Value: value}, Once{})
		require.ErrorIs(t, err, ErrSecretExists, "also where no two sealed ones are alike")
	}

	blind := openSealed(t, dsn, newKey())
	_, _, err = blind.AddSourceSecret(t.Context(), AnyTenant, source.ID, SourceSecret{Value: "x"}, Once{})
	require.ErrorIs(t, err, seal.ErrUnknownKey)
	_, err = blind.SourceForDoor(t.Context(), source.ID)
	require.ErrorIs(t, err, seal.ErrUnknownKey)
	require.ErrorContains(t, err, key.ID())
	require.NotErrorIs(t, err, ErrNotFound)
	// What is in another's row does not open, and can be revoked.
	execute(t, r, `UPDATE malote.source_secrets SET value = $1 WHERE id <> $2`, sealed, added.ID)
	_, err = r.SourceForDoor(t.Context(), source.ID)
	require.ErrorIs(t, err, seal.ErrBroken)
	live, err := r.SourceSecrets(t.Context(), AnyTenant, source.ID)
	require.NoError(t, err)
	for _, secret := range live {
		if secret.ID != added.ID {
			require.NoError(t, r.RevokeSourceSecret(t.Context(), AnyTenant, source.ID, secret.ID))
		}
	}
	door, err := r.SourceForDoor(t.Context(), source.ID)
	require.NoError(t, err)
	require.Equal(t, values[1], door.Secrets[0].Value)
}

func TestSourceSecret_IsNeverPrinted(t *testing.T) {
	t.Parallel()
	secret := SourceSecret{Name: "n", Value: "hush"}
	door := DoorSource{Secrets: []SourceSecret{secret}}
	encoded, err := json.Marshal(door)
	require.NoError(t, err)
	for _, shown := range []string{fmt.Sprint(secret, &secret, door), fmt.Sprintf("%+v %#v %v %s %q", secret, door, door, secret, secret), string(encoded)} {
		require.NotContains(t, shown, "hush")
	}
}
