package main

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/client"
	"github.com/malotehq/malote/internal/app"
	"github.com/malotehq/malote/internal/store/pgtest"
)

// testServer is a whole Malote on a database of the test's own.
type testServer struct{ url, dsn, key string }

func startServer(t testing.TB, change ...func(*app.Options)) *testServer {
	t.Helper()
	options := app.Options{
		DatabaseURL: pgtest.DSN(t), DataDir: t.TempDir(), Listen: "127.0.0.1:0", HotConnections: 4, DrainTimeout: time.Second,
		AllowDestinations: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
	}
	for _, f := range change {
		f(&options)
	}
	ctx, stop := context.WithCancel(context.Background())
	ready, served := make(chan app.Info, 1), make(chan error, 1)
	go func() { served <- app.Run(ctx, options, func(info app.Info) { ready <- info }) }()
	select {
	case info := <-ready:
		t.Cleanup(func() {
			stop()
			require.NoError(t, <-served)
		})
		return &testServer{url: info.BaseURL, dsn: options.DatabaseURL, key: info.AdminKey}
	case err := <-served:
		stop()
		t.Fatalf("the server did not start: %v", err)
		return nil
	}
}

// with adds the flags that lead to the server.
func (s *testServer) with(arguments ...string) []string {
	return append(arguments, "--server", s.url, "--api-key", s.key)
}

const patience = 20 * time.Second

// freeAddress is one where nothing listens at the moment.
func freeAddress(t testing.TB) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	return listener.Addr().String()
}

// listening starts `malote listen` and waits until it does.
func listening(t testing.TB, arguments ...string) (*background, string) {
	t.Helper()
	address := freeAddress(t)
	b := inBackground(t, append([]string{"listen", address}, arguments...)...)
	require.Eventually(t, func() bool { return strings.Contains(b.stdout.String(), "Waiting") }, patience, 5*time.Millisecond, b.stderr.String())
	return b, "http://" + address + "/in"
}

// ask sends a request without the command line, which takes its time to parse.
func (s *testServer) ask(t testing.TB, path string, query url.Values) string {
	t.Helper()
	flags := apiFlags{Server: s.url, APIKey: s.key, Timeout: patience}
	c, err := flags.connect(&environment{ctx: t.Context()})
	require.NoError(t, err)
	got, err := c.do(client.Request{Method: http.MethodGet, Path: path, Query: query})
	require.NoError(t, err)
	return string(got.Body)
}

// awaitDelivery waits until the event's one delivery is in the state, after so
// many attempts, and gives its id.
func (s *testServer) awaitDelivery(t testing.TB, event, state string, attempts int) string {
	t.Helper()
	var only deliveryView
	require.Eventually(t, func() bool {
		var page struct{ Data []deliveryView }
		require.NoError(t, json.Unmarshal([]byte(s.ask(t, deliveriesPath, queryOf("event", event))), &page))
		require.Len(t, page.Data, 1)
		only = page.Data[0]
		return only.State == state && only.AttemptCount == attempts
	}, patience, 10*time.Millisecond, "%s after %d attempts", state, attempts)
	return only.ID
}

var (
	idPattern     = regexp.MustCompile(`\b(whe|evt|whd|sec|key|rec)_[0-9a-z]{26}\b`)
	secretPattern = regexp.MustCompile(`whsec_[A-Za-z0-9+/=]+`)
)

// TestCLI_FromTenantToDelivered is the life of an event as a newcomer types it.
func TestCLI_FromTenantToDelivered(t *testing.T) {
	t.Parallel()
	server := startServer(t)
	secret := "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo="
	succeeds(t, server.with("tenants", "create", "acme", "--name", "Acme Ltd.", "--alert-email", "ops@acme.example")...)
	succeeds(t, server.with("tenants", "create", "globex")...)
	receiver, address := listening(t, "--secret", secret, "--scheme", "hex", "--fail-first", "1")
	tail := inBackground(t, server.with("tail", "--tenant", "acme", "--interval", "50ms")...)
	events := inBackground(t, server.with("tail", "--tenant", "globex", "--events", "--interval", "50ms", "--json")...)

	for _, following := range []*background{tail, events} {
		require.Eventually(t, func() bool { return strings.Contains(following.stderr.String(), "Following") }, patience, 5*time.Millisecond)
	}
	require.Contains(t, succeeds(t, server.with("tenants", "list")...), "Acme Ltd.")
	// fair-queue waits for 15 s and more: what failed is still pending when we look.
	made := succeeds(t, server.with("endpoints", "create", address, "--tenant", "acme", "--secret", secret, "--policy", "fair-queue")...)
	require.Equal(t, secret, secretPattern.FindString(made), "shown this once")

	publish := server.with("publish", "invoice.paid", "--tenant", "acme", "--data", awkward)
	failing := idPattern.FindString(succeeds(t, publish...))
	waits := server.awaitDelivery(t, failing, "pending", 1)
	working := idPattern.FindString(succeeds(t, publish...))
	arrived := server.awaitDelivery(t, working, "delivered", 1)
	globex := idPattern.FindString(succeeds(t, server.with("publish", "invoice.paid", "--tenant", "globex", "--data", "1")...))

	require.Contains(t, succeeds(t, server.with("events", "body", working)...), `"dados":`+awkward, "the very bytes, in the envelope")
	shown := succeeds(t, server.with("deliveries", "show", waits)...)
	require.Contains(t, shown, "500 Internal Server Error")
	require.Contains(t, shown, "by the schedule's 30s after failed attempt 1")
	require.Contains(t, succeeds(t, server.with("deliveries", "show", arrived)...), "Attempt 1 succeeded with HTTP 200")
	require.Contains(t, succeeds(t, server.with("endpoints", "show", idPattern.FindString(made))...), "last success")
	require.Contains(t, receiver.stdout.String(), "verified")
	require.Contains(t, receiver.stdout.String(), "invoice.paid")

	for _, part := range []string{waits, "500 failed attempt 1", arrived, "200 on attempt 1", address} {
		require.Eventually(t, func() bool { return strings.Contains(tail.stdout.String(), part) }, patience, 10*time.Millisecond, part)
	}
	require.Eventually(t, func() bool { return strings.Contains(events.stdout.String(), globex) }, patience, 10*time.Millisecond)
	require.NotContains(t, events.stdout.String(), working, "another tenant's")
	for _, following := range []*background{tail, events} {
		following.stop()
		require.Zero(t, <-following.done, "^C is how it ends")
	}
}

func TestCLI_RawBytesAreKept(t *testing.T) {
	t.Parallel()
	server := startServer(t, func(o *app.Options) { o.Roles = []app.Role{app.RoleAPI} })
	succeeds(t, server.with("tenants", "create", "acme")...)
	const bytes = "\xff\x00\x1b[31mnot text\r\n"
	event := idPattern.FindString(succeeds(t, server.with("publish", "a.b", file(t, "x.bin", bytes), "--tenant", "acme", "--raw",
		"--content-type", "application/x-odd", "--key", "k1")...))
	require.Equal(t, bytes, succeeds(t, server.with("events", "body", event)...))
	saved := filepath.Join(t.TempDir(), "body")
	succeeds(t, server.with("events", "body", event, "--output", saved)...)
	kept, err := os.ReadFile(saved)
	require.NoError(t, err)
	require.Equal(t, bytes, string(kept))
	shown := succeeds(t, server.with("events", "show", event)...)
	require.Contains(t, shown, "application/x-odd")
	require.Contains(t, shown, "skipped: no_endpoint")
	require.Contains(t, succeeds(t, server.with("events", "list", "--tenant", "acme", "--since", "1h")...), event)
	again := server.with("publish", "a.b", file(t, "x.bin", bytes), "--tenant", "acme", "--raw", "--content-type", "application/x-odd", "--key", "k1")
	require.Contains(t, succeeds(t, again...), event+" was published with this key before")
	other := malote(t, server.with("publish", "a.b", "--tenant", "acme", "--data", "2", "--key", "k1")...)
	require.Contains(t, other.fails(t, 1), "idempotency key was used before")
}

func TestCLI_EndpointsAndTheirSecrets(t *testing.T) {
	t.Parallel()
	server := startServer(t)
	_, address := listening(t, "--status", "500")
	succeeds(t, server.with("tenants", "create", "acme")...)
	made := succeeds(t, server.with("endpoints", "create", address, "--tenant", "acme", "--type", "a.*,b", "--header", "X-Key: a,b:c", "--metadata", "team=x=y", "--max-in-flight", "3")...)
	id := idPattern.FindString(made)
	for _, part := range []string{"a.* b", "X-Key: a,b:c", "team=x=y", "3"} {
		require.Contains(t, made, part)
	}
	changed := succeeds(t, server.with("endpoints", "update", id, "--all-types", "--max-in-flight", "0", "--description", "d", "--no-headers")...)
	require.Contains(t, changed, "all")
	require.NotContains(t, changed, "X-Key")

	rotated := succeeds(t, server.with("endpoints", "secrets", "rotate", id, "--overlap", "48h")...)
	require.NotEqual(t, secretPattern.FindString(made), secretPattern.FindString(rotated))
	added := idPattern.FindString(succeeds(t, server.with("endpoints", "secrets", "add", id)...))
	listed := succeeds(t, server.with("endpoints", "secrets", "list", id)...)
	require.Len(t, splitLines(listed), 4)
	require.NotContains(t, listed, "whsec_")
	succeeds(t, server.with("endpoints", "secrets", "revoke", id, added)...)
	require.NotContains(t, succeeds(t, server.with("endpoints", "secrets", "list", id)...), added)

	tested := malote(t, server.with("endpoints", "test", id)...)
	require.Contains(t, tested.stdout, "500 Internal Server Error")
	require.Contains(t, tested.fails(t, 1), "the test failed")

	require.Contains(t, succeeds(t, server.with("endpoints", "pause", id)...), "paused")
	event := idPattern.FindString(succeeds(t, server.with("publish", "a.b", "--tenant", "acme", "--data", "1")...))
	pending := succeeds(t, server.with("deliveries", "list", "--event", event, "--json")...)
	require.Contains(t, succeeds(t, server.with("deliveries", "show", field[string](t, pending, "id"))...), "endpoints resume")
	require.Contains(t, succeeds(t, server.with("endpoints", "discard", id)...), "1 pending delivery discarded")
	require.Contains(t, succeeds(t, server.with("endpoints", "resume", id)...), "active")
	require.Contains(t, succeeds(t, server.with("endpoints", "disable", id)...), "disabled_by_user")
	require.Contains(t, succeeds(t, server.with("endpoints", "enable", id)...), "active")
	succeeds(t, server.with("endpoints", "delete", id)...)
	require.Contains(t, malote(t, server.with("endpoints", "show", id)...).fails(t, 1), "nothing with this id")
	require.Empty(t, succeeds(t, server.with("endpoints", "list", "--tenant", "acme", "--counts")...))
	succeeds(t, server.with("tenants", "update", "acme", "--priority", "5", "--no-alerts")...)
	succeeds(t, server.with("tenants", "delete", "acme")...)
}

func TestCLI_ReplayAndResolve(t *testing.T) {
	t.Parallel()
	server := startServer(t)
	_, address := listening(t, "--status", "413")
	succeeds(t, server.with("tenants", "create", "acme")...)
	succeeds(t, server.with("endpoints", "create", address, "--tenant", "acme", "--policy", "fair-queue")...)
	event := idPattern.FindString(succeeds(t, server.with("publish", "a.b", "--tenant", "acme", "--data", "1")...))
	id := server.awaitDelivery(t, event, "dead", 1)
	require.Equal(t, id, field[string](t, succeeds(t, server.with("deliveries", "list", "--event", event, "--state", "dead", "--json")...), "id"))
	require.Contains(t, succeeds(t, server.with("deliveries", "show", id)...), "malote replay "+id)

	require.Contains(t, succeeds(t, server.with("replay", id, "--preview")...), "be sent again")
	require.Contains(t, server.ask(t, deliveriesPath+client.Path(id), nil), `"state":"dead"`, "a preview changes nothing")
	require.Contains(t, succeeds(t, server.with("replay", id)...), "pending")
	server.awaitDelivery(t, event, "dead", 2)

	const unknown = "whd_01h455vb4pex5vsknk084sn02q"
	refused := malote(t, server.with("replay", id, unknown)...).fails(t, 1)
	require.Contains(t, refused, unknown+": There is no delivery with this id")
	require.NotContains(t, refused, "ids[")
	require.NotContains(t, refused, "..")
	require.Contains(t, malote(t, server.with("replay", "whd_x")...).fails(t, 1), "whd_x: must be an id")
	require.Contains(t, succeeds(t, server.with("replay", id, unknown, "--preview")...), "stay: There is no delivery")

	require.Contains(t, malote(t, server.with("deliveries", "resolve", id, "--reason", "no")...).fails(t, 1), "10 to 1,000")
	succeeds(t, server.with("deliveries", "resolve", id, "--reason", "entered by hand")...)
	require.Contains(t, succeeds(t, server.with("deliveries", "show", id)...), "entered by hand")
}

func TestCLI_PortalLink(t *testing.T) {
	t.Parallel()
	server := startServer(t, func(o *app.Options) { o.Roles = []app.Role{app.RoleAPI} })
	succeeds(t, server.with("tenants", "create", "acme")...)
	require.Contains(t, succeeds(t, server.with("portal", "link", "--tenant", "acme", "--role", "support")...), server.url+"/portal/")
	made := succeeds(t, server.with("portal", "link", "--tenant", "acme", "--json")...)
	require.Equal(t, "viewer", field[string](t, made, "role"))
	require.Contains(t, malote(t, server.with("portal", "link", "--tenant", "acme", "--expires-in", "25h")...).fails(t, 1), "24h")
	require.Contains(t, succeeds(t, server.with("audit", "--tenant", "acme")...), "make-portal-link")
}

func TestCLI_KeysAndScopes(t *testing.T) {
	t.Parallel()
	server := startServer(t, func(o *app.Options) { o.Roles = []app.Role{app.RoleAPI} })
	succeeds(t, server.with("tenants", "create", "acme")...)
	made := succeeds(t, server.with("keys", "create", "--scope", "publish", "--tenant", "acme", "--name", "shop", "--json")...)
	key := field[string](t, made, "key")
	limited := func(arguments ...string) result {
		return malote(t, append(arguments, "--server", server.url, "--api-key", key)...)
	}
	require.Zero(t, limited("publish", "a.b", "--data", "1").code, "the key's tenant needs no naming")
	require.Contains(t, limited("tenants", "create", "x").fails(t, 1), "MALOTE_API_KEY to a key that may")
	listed := succeeds(t, server.with("keys", "list", "--tenant", "acme")...)
	require.Contains(t, listed, "shop")
	require.NotContains(t, listed, key)
	require.Contains(t, succeeds(t, server.with("keys", "revoke", field[string](t, made, "id"))...), "revoked")
	require.Contains(t, malote(t, "tenants", "list", "--server", server.url, "--api-key", "mlt_nonsense").fails(t, 1), "MALOTE_API_KEY")
}

func TestServe_StartsStopsAndSaysSo(t *testing.T) {
	t.Parallel()
	dir, address := t.TempDir(), freeAddress(t)
	serving := inBackground(t, "serve", "--database-url", pgtest.DSN(t), "--data-dir", dir, "--listen", address, "--log-format", "json")
	require.Eventually(t, func() bool { return strings.Contains(serving.stdout.String(), "ready at http://"+address) }, patience, 5*time.Millisecond)
	require.Contains(t, serving.stdout.String(), filepath.Join(dir, adminKeyFile))
	secretKey := filepath.Join(dir, secretKeyFile)
	require.Contains(t, serving.stdout.String(), secretKey+": back it up")
	kept, err := os.ReadFile(secretKey)
	require.NoError(t, err)
	response, err := http.Get("http://" + address + "/readyz")
	require.NoError(t, err)
	response.Body.Close()
	require.Equal(t, http.StatusOK, response.StatusCode)
	succeeds(t, "tenants", "list", "--server", "http://"+address, "--data-dir", dir)

	second := malote(t, "serve", "--database-url", "postgres://127.0.0.1:1/x", "--data-dir", dir, "--listen", address)
	require.Contains(t, second.fails(t, 1), "--listen")

	serving.stop()
	require.Zero(t, <-serving.done, serving.stderr.String())
	for _, line := range splitLines(serving.stderr.String()) {
		require.True(t, json.Valid([]byte(line)), "the log goes to standard error, in the format asked for: %s", line)
	}
	require.NotContains(t, serving.stdout.String()+serving.stderr.String(), strings.TrimSpace(string(kept)))
}

func TestServe_TakesTheKeysThatSealSecrets(t *testing.T) {
	t.Parallel()
	dir, dsn, key := t.TempDir(), pgtest.DSN(t), newKey()
	serve := []string{"serve", "--database-url", dsn, "--data-dir", dir, "--listen", freeAddress(t), "--role", "api"}
	given := append(serve, "--secret-key-file", file(t, "key", key.Reveal()))
	for range 2 {
		serving := inBackground(t, given...)
		require.Eventually(t, func() bool { return strings.Contains(serving.stdout.String(), "ready") }, patience, 5*time.Millisecond)
		require.NotContains(t, serving.stdout.String(), "seals secrets", "who gave it knows where it is")
		serving.stop()
		require.Zero(t, <-serving.done, serving.stderr.String())
	}
	require.NoFileExists(t, filepath.Join(dir, secretKeyFile))

	other := newKey().Reveal()
	refused := malote(t, append(serve, "--secret-key", other)...).fails(t, 1)
	require.Contains(t, refused, key.ID())
	require.NotContains(t, refused, other)
	serving := inBackground(t, append(serve, "--secret-key", other+","+key.Reveal())...)
	require.Eventually(t, func() bool { return strings.Contains(serving.stdout.String(), "ready") }, patience, 5*time.Millisecond, "the older one is enough")
}
