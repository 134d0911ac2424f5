package app_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	official "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/app"
	"github.com/malotehq/malote/internal/store/pgtest"
)

func TestEndToEnd_BytesAndSignatureHold(t *testing.T) {
	t.Parallel()
	receiver := newLedger(t, noContent)
	s := start(t, testOptions(pgtest.DSN(t)))
	endpoint := s.endpoint("acme", receiver.URL+"/hook", nil)

	data := `{ "b":1.0,"a":"\u0000\ud83e\uddf5", "big":12345678901234567890,"b":2 }`
	event := s.must(202, "POST", "/v1/events", `{"tenant":"acme","type":"invoice.paid","data":`+data+`}`)
	own := []byte("\x00\xff not JSON at all")
	s.must(202, "POST", "/v1/events", map[string]any{"tenant": "acme", "type": "raw", "content_type": "application/octet-stream",
		"body_base64": base64.StdEncoding.EncodeToString(own)})
	s.awaitStates("acme", map[string]int{"delivered": 2})

	verifier, err := official.NewWebhook(endpoint["secret"].(string))
	require.NoError(t, err)
	for _, got := range receiver.arrivals() {
		require.NoError(t, verifier.Verify(got.body, got.header), "the official library must agree")
		if got.id == event["id"] {
			require.Contains(t, string(got.body), `"data":`+data+`}`, "the publisher's bytes, untouched")
		} else {
			require.Equal(t, own, got.body)
			require.Equal(t, "application/octet-stream", got.header.Get("Content-Type"))
		}
	}
}

func TestG01_IdenticalPublishesAtOnceAreOneEvent(t *testing.T) {
	t.Parallel()
	receiver := newLedger(t, noContent)
	dsn := pgtest.DSN(t)
	servers := []*server{start(t, testOptions(dsn)), start(t, testOptions(dsn))}
	for i := range 3 {
		servers[0].endpoint("acme", fmt.Sprintf("%s/%d", receiver.URL, i), nil)
	}
	const publishers = 24
	for round := range 5 {
		ids, duplicates := publishAtOnce(t, servers, publishers, fmt.Sprintf("key-%d", round))
		require.Len(t, ids, 1, "one event")
		require.Equal(t, publishers-1, duplicates)
	}
	servers[0].awaitStates("acme", map[string]int{"delivered": 15})
	require.Len(t, receiver.arrivals(), 15)

	status, answer := servers[0].call("POST", "/v1/events", `{"tenant":"acme","type":"a","idempotency_key":"key-0","data":2}`)
	require.Equal(t, 409, status)
	require.Equal(t, "idempotency_key_reused", answer["code"])
}

// publishAtOnce sends the same event over connections of their own, all let go
// in the same instant.
func publishAtOnce(t *testing.T, servers []*server, publishers int, key string) (ids map[string]bool, duplicates int) {
	t.Helper()
	var mu sync.Mutex
	ids = make(map[string]bool)
	ready, begin := sync.WaitGroup{}, make(chan struct{})
	var all sync.WaitGroup
	for p := range publishers {
		ready.Add(1)
		all.Go(func() {
			client := &http.Client{Transport: &http.Transport{}}
			defer client.CloseIdleConnections()
			s := servers[p%len(servers)]
			_, _, err := s.tryCall(client, "GET", "/healthz", nil) // connected before the start
			assert.NoError(t, err)
			ready.Done()
			<-begin
			status, answer, err := s.tryCall(client, "POST", "/v1/events",
				`{"tenant":"acme","type":"a","idempotency_key":"`+key+`","data":1}`)
			if assert.NoError(t, err) && assert.Equal(t, 202, status, answer) {
				mu.Lock()
				defer mu.Unlock()
				ids[answer["id"].(string)] = true
				if answer["duplicate"].(bool) {
					duplicates++
				}
			}
		})
	}
	ready.Wait()
	close(begin)
	all.Wait()
	return ids, duplicates
}

// allHaveAnswered makes every endpoint one that may have more than one delivery in
// flight, as if each had answered before.
func allHaveAnswered(t *testing.T, dsn string) {
	t.Helper()
	_, err := pgtest.OpenDSN(t, dsn).Pool().Exec(t.Context(), `UPDATE malote.lanes SET standing = 'trusted'`)
	require.NoError(t, err)
}

func TestFairQueue_F03_TwoProcessesNeverSendFiveAtOnce(t *testing.T) {
	t.Parallel()
	const endpoints, each, limit = 40, 12, 4
	crowd := newCrowd(limit)
	receiver := newLedger(t, crowd.answer)
	dsn := pgtest.DSN(t)
	options := testOptions(dsn)
	options.MaxInFlight = 4 * endpoints * limit // the endpoints' own limits are what holds
	servers := []*server{start(t, options), start(t, options)}
	for i := range endpoints {
		servers[0].endpoint("acme", fmt.Sprintf("%s/%d", receiver.URL, i), map[string]any{"max_in_flight": limit, "policy": "fair-queue"})
	}
	allHaveAnswered(t, dsn)
	for i := range each {
		servers[i%2].must(202, "POST", "/v1/events", `{"tenant":"acme","type":"a","data":1}`)
	}
	servers[0].awaitStates("acme", map[string]int{"delivered": endpoints * each})
	require.Len(t, receiver.most, endpoints)
	for path, most := range receiver.most {
		require.Equal(t, limit, most, "%s: the limit must be reached, or nothing is proven, and never passed", path)
	}
}

// crowd lets the first requests of a path wait until as many are there as may
// be, and a moment longer: long enough for one more to come in, if one is sent.
type crowd struct {
	size int
	mu   sync.Mutex
	here map[string]int
	full map[string]chan struct{}
}

func newCrowd(size int) *crowd {
	return &crowd{size: size, here: make(map[string]int), full: make(map[string]chan struct{})}
}

func (c *crowd) enter(path string) <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.full[path] == nil {
		c.full[path] = make(chan struct{})
	}
	if c.here[path]++; c.here[path] == c.size {
		close(c.full[path])
	}
	return c.full[path]
}

func (c *crowd) answer(w http.ResponseWriter, r *http.Request) {
	select {
	case <-c.enter(r.URL.Path): // enough have come, at once or by and by
	case <-r.Context().Done():
	case <-time.After(3 * time.Second): // less than the deadline; the test fails then
	}
	select {
	case <-r.Context().Done():
	case <-time.After(20 * time.Millisecond):
	}
	w.WriteHeader(http.StatusNoContent)
}

func TestI7_NothingIsHeldDuringARequest(t *testing.T) {
	t.Parallel()
	arrived, release := make(chan struct{}), make(chan struct{})
	receiver := newLedger(t, func(w http.ResponseWriter, _ *http.Request) {
		arrived <- struct{}{}
		<-release
		w.WriteHeader(http.StatusNoContent)
	})
	dsn := pgtest.DSN(t)
	s := start(t, testOptions(dsn))
	s.endpoint("acme", receiver.URL, nil)
	s.must(202, "POST", "/v1/events", `{"tenant":"acme","type":"a","data":1}`)
	<-arrived
	watcher := pgtest.OpenDSN(t, dsn)
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		var open int
		err := watcher.Pool().QueryRow(t.Context(), `SELECT count(*)::int FROM pg_stat_activity
			WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL
			AND backend_type = 'client backend'`).Scan(&open)
		require.NoError(c, err)
		require.Zero(c, open, "a transaction is open while a request is under way")
	}, 5*time.Second, 10*time.Millisecond)
	close(release)
	s.awaitStates("acme", map[string]int{"delivered": 1})
}

func TestDrain_FinishesWhatIsInFlight(t *testing.T) {
	t.Parallel()
	arrived, release := make(chan struct{}, 10), make(chan struct{})
	receiver := newLedger(t, func(w http.ResponseWriter, _ *http.Request) {
		arrived <- struct{}{}
		<-release
		w.WriteHeader(http.StatusNoContent)
	})
	dsn := pgtest.DSN(t)
	s := start(t, testOptions(dsn))
	s.endpoint("acme", receiver.URL, map[string]any{"max_in_flight": 2})
	allHaveAnswered(t, dsn)
	for range 5 {
		s.must(202, "POST", "/v1/events", `{"tenant":"acme","type":"a","data":1}`)
	}
	<-arrived
	<-arrived
	stopped := make(chan error, 1)
	go func() { stopped <- s.stop() }()
	select {
	case <-stopped:
		t.Fatal("it stopped while requests were under way")
	case <-time.After(100 * time.Millisecond):
	}
	close(release)
	require.NoError(t, <-stopped)
	require.Len(t, receiver.arrivals(), 2, "no new request after the stop began")

	next := start(t, testOptions(dsn))
	next.awaitStates("acme", map[string]int{"delivered": 5})
	require.Len(t, receiver.arrivals(), 5, "what was delivered is not sent again, what was not is")
}

func TestDrain_HandsBackWhatDoesNotEnd(t *testing.T) {
	t.Parallel()
	hang := newLedger(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	dsn := pgtest.DSN(t)
	options := testOptions(dsn)
	options.DrainTimeout = 100 * time.Millisecond
	s := start(t, options)
	s.endpoint("acme", hang.URL, nil)
	s.must(202, "POST", "/v1/events", `{"tenant":"acme","type":"a","data":1}`)
	require.Eventually(t, func() bool { return len(hang.arrivals()) == 1 }, 10*time.Second, 10*time.Millisecond)
	require.NoError(t, s.stop())

	api := testOptions(dsn)
	api.Roles = []app.Role{app.RoleAPI}
	start(t, api).awaitStates("acme", map[string]int{"pending": 1})
}

func TestStart_SaysInOneLineWhyItCannot(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	options := testOptions(pgtest.DSN(t))
	options.Listen = taken.Addr().String()
	err = app.Run(t.Context(), options, func(app.Info) { t.Error("it started") })
	require.ErrorContains(t, err, "--listen")

	options = testOptions("postgres://nobody@127.0.0.1:1/none?connect_timeout=1")
	err = app.Run(t.Context(), options, func(app.Info) { t.Error("it started") })
	require.Error(t, err)

	options.AdminKey = "short"
	require.ErrorContains(t, app.Run(t.Context(), options, nil), "MALOTE_ADMIN_KEY")
}

func TestHistory_AnswersWhatHappened(t *testing.T) {
	t.Parallel()
	receiver := newLedger(t, func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no such order", http.StatusGone) })
	s := start(t, testOptions(pgtest.DSN(t)))
	endpoint := s.endpoint("acme", receiver.URL, nil)
	event := s.must(202, "POST", "/v1/events", `{"tenant":"acme","type":"a","data":1}`)
	s.awaitStates("acme", map[string]int{"dead": 1})
	list := s.must(200, "GET", fmt.Sprintf("/v1/webhook_deliveries?event=%s", event["id"]), nil)
	row := list["data"].([]any)[0].(map[string]any)
	require.Equal(t, "gone", row["dead_reason"])

	one := s.must(200, "GET", "/v1/webhook_deliveries/"+row["id"].(string), nil)
	attempt := one["attempts"].([]any)[0].(map[string]any)
	require.EqualValues(t, 410, attempt["response_status"])
	require.Equal(t, "http_status", attempt["error_code"])
	require.Contains(t, attempt["response_body"], "no such order")

	// S03: the endpoint is disabled, and what comes now is recorded as skipped.
	now := s.must(200, "GET", "/v1/webhook_endpoints/"+endpoint["id"].(string), nil)
	require.Equal(t, "disabled_by_system", now["status"])
	skipped := s.must(202, "POST", "/v1/events", `{"tenant":"acme","type":"a","data":2}`)
	require.EqualValues(t, 1, skipped["skipped"])

	// Enabled again, the dead delivery is replayed: the same event, a new attempt.
	receiver.mu.Lock()
	receiver.answer = noContent
	receiver.mu.Unlock()
	s.must(200, "POST", "/v1/webhook_endpoints/"+endpoint["id"].(string)+"/enable", nil)
	s.must(202, "POST", "/v1/webhook_deliveries/"+row["id"].(string)+"/replay", nil)
	s.awaitStates("acme", map[string]int{"delivered": 1, "skipped": 1})
	last := receiver.arrivals()[1]
	require.Equal(t, event["id"], last.id)
	require.Equal(t, "2", last.attempt)
	require.Equal(t, "replay", last.header.Get("webhook-trigger"))
	require.Equal(t, receiver.arrivals()[0].body, last.body, "D10: the same bytes")
}

func TestTest_SendsOneNow(t *testing.T) {
	t.Parallel()
	receiver := newLedger(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	s := start(t, testOptions(pgtest.DSN(t)))
	endpoint := s.endpoint("acme", receiver.URL, map[string]any{"event_types": []string{"something.else"}})
	answer := s.must(200, "POST", "/v1/webhook_endpoints/"+endpoint["id"].(string)+"/test", nil)
	require.EqualValues(t, 418, answer["attempt"].(map[string]any)["response_status"])
	s.awaitStates("acme", map[string]int{"dead": 1})
	require.Equal(t, "test", receiver.arrivals()[0].header.Get("webhook-trigger"))
	var body map[string]any
	require.NoError(t, json.Unmarshal(receiver.arrivals()[0].body, &body))
	require.Equal(t, "malote.test", body["type"])
}

func TestTest_SaysThatItWaits(t *testing.T) {
	t.Parallel()
	options := testOptions(pgtest.DSN(t))
	options.Roles = []app.Role{app.RoleAPI} // so that nobody sends it
	s := start(t, options)
	s.must(201, "POST", "/v1/policies", map[string]any{"yaml": "name: hasty\ndeadline: 100ms\nschedule: {kind: table, waits: [1m], then: end}\n"})
	endpoint := s.endpoint("acme", "http://127.0.0.1:1/", map[string]any{"policy": "hasty"})
	status, answer := s.call("POST", "/v1/webhook_endpoints/"+endpoint["id"].(string)+"/test", nil)
	require.Equal(t, 409, status, answer)
	require.Equal(t, "webhook_endpoint_busy", answer["code"])
	s.awaitStates("acme", map[string]int{"pending": 1})
}
