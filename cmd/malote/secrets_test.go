package main

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/app"
	"github.com/malotehq/malote/internal/seal"
	"github.com/malotehq/malote/internal/store"
	"github.com/malotehq/malote/internal/store/pgtest"
	"github.com/malotehq/malote/internal/store/registry"
)

func newKey() seal.Key { return seal.GenerateKey(rand.Reader) }

func TestSecretsNewKey_MakesKeys(t *testing.T) {
	t.Parallel()
	got := malote(t, "secrets", "new-key")
	require.Zero(t, got.code)
	key, err := seal.ParseKey(got.stdout)
	require.NoError(t, err)
	require.Contains(t, got.stderr, key.ID())
	require.NotContains(t, got.stderr, strings.TrimSpace(got.stdout), "it goes where it is sent, and nowhere else")
	require.NotEqual(t, got.stdout, succeeds(t, "secrets", "new-key"))
}

// A whole change of keys, as the help has it, while a server goes on sealing.
func TestSecrets_ChangingTheKey(t *testing.T) {
	t.Parallel()
	old, current := newKey(), newKey()
	server := startServer(t, func(o *app.Options) {
		o.Roles, o.SecretKeys = []app.Role{app.RoleAPI}, []seal.Key{old, current}
	})
	succeeds(t, server.with("tenants", "create", "acme")...)
	create := server.with("endpoints", "create", "http://127.0.0.1:1/", "--tenant", "acme", "--secret-header", "X-Key: pst")
	id := idPattern.FindString(succeeds(t, create...))
	secrets := func(command string, keys ...seal.Key) result {
		texts := make([]string, len(keys))
		for i, key := range keys {
			texts[i] = key.Reveal()
		}
		path := file(t, "keys", strings.Join(texts, "\n")+"\n")
		got := malote(t, "secrets", command, "--database-url", server.dsn, "--secret-key-file", path)
		for _, text := range texts {
			require.NotContains(t, got.stdout+got.stderr, text)
		}
		return got
	}

	require.Contains(t, secrets("status", current).fails(t, 1), "2 values are sealed under a key that was not given ("+old.ID()+")")
	require.Contains(t, secrets("reseal", current).fails(t, 1), old.ID())
	before := secrets("status", current, old)
	require.Zero(t, before.code)
	require.Regexp(t, current.ID()+` +current +0\n`+old.ID()+` +older +2\n2 values are not under the current key`, before.stdout)

	require.Contains(t, secrets("reseal", current, old).stdout, "2 values sealed anew")
	succeeds(t, create...) // the server seals under the key that is current to it
	require.Contains(t, secrets("status", current, old).stdout, "2 values are not")
	require.Contains(t, secrets("reseal", current, old).stdout, "2 values sealed anew")
	require.Equal(t, []string{current.ID()}, server.registeredKeys(t), "the old one is retired")
	require.Contains(t, secrets("reseal", current).stdout, "0 values sealed anew")
	require.Contains(t, secrets("status", current).stdout, "Everything is sealed")
	require.Contains(t, secrets("reseal", old).fails(t, 1), current.ID(), "it opens nothing any more")
	require.Contains(t, succeeds(t, server.with("endpoints", "secrets", "list", id)...), "sec_", "nobody has noticed")
}

// registeredKeys are the ids of the keys that a process must have one of.
func (s *testServer) registeredKeys(t testing.TB) []string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), s.dsn)
	require.NoError(t, err)
	defer conn.Close(t.Context())
	rows, _ := conn.Query(t.Context(), "SELECT id FROM malote.secret_keys")
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	return ids
}

func TestSecretsReseal_RetiresNothingThatIsInUse(t *testing.T) {
	t.Parallel()
	old, current := newKey(), newKey()
	server := startServer(t, func(o *app.Options) {
		o.Roles, o.SecretKeys = []app.Role{app.RoleAPI}, []seal.Key{old}
	})
	succeeds(t, server.with("tenants", "create", "acme")...)
	succeeds(t, server.with("endpoints", "create", "http://127.0.0.1:1/", "--tenant", "acme")...)
	s, err := store.Open(t.Context(), store.Options{DSN: server.dsn})
	require.NoError(t, err)
	defer s.Close()
	reg := registry.New(s, registry.Options{})
	require.ErrorContains(t, retireOldKeys(t.Context(), reg, current.ID()), "1 value is not under the current key")
	require.NoError(t, admitKeys(t.Context(), reg, ringOf([]seal.Key{old})), "what there is can still be opened by those who could")
}

func TestSecretsStatus_SaysWhatIsNotSealed(t *testing.T) {
	t.Parallel()
	dsn, key := pgtest.DSN(t), newKey()
	status := []string{"secrets", "status", "--database-url", dsn, "--data-dir", t.TempDir()}
	require.Contains(t, succeeds(t, status...), "There is no key yet")
	require.Contains(t, malote(t, "secrets", "reseal", "--database-url", dsn, "--data-dir", t.TempDir()).fails(t, 2), "MALOTE_SECRET_KEY")

	server := startServer(t, func(o *app.Options) { o.Roles, o.DatabaseURL = []app.Role{app.RoleAPI}, dsn })
	succeeds(t, server.with("tenants", "create", "acme")...)
	succeeds(t, server.with("endpoints", "create", "http://127.0.0.1:1/", "--tenant", "acme")...)
	server.execute(t, `UPDATE malote.endpoint_secrets SET value = 'whsec_x', key_id = ''`)
	status = append(status, "--secret-key", key.Reveal())
	require.Contains(t, succeeds(t, status...), "1 value is not under the current key")
	lines := splitLines(succeeds(t, append(status, "--json")...))
	require.Equal(t, key.ID(), field[string](t, lines[0], "key_id"))
	require.Equal(t, "unsealed", field[string](t, lines[1], "standing"))
	require.Nil(t, field[*string](t, lines[1], "key_id"))
	require.Equal(t, 1, field[int](t, lines[1], "values"))
}

func TestSecretKeyFlags_WhereKeysAre(t *testing.T) {
	t.Parallel()
	dir, first, second := t.TempDir(), newKey(), newKey()
	ids := func(f secretKeyFlags) (ids []string) {
		keys, err := f.under(dir)
		require.NoError(t, err)
		for _, key := range keys {
			ids = append(ids, key.ID())
		}
		return ids
	}
	require.Empty(t, ids(secretKeyFlags{}), "and none is made")
	require.NoError(t, os.WriteFile(filepath.Join(dir, secretKeyFile), []byte(second.Reveal()+"\n"), 0o600))
	require.Equal(t, []string{second.ID()}, ids(secretKeyFlags{}))
	require.Equal(t, []string{first.ID(), second.ID()}, ids(secretKeyFlags{SecretKey: first.Reveal() + ", " + second.Reveal()}))
	require.Equal(t, []string{first.ID()}, ids(secretKeyFlags{SecretKeyFile: file(t, "key", first.Reveal())}))
	require.NoError(t, os.WriteFile(filepath.Join(dir, secretKeyFile), []byte("mlk_hunter2"), 0o600))
	_, err := (&secretKeyFlags{}).under(dir)
	require.ErrorContains(t, err, secretKeyFile)
	require.NotContains(t, err.Error(), "hunter2")
}
