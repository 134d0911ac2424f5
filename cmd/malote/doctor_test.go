package main

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/app"
	"github.com/malotehq/malote/internal/seal"
	"github.com/malotehq/malote/internal/store/pgtest"
)

// examined runs the doctor and gives its findings by the name of the check.
func examined(t testing.TB, arguments ...string) map[string]finding {
	t.Helper()
	got := malote(t, append([]string{"doctor", "--json", "--listen", "127.0.0.1:1"}, arguments...)...)
	var whole report
	require.NoError(t, json.Unmarshal([]byte(got.stdout), &whole), got.stderr)
	findings, ok := map[string]finding{}, true
	for _, found := range whole.Checks {
		require.NotEmpty(t, found.Found, found.Check)
		require.Equal(t, found.Health == healthy, found.Fix == "", "every trouble comes with a fix: %+v", found)
		findings[found.Check] = found
		ok = ok && found.Health != wrong
	}
	require.Equal(t, ok, whole.OK)
	require.Equal(t, ok, got.code == 0)
	return findings
}

func TestDoctor_EmptyDatabase(t *testing.T) {
	t.Parallel()
	findings := examined(t, "--database-url", pgtest.EmptyDSN(t))
	require.Equal(t, healthy, findings["database"].Health)
	require.Equal(t, wrong, findings["schema"].Health)
	require.Contains(t, findings["schema"].Fix, "malote migrate up")
	require.NotContains(t, findings, "queue", "there are no tables to look at")
}

func TestDoctor_NoDatabase(t *testing.T) {
	t.Parallel()
	require.Contains(t, examined(t, "--data-dir", t.TempDir())["database"].Fix, "DATABASE_URL")
	require.Equal(t, wrong, examined(t, "--database-url", "postgres://127.0.0.1:1/malote")["database"].Health)
}

// Without a worker, what is published is never sent, and the claims of one that
// died are never taken back.
func TestDoctor_SeesWhatNobodyDoes(t *testing.T) {
	t.Parallel()
	server := startServer(t, func(o *app.Options) { o.Roles = []app.Role{app.RoleAPI} })
	database := []string{"--database-url", server.dsn}
	succeeds(t, server.with("tenants", "create", "acme")...)
	succeeds(t, server.with("endpoints", "create", "http://127.0.0.1:1/", "--tenant", "acme")...)
	for range 2 {
		succeeds(t, server.with("publish", "a.b", "--tenant", "acme", "--data", "1")...)
	}
	findings := examined(t, database...)
	require.Equal(t, healthy, findings["queue"].Health, "it is not due for long")
	require.Equal(t, healthy, findings["leases"].Health)
	require.Equal(t, healthy, findings["schema"].Health)
	require.Equal(t, healthy, findings["partitions"].Health)
	require.Equal(t, healthy, findings["clock"].Health)

	server.age(t, 10*time.Minute)
	queue := examined(t, database...)["queue"]
	require.Equal(t, wrong, queue.Health, "%+v", queue)
	require.Contains(t, queue.Found, "1 endpoint are overdue by up to 10m")
	require.Contains(t, queue.Fix, "role worker")

	server.execute(t, `UPDATE malote.lanes SET paused_until = now() + interval '1 hour'`)
	require.Equal(t, healthy, examined(t, database...)["queue"].Health, "what the circuit holds back is not overdue")

	server.execute(t, `UPDATE malote.queue SET status = 'sending', claim_token = id, attempt_count = 1, lease_until = now() - interval '5 minutes'
		WHERE id = (SELECT id FROM malote.queue ORDER BY id LIMIT 1)`)
	leases := examined(t, database...)["leases"]
	require.Equal(t, wrong, leases.Health, "%+v", leases)
	require.Contains(t, leases.Found, "1 expired lease of dead workers, the oldest for 5m")
	require.Contains(t, leases.Fix, "role worker")
}

// age makes everything that is open older: ids carry the time.
func (s *testServer) age(t testing.TB, by time.Duration) {
	t.Helper()
	older := func(column string) string {
		hex := "replace(" + column + "::text, '-', '')"
		return fmt.Sprintf("(lpad(to_hex(('x' || left(%s, 12))::bit(48)::bigint - %d), 12, '0') || substr(%s, 13))::uuid", hex, by.Milliseconds(), hex)
	}
	s.execute(t, fmt.Sprintf("UPDATE malote.queue SET id = %s, event_id = %s, next_attempt_at = next_attempt_at - interval '%d s'",
		older("id"), older("event_id"), int(by.Seconds())))
	s.execute(t, fmt.Sprintf("UPDATE malote.events SET id = %s", older("id")))
}

func TestDoctor_Settings(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	keys := []string{filepath.Join(dir, adminKeyFile), filepath.Join(dir, secretKeyFile)}
	for _, key := range keys {
		require.NoError(t, os.WriteFile(key, []byte("mlt_x"), 0o600))
	}
	f := doctorCommand{storageFlags: storageFlags{DataDir: dir}, exposureFlags: exposureFlags{Listen: "127.0.0.1:8420", RequireHTTPS: true}}
	for _, found := range f.examineSettings(t.Context()) {
		require.Equal(t, healthy, found.Health, "%+v", found)
	}
	for _, key := range keys {
		require.NoError(t, os.Chmod(key, 0o644))
	}
	f.Listen, f.RequireHTTPS, f.AllowDestinations = ":8420", false, []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	for _, found := range f.examineSettings(t.Context()) {
		require.NotEqual(t, healthy, found.Health, "%+v", found)
		require.NotEmpty(t, found.Fix)
	}
	f.Listen = "8420"
	require.Equal(t, wrong, f.checkListen().Health)
	f.SecretKey = "mlk_x"
	require.Equal(t, healthy, f.checkSecretKey().Health, "the file is not used")
	f.SecretKeyFile = keys[1]
	require.Equal(t, wrong, f.checkSecretKey().Health, "malote serve would not start")
}

func TestDoctor_SecretsAndDeadLetters(t *testing.T) {
	t.Parallel()
	old, current := newKey(), newKey()
	server := startServer(t, func(o *app.Options) {
		o.Roles, o.SecretKeys = []app.Role{app.RoleAPI}, []seal.Key{old}
	})
	database := []string{"--database-url", server.dsn, "--data-dir", t.TempDir()}
	require.Contains(t, examined(t, database...)["secrets"].Found, "no key yet")
	succeeds(t, server.with("tenants", "create", "acme")...)
	succeeds(t, server.with("endpoints", "create", "http://127.0.0.1:1/", "--tenant", "acme")...)

	unknown := examined(t, database...)["secrets"]
	require.Equal(t, wrong, unknown.Health)
	require.Contains(t, unknown.Fix, "malote secrets status")
	older := examined(t, append(database, "--secret-key", current.Reveal()+","+old.Reveal())...)["secrets"]
	require.Equal(t, warning, older.Health)
	require.Contains(t, older.Found, "1 value is not sealed under the current key")
	sealed := examined(t, append(database, "--secret-key", old.Reveal())...)
	require.Equal(t, healthy, sealed["secrets"].Health)
	require.Equal(t, healthy, sealed["dead letters"].Health)

	server.execute(t, `INSERT INTO malote.signals (shard, id, tenant, kind, created_at)
		SELECT 1, gen_random_uuid(), tenant, 'dead_unattended', now() FROM unnest('{acme,globex,acme}'::text[]) AS tenant`)
	server.execute(t, fmt.Sprintf(`UPDATE malote.signals SET id = ('%s' || substr(id::text, 14))::uuid`, timeOfID(time.Now())))
	letters := examined(t, database...)["dead letters"]
	require.Equal(t, warning, letters.Health)
	require.Contains(t, letters.Found, "2 tenants")
}

// timeOfID is how an id of that instant begins.
func timeOfID(at time.Time) string {
	hex := fmt.Sprintf("%012x", at.UnixMilli())
	return hex[:8] + "-" + hex[8:]
}

func TestDoctor_ServerFacts(t *testing.T) {
	t.Parallel()
	good := serverFacts{version: 150004, shown: "15.4", fsync: "on", pages: "on", commit: "on", compression: "lz4", connections: 100, used: 20}
	for _, check := range []func(serverFacts) finding{
		serverFacts.checkVersion, serverFacts.checkDurability, serverFacts.checkLogCompression, serverFacts.checkConnections, serverFacts.checkClock,
	} {
		require.Equal(t, healthy, check(good).Health)
	}
	changed := func(change func(*serverFacts)) serverFacts {
		facts := good
		change(&facts)
		return facts
	}
	require.Equal(t, wrong, changed(func(f *serverFacts) { f.version = 140011 }).checkVersion().Health)
	require.Equal(t, wrong, changed(func(f *serverFacts) { f.fsync = "off" }).checkDurability().Health)
	require.Equal(t, wrong, changed(func(f *serverFacts) { f.commit = "off" }).checkDurability().Health)
	require.Equal(t, healthy, changed(func(f *serverFacts) { f.commit = "remote_apply" }).checkDurability().Health)
	require.Equal(t, warning, changed(func(f *serverFacts) { f.compression = "on" }).checkLogCompression().Health)
	require.Equal(t, healthy, changed(func(f *serverFacts) { f.compression = "off" }).checkLogCompression().Health)
	require.Equal(t, warning, changed(func(f *serverFacts) { f.used = 90 }).checkConnections().Health)

	behind := changed(func(f *serverFacts) { f.skew = 10 * time.Second }).checkClock()
	require.Equal(t, warning, behind.Health)
	require.Contains(t, behind.Found, "10s behind")
	ahead := changed(func(f *serverFacts) { f.skew = -2 * time.Minute }).checkClock()
	require.Equal(t, wrong, ahead.Health)
	require.Contains(t, ahead.Found, "2m ahead")
	slow := changed(func(f *serverFacts) { f.skew, f.uncertainty = 5*time.Second, 4*time.Second }).checkClock()
	require.Equal(t, healthy, slow.Health, "a slow answer is no proof")
}

// execute looks behind the curtain.
func (s *testServer) execute(t testing.TB, statement string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), s.dsn)
	require.NoError(t, err)
	defer conn.Close(t.Context())
	_, err = conn.Exec(t.Context(), statement)
	require.NoError(t, err)
}
