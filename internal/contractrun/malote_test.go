package contractrun

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/app"
)

// patience is how long a test waits for what must happen. It only matters where
// that does not happen.
const patience = 60 * time.Second

// malote is a Malote in this process, spoken to as its users do.
type malote struct {
	t    *testing.T
	url  string
	stop func() error // and wait until it has
}

func start(t *testing.T, options app.Options) *malote {
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
		return &malote{t: t, url: info.BaseURL, stop: stop}
	case err := <-ended:
		ended <- err
		t.Fatalf("malote did not start: %v", err)
		return nil
	}
}

// on speaks for a subtest.
func (m *malote) on(t *testing.T) *malote { return &malote{t: t, url: m.url, stop: m.stop} }

// call makes a request with a JSON body, which may be text already, and decodes
// the answer where one is wanted.
func (m *malote) call(method, path string, body, answer any) (status int, text string, err error) {
	var reader io.Reader
	switch b := body.(type) {
	case nil:
	case string:
		reader = strings.NewReader(b)
	default:
		encoded, err := json.Marshal(b)
		if err != nil {
			return 0, "", err
		}
		reader = bytes.NewReader(encoded)
	}
	request, err := http.NewRequestWithContext(m.t.Context(), method, m.url+path, reader)
	if err != nil {
		return 0, "", err
	}
	request.Header.Set("Authorization", "Bearer "+adminKey)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, "", err
	}
	defer response.Body.Close()
	read, err := io.ReadAll(response.Body)
	if err == nil && answer != nil && response.StatusCode < 300 {
		err = json.Unmarshal(read, answer)
	}
	return response.StatusCode, string(read), err
}

func (m *malote) must(want int, method, path string, body, answer any) {
	m.t.Helper()
	status, text, err := m.call(method, path, body, answer)
	require.NoError(m.t, err)
	require.Equal(m.t, want, status, "%s %s: %s", method, path, text)
}

// refused makes a request that must fail, and gives the problem's code.
func (m *malote) refused(want int, method, path string, body any) (code string) {
	m.t.Helper()
	status, text, err := m.call(method, path, body, nil)
	require.NoError(m.t, err)
	require.Equal(m.t, want, status, "%s %s: %s", method, path, text)
	var problem struct{ Code string }
	require.NoError(m.t, json.Unmarshal([]byte(text), &problem))
	return problem.Code
}

type endpoint struct {
	ID             string `json:"id"`
	URL            string `json:"url"`
	Secret         string `json:"secret"`
	Status         string `json:"status"`
	DisabledReason string `json:"disabled_reason"`

	ConsecutiveFailures int       `json:"consecutive_failures"`
	LastSuccessAt       time.Time `json:"last_success_at"`
	LastFailureAt       time.Time `json:"last_failure_at"`
	PausedUntil         time.Time `json:"paused_until"`
	Pending             int       `json:"pending"`
	ReplayedCount       *int      `json:"replayed_count"`
}

const tenant = "acme"

func (m *malote) makeTenant() {
	m.t.Helper()
	m.must(201, "POST", "/v1/tenants", map[string]any{"id": tenant}, nil)
}

func (m *malote) makeEndpoint(url, policy string, more map[string]any) (made endpoint) {
	m.t.Helper()
	body := map[string]any{"tenant": tenant, "url": url, "policy": policy}
	for name, value := range more {
		body[name] = value
	}
	m.must(201, "POST", "/v1/webhook_endpoints", body, &made)
	return made
}

func (m *malote) endpoint(id string) (found endpoint) {
	m.t.Helper()
	m.must(200, "GET", "/v1/webhook_endpoints/"+id, nil, &found)
	return found
}

type published struct {
	ID         string `json:"id"`
	Deliveries int    `json:"deliveries"`
	Skipped    int    `json:"skipped"`
}

const (
	eventType  = "invoice.paid"
	occurredAt = "2026-03-01T12:00:00.000Z"
	// eventData does not survive being decoded and encoded again.
	eventData = `{ "total":1.0,"n":12345678901234567890, "z":"\u0000é","n":2 }`
)

// publish publishes one event, to the endpoints named or to all.
func (m *malote) publish(endpoints ...string) (event published) {
	m.t.Helper()
	narrowed := ""
	if len(endpoints) > 0 {
		narrowed = `,"endpoint_ids":["` + strings.Join(endpoints, `","`) + `"]`
	}
	m.must(202, "POST", "/v1/events", `{"tenant":"`+tenant+`","type":"`+eventType+`","occurred_at":"`+occurredAt+`"`+
		narrowed+`,"data":`+eventData+`}`, &event)
	return event
}

type delivery struct {
	ID           string    `json:"id"`
	EventID      string    `json:"event_id"`
	EndpointID   string    `json:"endpoint_id"`
	State        string    `json:"state"`
	DeadReason   string    `json:"dead_reason"`
	SkipReason   string    `json:"skip_reason"`
	Resolution   string    `json:"resolution"`
	Trigger      string    `json:"trigger"`
	AttemptCount int       `json:"attempt_count"`
	NextAttempt  time.Time `json:"next_attempt_at"`
	LastStatus   int       `json:"last_response_status"`
	LastError    string    `json:"last_error_code"`
	CreatedAt    time.Time `json:"created_at"`
	Attempts     []attempt `json:"attempts"`
}

func (d delivery) open() bool { return d.State == "pending" || d.State == "sending" }

type attempt struct {
	Number      int       `json:"number"`
	Trigger     string    `json:"trigger"`
	ScheduledAt time.Time `json:"scheduled_at"`
	StartedAt   time.Time `json:"started_at"`
	DurationMS  int64     `json:"duration_ms"`
	Status      int       `json:"response_status"`
	ErrorCode   string    `json:"error_code"`
	Error       string    `json:"error"`
	Response    *string   `json:"response_body"`
}

func (a attempt) endedAt() time.Time {
	return a.StartedAt.Add(time.Duration(a.DurationMS) * time.Millisecond)
}

// deliveries lists what a query finds.
func (m *malote) deliveries(query string) ([]delivery, error) {
	return m.list("/v1/webhook_deliveries?" + query)
}

// deliveriesTo lists what a query finds of an endpoint.
func (m *malote) deliveriesTo(endpoint, query string) []delivery {
	m.t.Helper()
	found, err := m.list("/v1/webhook_endpoints/" + endpoint + "/deliveries?" + query)
	require.NoError(m.t, err)
	return found
}

// list reads to the last page: one before it may be short, or empty, where the
// machine is busy.
func (m *malote) list(path string) (found []delivery, err error) {
	for cursor := ""; ; {
		var page struct {
			Data []delivery
			Next *string `json:"next_cursor"`
		}
		status, text, err := m.call("GET", path+"&limit=250&cursor="+cursor, nil, &page)
		if err == nil && status != http.StatusOK {
			err = fmt.Errorf("GET %s: %d %s", path, status, text)
		}
		if err != nil {
			return nil, err
		}
		found = append(found, page.Data...)
		if page.Next == nil {
			return found, nil
		}
		cursor = *page.Next
	}
}

func (m *malote) delivery(id string) (found delivery) {
	m.t.Helper()
	m.must(200, "GET", "/v1/webhook_deliveries/"+id, nil, &found)
	return found
}

// await waits until the deliveries that a query finds satisfy the condition,
// and gives them.
func (m *malote) await(query, what string, condition func([]delivery) bool) (found []delivery) {
	m.t.Helper()
	require.EventuallyWithT(m.t, func(c *assert.CollectT) {
		list, err := m.deliveries(query)
		require.NoError(c, err)
		require.True(c, condition(list), "%s: %+v", what, list)
		found = list
	}, patience, 100*time.Millisecond)
	return found
}

// awaitClosed waits until nothing that a query finds is open, and gives the
// deliveries with their attempts.
func (m *malote) awaitClosed(query string) []delivery {
	m.t.Helper()
	found := m.await(query, "all closed", func(list []delivery) bool {
		for _, d := range list {
			if d.open() {
				return false
			}
		}
		return len(list) > 0
	})
	for i := range found {
		found[i] = m.delivery(found[i].ID)
	}
	return found
}

// awaitDelivery waits for one delivery to be closed.
func (m *malote) awaitDelivery(id string) (found delivery) {
	m.t.Helper()
	require.Eventually(m.t, func() bool {
		found = delivery{} // null does not overwrite
		status, _, err := m.call("GET", "/v1/webhook_deliveries/"+id, nil, &found)
		return err == nil && status == http.StatusOK && !found.open()
	}, patience, 20*time.Millisecond)
	return found
}

// awaitOne waits for an event's only delivery to be closed.
func (m *malote) awaitOne(event published) delivery {
	m.t.Helper()
	found := m.awaitClosed("event=" + event.ID)
	require.Len(m.t, found, 1)
	return found[0]
}
