package walk

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/app"
	"github.com/malotehq/malote/internal/receiver"
	"github.com/malotehq/malote/internal/store/pgtest"
)

const (
	adminKey = "an-admin-key-for-tests-only-0001"
	operator = "ana@example.com"
	password = "correct horse battery"
)

// house is a Malote in this process, with a database of its own.
type house struct {
	t       *testing.T
	url     string
	welcome string // the first start's link
}

func newHouse(t *testing.T, change ...func(*app.Options)) *house {
	t.Helper()
	options := app.Options{
		DatabaseURL: pgtest.DSN(t), Listen: "127.0.0.1:0", AdminKey: adminKey,
		AllowDestinations: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
		Log:               slog.New(slog.DiscardHandler), HotConnections: 6,
	}
	for _, f := range change {
		f(&options)
	}
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
		return &house{t: t, url: info.BaseURL, welcome: info.WelcomeURL}
	case err := <-ended:
		ended <- err
		t.Fatalf("malote did not start: %v", err)
		return nil
	}
}

// on speaks for a subtest.
func (h *house) on(t *testing.T) *house { return &house{t: t, url: h.url, welcome: h.welcome} }

// call asks the API with the admin's key.
func (h *house) call(method, path string, body any) (status int, answer map[string]any) {
	h.t.Helper()
	var reader io.Reader = http.NoBody
	switch b := body.(type) {
	case nil:
	case string:
		reader = strings.NewReader(b)
	default:
		encoded, err := json.Marshal(b)
		require.NoError(h.t, err)
		reader = bytes.NewReader(encoded)
	}
	request, err := http.NewRequestWithContext(h.t.Context(), method, h.url+path, reader)
	require.NoError(h.t, err)
	request.Header.Set("Authorization", "Bearer "+adminKey)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	require.NoError(h.t, err)
	defer func() { require.NoError(h.t, response.Body.Close()) }()
	text, err := io.ReadAll(response.Body)
	require.NoError(h.t, err)
	if len(text) > 0 {
		require.NoError(h.t, json.Unmarshal(text, &answer), "%s %s: %s", method, path, text)
	}
	return response.StatusCode, answer
}

func (h *house) must(want int, method, path string, body any) map[string]any {
	h.t.Helper()
	status, answer := h.call(method, path, body)
	require.Equal(h.t, want, status, "%s %s: %v", method, path, answer)
	return answer
}

// make creates something, and gives its id.
func (h *house) make(path string, body any) string {
	h.t.Helper()
	id, is := h.must(http.StatusCreated, http.MethodPost, path, body)["id"].(string)
	require.True(h.t, is)
	return id
}

func (h *house) tenant(id, name string) {
	h.t.Helper()
	h.must(http.StatusCreated, http.MethodPost, "/v1/tenants", map[string]any{"id": id, "name": name})
}

func (h *house) endpoint(tenant, address string, more map[string]any) string {
	h.t.Helper()
	body := map[string]any{"tenant": tenant, "url": address}
	for name, value := range more {
		body[name] = value
	}
	return h.make("/v1/webhook_endpoints", body)
}

func (h *house) publish(tenant, eventType string, more map[string]any) string {
	h.t.Helper()
	body := map[string]any{"tenant": tenant, "type": eventType}
	if more["body_base64"] == nil {
		body["data"] = map[string]any{"order": "A-1001", "total": "129.90"}
	}
	for name, value := range more {
		body[name] = value
	}
	return h.must(http.StatusAccepted, http.MethodPost, "/v1/events", body)["id"].(string)
}

// list is a list of the API's, all of its pages: one may be short where the machine
// is busy.
func (h *house) list(path string, parameters ...string) []map[string]any {
	h.t.Helper()
	query := url.Values{"limit": {"250"}}
	for i := 0; i+1 < len(parameters); i += 2 {
		query.Set(parameters[i], parameters[i+1])
	}
	var rows []map[string]any
	for {
		page := h.must(http.StatusOK, http.MethodGet, path+"?"+query.Encode(), nil)
		for _, row := range page["data"].([]any) {
			rows = append(rows, row.(map[string]any))
		}
		next, more := page["next_cursor"].(string)
		if !more {
			return rows
		}
		query.Set("cursor", next)
	}
}

// await waits until there are as many deliveries of a tenant's in a state.
func (h *house) await(tenant, state string, want int) []map[string]any {
	h.t.Helper()
	var rows []map[string]any
	eventually(h.t, func() bool {
		rows = h.list("/v1/webhook_deliveries", "tenant", tenant, "state", state)
		return len(rows) == want
	}, "%d %s of %s", want, state, tenant)
	return rows
}

// takeOver uses the first start's link, without a browser.
func (h *house) takeOver() []*http.Cookie {
	h.t.Helper()
	return h.visit(h.welcome, url.Values{"name": {operator}, "password": {password}, "again": {password}})
}

// visit sends a form that opens a session, and gives its cookies.
func (h *house) visit(address string, form url.Values) []*http.Cookie {
	h.t.Helper()
	jar, err := cookiejar.New(nil)
	require.NoError(h.t, err)
	client := &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	request, err := http.NewRequestWithContext(h.t.Context(), http.MethodPost, address, strings.NewReader(form.Encode()))
	require.NoError(h.t, err)
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Origin", h.url)
	response, err := client.Do(request)
	require.NoError(h.t, err)
	require.NoError(h.t, response.Body.Close())
	require.Equal(h.t, http.StatusSeeOther, response.StatusCode)
	var session []*http.Cookie
	for _, cookie := range jar.Cookies(request.URL) {
		if !strings.Contains(cookie.Name, "notice") {
			session = append(session, cookie)
		}
	}
	return session
}

// tab opens one whose visitor is logged in as the administrator.
func (h *house) tab(session []*http.Cookie) *tab {
	h.t.Helper()
	b := newTab(h.t, h.url)
	b.be(session)
	return b
}

// playReceiver serves a receiver of a manner, and gives its address.
func playReceiver(t *testing.T, manner receiver.Manner) string {
	t.Helper()
	return serve(t, receiver.New(receiver.Options{Manner: manner}))
}

func serve(t *testing.T, handler http.Handler) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}
