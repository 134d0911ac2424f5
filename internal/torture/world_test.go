//go:build linux

package torture_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/localpg"
	"github.com/malotehq/malote/internal/torture"
	"github.com/malotehq/malote/webhook"
)

const (
	tenant         = "acme"
	adminKey       = "an-admin-key-for-tests-only-0001"
	secretKey      = "mlk_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
	providerSecret = "it is a secret between the two of us"

	deadline = time.Second
	lease    = 12 * time.Second // the shortest that the deadline allows, in whole seconds
)

// patience is for what must happen, on a machine with other things to do.
var patience = durationFrom("MALOTE_TORTURE_PATIENCE", 2*time.Minute)

// policy is as hasty as a policy may be: a run has little time.
const policy = `name: torture
deadline: 1s
lease: 12s
max_in_flight: 4
success: [2xx]
schedule:
  kind: table
  waits: [200ms, 400ms, 1s]
  then: repeat
  jitter: {kind: percent, percent: 20}
  minimum_wait: 100ms
retry_after: {on: [any], cap: 2s}
give_up: {attempts: 90}
circuit: {kind: half_open, failures: 15, pause: 1s, max_pause: 2s}
headers: {id: webhook-id, timestamp: webhook-timestamp, signature: webhook-signature, attempt: webhook-attempt}
signature: {scheme: standard-webhooks}
envelope: {type: type, timestamp: occurred_at, data: data}
`

// world is everything that a run consists of.
type world struct {
	t              *testing.T
	dir            string
	binary, skewed string
	database       *localpg.Server
	receivers      *receivers
	secure         *secureReceiver

	api, ingest *process
	processes   map[string]*process
	names       []string // of processes
	workers     []string
	shopProxy   *proxy
	shop        string // the application's way to the database
	source      string // path of the inbound door
	named       string // id of the endpoint whose name fails at times

	server   sync.Mutex // held while PostgreSQL is being hurt
	crashes  []torture.Span
	duration time.Duration // of the publishing in a run; 0 in a soak, which is never quiet

	mu      sync.Mutex
	resumes []time.Duration
}

func newWorld(t *testing.T, seed uint64, binary, skewed string) *world {
	t.Helper()
	dir, err := os.MkdirTemp("", "malote-torture-")
	require.NoError(t, err)
	require.NoError(t, os.Chmod(dir, 0o755)) // PostgreSQL's account passes through
	w := &world{t: t, dir: dir, binary: binary, skewed: skewed, processes: make(map[string]*process)}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("logs of the processes are in %s", dir)
			return
		}
		_ = os.RemoveAll(dir)
	})
	w.startDatabase()
	t.Cleanup(func() { _ = w.database.Stop(context.Background()) })
	w.receivers = newReceivers(t, seed)
	w.secure = newSecureReceiver(t, w.receivers, dir)
	w.shopProxy = newProxy(t, w.database.URL())
	w.shop = w.shopProxy.url(t, w.database.URL())
	w.start("api", "api").awaitReady(t) // it makes the schema
	// The relay delivers, too: new work reaches it on the way that it takes within a process.
	for name, role := range map[string]string{"worker-1": "worker", "worker-2": "worker", "ingest": "ingest", "relay": "relay,worker"} {
		w.start(name, role)
	}
	for _, p := range w.processes {
		p.awaitReady(t)
	}
	w.api, w.ingest = w.processes["api"], w.processes["ingest"]
	w.names, w.workers = []string{"api", "ingest", "relay", "worker-1", "worker-2"}, []string{"worker-1", "worker-2"}
	w.furnish()
	return w
}

func (w *world) start(name, role string) *process {
	w.processes[name] = w.startProcess(name, role)
	return w.processes[name]
}

func (w *world) startDatabase() {
	var err error
	w.database, err = localpg.Start(context.Background(), localpg.Options{DataDir: filepath.Join(w.dir, "database")})
	require.NoError(w.t, err)
}

// furnish makes the tenant, the endpoints, the source and the application's table.
func (w *world) furnish() {
	w.must("POST", "/v1/tenants", map[string]any{"id": tenant})
	w.must("POST", "/v1/policies", map[string]any{"yaml": policy})
	made := w.must("POST", "/v1/sources", map[string]any{
		"tenant": tenant, "name": "hub", "provider": "github", "secrets": []string{providerSecret},
	})
	w.source = "/in/" + made["id"].(string)
	for _, r := range []*receiver{
		{Endpoint: torture.Endpoint{Name: "plain", Limit: 4, Types: []string{fact, rare, ordered, state, push, order}}, slow: 30 * time.Millisecond, rude: 0.1},
		{Endpoint: torture.Endpoint{Name: "wide", Limit: 50, Types: []string{bulk}}, slow: 4 * time.Millisecond, rude: 0.01},
		{Endpoint: torture.Endpoint{Name: "busy", Limit: 2, Types: []string{fact}}, slow: 60 * time.Millisecond, rude: 0.1},
		{Endpoint: torture.Endpoint{Name: "slow", Limit: 2, Types: []string{rare}}, slow: 800 * time.Millisecond, rude: 0.15},
		{Endpoint: torture.Endpoint{Name: "fifo", Limit: 4, FIFO: true, Types: []string{ordered}}, slow: 30 * time.Millisecond, rude: 0.1},
		{Endpoint: torture.Endpoint{Name: "once", Limit: 4, AtMostOnce: true, Types: []string{fact, push}}, slow: 100 * time.Millisecond, rude: 0.1},
		{Endpoint: torture.Endpoint{Name: "secure", Limit: 4, Types: []string{fact}}, slow: 30 * time.Millisecond, rude: 0.05},
		{Endpoint: torture.Endpoint{Name: "named", Limit: 4, Types: []string{fact}}, slow: 30 * time.Millisecond, rude: 0.05},
		{Endpoint: torture.Endpoint{Name: "states", Limit: 3, Types: []string{state, order}}, slow: 200 * time.Millisecond, rude: 0.2},
		// Only the relay has something for it: nobody else's wake-up hides one that is not given.
		{Endpoint: torture.Endpoint{Name: "orders", Limit: 3, Types: []string{order}}, slow: 20 * time.Millisecond, rude: 0.05},
	} {
		w.register(r)
	}
	conn, err := pgx.Connect(w.t.Context(), w.database.URL())
	require.NoError(w.t, err)
	defer conn.Close(context.Background()) //nolint:errcheck // what it did is done
	_, err = conn.Exec(w.t.Context(), `CREATE TABLE public.orders (id text PRIMARY KEY)`)
	require.NoError(w.t, err)
}

func (w *world) address(name string) string {
	if name == "secure" {
		return "https://" + w.secure.listener.Addr().String() + "/" + name
	}
	return "http://" + w.receivers.listener.Addr().String() + "/" + name
}

func (w *world) register(r *receiver) {
	types := r.Types
	if types == nil {
		types = []string{}
	}
	made := w.must("POST", "/v1/webhook_endpoints", map[string]any{
		"tenant": tenant, "url": w.address(r.Name), "policy": "torture", "event_types": types,
		"max_in_flight": r.Limit, "fifo": r.FIFO, "at_most_once": r.AtMostOnce,
	})
	r.ID = made["id"].(string)
	secret, err := webhook.ParseSecret(made["secret"].(string))
	require.NoError(w.t, err)
	r.verifier, err = webhook.NewVerifier([]webhook.Secret{secret})
	require.NoError(w.t, err)
	w.receivers.mu.Lock()
	w.receivers.byName[r.Name] = r
	w.receivers.mu.Unlock()
	if r.Name == "named" {
		w.named = r.ID
	}
}

// must calls the API until it answers with a success.
func (w *world) must(method, path string, body any) map[string]any {
	w.t.Helper()
	for until := time.Now().Add(patience); ; wait(w.t.Context(), 100*time.Millisecond) {
		answer, err := w.call(method, path, body)
		if err == nil {
			return answer
		}
		require.True(w.t, time.Now().Before(until), "%v", err)
	}
}

func (w *world) call(method, path string, body any) (map[string]any, error) {
	encoded, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequest(method, w.processes["api"].url+path, bytes.NewReader(encoded))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+adminKey)
	request.Header.Set("Content-Type", "application/json")
	response, err := (&http.Client{Timeout: 10 * time.Second}).Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode >= 300 {
		return nil, fmt.Errorf("%s %s: %d %.300s", method, path, response.StatusCode, text)
	}
	answer := make(map[string]any)
	if len(text) == 0 {
		return answer, nil
	}
	return answer, json.Unmarshal(text, &answer)
}

// heal undoes what faults may have left.
func (w *world) heal() {
	w.receivers.polite.Store(true)
	w.secure.fault.Store(0)
	for _, p := range w.processes {
		p.proxy.mend()
	}
	w.shopProxy.mend()
	for _, p := range w.processes {
		p.awaitReady(w.t)
	}
}

// stranded is how many lanes the sweeps had to wake, of whoever delivers.
func (w *world) stranded() (n int) {
	for _, name := range append([]string{"relay"}, w.workers...) {
		response, err := http.Get(w.processes[name].url + "/metrics")
		require.NoError(w.t, err)
		text, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		require.NoError(w.t, err)
		_, after, found := strings.Cut(string(text), "\nmalote_stranded_lanes_total ")
		require.True(w.t, found, "the metric is gone")
		var value int
		_, err = fmt.Sscan(after, &value)
		require.NoError(w.t, err)
		n += value
	}
	return n
}
