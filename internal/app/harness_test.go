package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/app"
	"github.com/malotehq/malote/internal/seal"
	"github.com/malotehq/malote/internal/store/pgtest"
)

const adminKey = "an-admin-key-for-tests-only-0001"

// childVariable makes the test binary play `malote serve`, so that a test has a
// process of its own to kill.
const childVariable = "MALOTE_TEST_CHILD_DSN"

// outboxVariable makes that process one that only relays, from this outbox too.
const outboxVariable = "MALOTE_TEST_CHILD_OUTBOX"

func TestMain(m *testing.M) {
	if dsn := os.Getenv(childVariable); dsn != "" {
		os.Exit(child(dsn))
	}
	os.Exit(pgtest.Main(m))
}

var secretKey = func() seal.Key {
	key, err := seal.ParseKey("mlk_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=")
	if err != nil {
		panic(err)
	}
	return key
}()

func testOptions(dsn string) app.Options {
	return app.Options{
		DatabaseURL: dsn, Listen: "127.0.0.1:0", AdminKey: adminKey,
		AllowDestinations: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
		Log:               slog.New(slog.DiscardHandler), HotConnections: 6, SecretKeys: []seal.Key{secretKey},
	}
}

// child runs until it is killed, or until its parent is gone.
func child(dsn string) int {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	options := testOptions(dsn)
	if text := os.Getenv(outboxVariable); text != "" {
		name, address, _ := strings.Cut(text, "=")
		options.Outboxes = []app.Outbox{{Name: name, DSN: address}}
		options.Roles = []app.Role{app.RoleRelay}
	}
	err := app.Run(ctx, options, func(info app.Info) { fmt.Println(info.BaseURL) })
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// server is a Malote under test, in this process or in one of its own.
type server struct {
	t    *testing.T
	url  string
	info app.Info     // of one in this process
	stop func() error // and wait until it has
}

// start runs a Malote in this process.
func start(t *testing.T, options app.Options) *server {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ready, ended := make(chan app.Info, 1), make(chan error, 1)
	go func() { ended <- app.Run(ctx, options, func(info app.Info) { ready <- info }) }()
	stop := sync.OnceValue(func() error {
		cancel()
		return <-ended
	})
	t.Cleanup(func() { _ = stop() })
	select {
	case info := <-ready:
		return &server{t: t, url: info.BaseURL, info: info, stop: stop}
	case err := <-ended:
		ended <- err
		t.Fatalf("malote did not start: %v", err)
		return nil
	}
}

// startChild runs a Malote in a process of its own; kill is kill -9.
func startChild(t *testing.T, dsn string, outboxes ...string) (s *server, kill func()) {
	t.Helper()
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), childVariable+"="+dsn, outboxVariable+"="+strings.Join(outboxes, ""))
	command.Stderr = os.Stderr
	stdin, err := command.StdinPipe()
	require.NoError(t, err)
	stdout, err := command.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	kill = sync.OnceFunc(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
		_ = stdin.Close()
	})
	t.Cleanup(kill)
	var url string
	_, err = fmt.Fscanln(stdout, &url)
	require.NoError(t, err, "the child did not start")
	return &server{t: t, url: url}, kill
}

// call makes one request and decodes the answer into a map.
func (s *server) call(method, path string, body any) (status int, answer map[string]any) {
	s.t.Helper()
	status, answer, err := s.tryCall(http.DefaultClient, method, path, body)
	require.NoError(s.t, err)
	return status, answer
}

func (s *server) tryCall(client *http.Client, method, path string, body any) (int, map[string]any, error) {
	var reader io.Reader
	switch b := body.(type) {
	case nil:
	case string:
		reader = strings.NewReader(b)
	default:
		encoded, err := json.Marshal(b)
		if err != nil {
			return 0, nil, err
		}
		reader = bytes.NewReader(encoded)
	}
	request, err := http.NewRequest(method, s.url+path, reader)
	if err != nil {
		return 0, nil, err
	}
	request.Header.Set("Authorization", "Bearer "+adminKey)
	request.Header.Set("Content-Type", "application/json")
	response, err := client.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	answer := make(map[string]any)
	if response.StatusCode == http.StatusNoContent {
		return response.StatusCode, answer, nil
	}
	err = json.NewDecoder(response.Body).Decode(&answer)
	return response.StatusCode, answer, err
}

func (s *server) must(wantStatus int, method, path string, body any) map[string]any {
	s.t.Helper()
	status, answer := s.call(method, path, body)
	require.Equal(s.t, wantStatus, status, "%s %s: %v", method, path, answer)
	return answer
}

// endpoint makes a tenant if need be and an endpoint of it, and gives its answer.
func (s *server) endpoint(tenant, url string, more map[string]any) map[string]any {
	s.t.Helper()
	if status, _ := s.call("GET", "/v1/tenants/"+tenant, nil); status == http.StatusNotFound {
		s.must(201, "POST", "/v1/tenants", map[string]any{"id": tenant})
	}
	body := map[string]any{"tenant": tenant, "url": url}
	for k, v := range more {
		body[k] = v
	}
	return s.must(201, "POST", "/v1/webhook_endpoints", body)
}

// states counts a tenant's deliveries by state, through the API.
func (s *server) states(tenant string) map[string]int {
	s.t.Helper()
	counts, err := s.tryStates(tenant)
	require.NoError(s.t, err)
	return counts
}

func (s *server) tryStates(tenant string) (map[string]int, error) {
	counts := make(map[string]int)
	for cursor := ""; ; {
		status, page, err := s.tryCall(http.DefaultClient, "GET", "/v1/webhook_deliveries?limit=250&tenant="+tenant+"&cursor="+cursor, nil)
		if err != nil || status != http.StatusOK {
			return nil, fmt.Errorf("status %d: %v %w", status, page, err)
		}
		for _, row := range page["data"].([]any) {
			counts[row.(map[string]any)["state"].(string)]++
		}
		next, more := page["next_cursor"].(string)
		if !more {
			return counts, nil
		}
		cursor = next
	}
}

func (s *server) awaitStates(tenant string, want map[string]int) {
	s.t.Helper()
	require.EventuallyWithT(s.t, func(c *assert.CollectT) {
		counts, err := s.tryStates(tenant)
		require.NoError(c, err)
		require.Equal(c, want, counts)
	}, 30*time.Second, 50*time.Millisecond)
}

// ledger is a receiver that notes everything, as a court would want it.
type ledger struct {
	*httptest.Server
	mu       sync.Mutex
	requests []arrival
	now      map[string]int // requests under way, by path
	most     map[string]int
	answer   func(w http.ResponseWriter, r *http.Request)
}

type arrival struct {
	path, id, attempt string
	header            http.Header
	body              []byte
}

func newLedger(t *testing.T, answer http.HandlerFunc) *ledger {
	l := &ledger{now: make(map[string]int), most: make(map[string]int), answer: answer}
	l.Server = httptest.NewServer(http.HandlerFunc(l.note))
	t.Cleanup(l.Close)
	return l
}

func (l *ledger) note(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	l.mu.Lock()
	l.requests = append(l.requests, arrival{r.URL.Path, r.Header.Get("webhook-id"), r.Header.Get("webhook-attempt"), r.Header, body})
	l.now[r.URL.Path]++
	l.most[r.URL.Path] = max(l.most[r.URL.Path], l.now[r.URL.Path])
	l.mu.Unlock()
	// Counted as over before the answer leaves: what comes next may already be
	// on its way when the handler returns.
	over := sync.OnceFunc(func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.now[r.URL.Path]--
	})
	l.answer(&overWriter{w, over}, r)
	over()
}

type overWriter struct {
	http.ResponseWriter
	over func()
}

func (w *overWriter) WriteHeader(status int) {
	w.over()
	w.ResponseWriter.WriteHeader(status)
}

func (l *ledger) arrivals() []arrival {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]arrival(nil), l.requests...)
}

func noContent(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }
