package app_test

import (
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/store/pgtest"
	"github.com/malotehq/malote/webhook"
)

// visitor is somebody with a browser that runs no scripts.
type visitor struct {
	t      *testing.T
	server *server
	client *http.Client
	page   string // the last that was shown
	path   string // its address
}

// firstVisitor is the first administrator, logged in.
func firstVisitor(t *testing.T, s *server) *visitor {
	t.Helper()
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	v := &visitor{t: t, server: s, client: &http.Client{Jar: jar}}
	link, err := url.Parse(s.info.WelcomeURL)
	require.NoError(t, err)
	const password = "correct horse battery"
	status := v.post(link.Path, url.Values{"name": {"ana@example.com"}, "password": {password}, "again": {password}})
	require.Equal(t, http.StatusOK, status, v.page)
	return v
}

func (v *visitor) send(r *http.Request) int {
	v.t.Helper()
	response, err := v.client.Do(r)
	require.NoError(v.t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(v.t, err)
	v.page, v.path = html.UnescapeString(string(body)), response.Request.URL.RequestURI()
	return response.StatusCode
}

func (v *visitor) get(path string) int {
	v.t.Helper()
	r, err := http.NewRequestWithContext(v.t.Context(), http.MethodGet, v.server.url+path, http.NoBody)
	require.NoError(v.t, err)
	return v.send(r)
}

func (v *visitor) post(path string, fields url.Values) int {
	v.t.Helper()
	r, err := http.NewRequestWithContext(v.t.Context(), http.MethodPost, v.server.url+path, strings.NewReader(fields.Encode()))
	require.NoError(v.t, err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", v.server.url)
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	return v.send(r)
}

var hiddenField = regexp.MustCompile(`<input type="hidden" name="([^"]+)" value="([^"]*)"`)

// fill sends the form that a page has for an action, with what it hides.
func (v *visitor) fill(page, action string, fields url.Values) int {
	v.t.Helper()
	require.Equal(v.t, http.StatusOK, v.get(page), page)
	return v.post(action, v.filled(action, fields))
}

// filled are the fields of the shown page's form for an action.
func (v *visitor) filled(action string, fields url.Values) url.Values {
	v.t.Helper()
	_, form, found := strings.Cut(v.page, `action="`+action+`"`)
	require.True(v.t, found, "the page has no form for %s", action)
	form, _, _ = strings.Cut(form, "</form>")
	all := url.Values{}
	for _, field := range hiddenField.FindAllStringSubmatch(form, -1) {
		all.Add(field[1], field[2])
	}
	for name, values := range fields {
		all[name] = values
	}
	return all
}

func TestDashboard_AnEndpointsLife(t *testing.T) {
	t.Parallel()
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }))
	t.Cleanup(receiver.Close)
	s := start(t, testOptions(pgtest.DSN(t)))
	s.must(201, "POST", "/v1/tenants", map[string]any{"id": "acme"})
	v := firstVisitor(t, s)

	// What is wrong stands beside its field, and what was written stays.
	status := v.fill("/endpoints/new", "/endpoints/new", url.Values{"tenant": {"acme"}, "url": {"http://10.0.0.1/"}, "description": {"mine & yours"}})
	require.Equal(t, http.StatusUnprocessableEntity, status)
	require.Regexp(t, `id="e-url"`, v.page)
	require.Contains(t, v.page, `value="mine & yours"`)

	// The secret is shown once: the same form sent again shows none.
	fields := v.filled("/endpoints/new", url.Values{"tenant": {"acme"}, "url": {receiver.URL}, "event_types": {"invoice.*"}})
	require.Equal(t, http.StatusCreated, v.post("/endpoints/new", fields))
	secret := regexp.MustCompile(`whsec_[A-Za-z0-9+/=]{20,}`)
	_, err := webhook.ParseSecret(secret.FindString(v.page))
	require.NoError(t, err)
	id := regexp.MustCompile(`whe_\w+`).FindString(v.page)
	one := "/endpoints/" + id
	require.Equal(t, http.StatusCreated, v.post("/endpoints/new", fields))
	require.NotRegexp(t, secret, v.page)
	require.Contains(t, v.page, id, "it is the same endpoint")

	// What is done to it is said on its page, and by whom.
	require.Equal(t, http.StatusOK, v.fill(one, one+"/test", nil))
	require.Contains(t, v.page, "The test event was not taken")
	require.Contains(t, v.page, ">418<")
	require.Equal(t, http.StatusOK, v.fill(one+"/settings", one+"/settings", url.Values{
		"url": {receiver.URL + "/new"}, "policy": {"standard"}, "event_types": {"invoice.*"}, "max_in_flight": {"10"}, "fifo": {"no"},
	}))
	require.Equal(t, receiver.URL+"/new", s.must(200, "GET", "/v1/webhook_endpoints/"+id, nil)["url"])
	require.Equal(t, http.StatusOK, v.fill(one, one+"/pause", nil))
	s.must(202, "POST", "/v1/events", `{"tenant":"acme","type":"invoice.paid","data":1}`)
	require.Equal(t, http.StatusOK, v.get(one))
	require.Contains(t, v.page, "Paused by ana@example.com on")
	require.Contains(t, v.page, "1 delivery waits.")
	require.Contains(t, v.page, "What changed: url")
	require.Equal(t, http.StatusOK, v.get("/endpoints?status=paused&text=/NEW"))
	require.Contains(t, v.page, one)

	// A form that is older than somebody's change overwrites nothing.
	stale := url.Values{"url": {receiver.URL}, "policy": {"standard"}, "seen": {"2026-01-01T00:00:00Z"}}
	require.Equal(t, http.StatusUnprocessableEntity, v.fill(one+"/settings", one+"/settings", stale))
	require.Contains(t, v.page, "Somebody changed this endpoint")
	require.Equal(t, receiver.URL+"/new", s.must(200, "GET", "/v1/webhook_endpoints/"+id, nil)["url"])

	// It is deleted only by its name.
	require.Equal(t, http.StatusOK, v.fill(one+"/settings", one+"/delete", url.Values{"confirmation": {"acme"}}))
	require.Contains(t, v.page, "Nothing was deleted")
	s.must(200, "GET", "/v1/webhook_endpoints/"+id, nil)
	require.Equal(t, http.StatusOK, v.fill(one+"/settings", one+"/delete", url.Values{"confirmation": {strings.TrimPrefix(receiver.URL, "http://")}}))
	s.must(404, "GET", "/v1/webhook_endpoints/"+id, nil)
	require.Equal(t, http.StatusNotFound, v.get(one))
}

func TestDashboard_RotatesAndRecovers(t *testing.T) {
	t.Parallel()
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(receiver.Close)
	s := start(t, testOptions(pgtest.DSN(t)))
	id := s.endpoint("acme", receiver.URL, nil)["id"].(string)
	v, one := firstVisitor(t, s), "/endpoints/"+id

	require.Equal(t, http.StatusCreated, v.fill(one+"/secrets", one+"/secrets/rotate", url.Values{"overlap": {"1h"}}))
	require.Regexp(t, `whsec_[A-Za-z0-9+/=]{20,}`, v.page)
	require.Contains(t, v.page, "timingSafeEqual", "a program that verifies")
	require.Equal(t, http.StatusUnprocessableEntity, v.fill(one+"/secrets", one+"/secrets/rotate", url.Values{"overlap": {"1h"}, "value": {"weak"}}))
	require.NotContains(t, v.page, `value="weak"`)
	require.Len(t, s.must(200, "GET", "/v1/webhook_endpoints/"+id+"/secrets", nil)["data"], 2)

	s.must(200, "POST", "/v1/webhook_endpoints/"+id+"/disable", nil)
	for range 3 {
		s.must(202, "POST", "/v1/events", `{"tenant":"acme","type":"a.b","data":1}`)
	}
	require.Equal(t, http.StatusOK, v.get(one+"/recover"))
	require.Contains(t, v.page, "enable it first")
	require.Equal(t, http.StatusOK, v.fill(one, one+"/enable", nil))
	window := url.Values{"since": {"2026-01-01T00:00"}, "until": {""}, "states": {"skipped", "dead"}}
	require.Equal(t, http.StatusOK, v.fill(one+"/recover", one+"/recover/preview", window))
	require.Contains(t, v.page, "3 deliveries would be sent again.")
	require.Empty(t, s.must(200, "GET", "/v1/webhook_endpoints/"+id+"/recoveries", nil)["data"], "a preview does nothing")
	require.Equal(t, http.StatusOK, v.post(one+"/recover", v.filled(one+"/recover", nil)))
	require.Len(t, s.must(200, "GET", "/v1/webhook_endpoints/"+id+"/recoveries", nil)["data"], 1)
	require.Contains(t, v.page, "The recovery has begun.")
}
