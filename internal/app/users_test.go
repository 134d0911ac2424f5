package app_test

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/app"
	"github.com/malotehq/malote/internal/dashboard/settings"
	"github.com/malotehq/malote/internal/store/pgtest"
)

// browser is a visitor without scripts.
type browser struct {
	t      *testing.T
	client *http.Client
	base   string
}

var formToken = regexp.MustCompile(`name="_token" value="([^"]+)"`)

func newBrowser(t *testing.T, base string) *browser {
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	return &browser{t, &http.Client{Jar: jar}, base}
}

func (b *browser) ask(method, path string, form url.Values) (int, string) {
	b.t.Helper()
	request, err := http.NewRequestWithContext(b.t.Context(), method, b.base+path, strings.NewReader(form.Encode()))
	require.NoError(b.t, err)
	if method == http.MethodPost {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		request.Header.Set("Origin", b.base)
		request.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	response, err := b.client.Do(request)
	require.NoError(b.t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(b.t, err)
	return response.StatusCode, string(body)
}

func (b *browser) read(path string) string {
	b.t.Helper()
	status, body := b.ask(http.MethodGet, path, nil)
	require.Equal(b.t, http.StatusOK, status, "%s: %s", path, body)
	return body
}

// send fills in a form that a page has.
func (b *browser) send(page, action string, fields ...string) (int, string) {
	b.t.Helper()
	form := url.Values{}
	if found := formToken.FindStringSubmatch(b.read(page)); found != nil {
		form.Set("_token", found[1])
	}
	for i := 0; i+1 < len(fields); i += 2 {
		form.Set(fields[i], fields[i+1])
	}
	return b.ask(http.MethodPost, action, form)
}

// follow opens a one-time link and sets a password.
func (b *browser) follow(link string, more ...string) {
	b.t.Helper()
	path := strings.TrimPrefix(link, b.base)
	require.NotEqual(b.t, link, path, "the link leads here")
	status, body := b.ask(http.MethodPost, path, url.Values{"password": {"correct horse battery"}, "again": {"correct horse battery"}, "name": {strings.Join(more, "")}})
	require.Equal(b.t, http.StatusOK, status, body)
	require.NotContains(b.t, body, "/welcome/")
}

// dashboardOf starts a Malote whose log can be read, and logs its first
// administrator in.
func dashboardOf(t *testing.T) (*server, *browser, *lockedBuffer) {
	t.Helper()
	log := &lockedBuffer{}
	options := testOptions(pgtest.DSN(t))
	options.Roles = []app.Role{app.RoleAPI, app.RoleDashboard}
	options.Log = slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	s := start(t, options)
	ana := newBrowser(t, s.url)
	ana.follow(s.info.WelcomeURL, "ana")
	return s, ana, log
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

var (
	linkInPage = regexp.MustCompile(`http://[^" <]+/welcome/[A-Za-z0-9_-]+`)
	userInPage = regexp.MustCompile(`/settings/users/(usr_[0-9a-z]{26})`)
)

func TestUsersPages_InviteThenChangeThenTheLastAdministrator(t *testing.T) {
	t.Parallel()
	s, ana, log := dashboardOf(t)
	anaPath := userInPage.FindString(ana.read("/settings/users"))
	require.Contains(t, ana.read(anaPath), "last administrator")
	_, refused := ana.send(anaPath, anaPath+"/role", "role", "viewer", "sure", "yes")
	require.Contains(t, refused, "Make another one first", "the API says it, whatever the page offers")

	status, invited := ana.send("/settings/new-user", "/settings/new-user", "name", "bob", "role", "admin", "_once", strings.Repeat("A", 26))
	require.Equal(t, http.StatusOK, status)
	link := linkInPage.FindString(invited)
	bobPath := userInPage.FindString(invited)
	_, again := ana.send("/settings/new-user", "/settings/new-user", "name", "bob", "role", "admin", "_once", strings.Repeat("A", 26))
	require.Contains(t, again, "was shown already")
	status, taken := ana.send("/settings/new-user", "/settings/new-user", "name", "BOB", "role", "viewer")
	require.Equal(t, http.StatusConflict, status)
	require.Contains(t, taken, `value="BOB"`, "the form is as it was")
	bob := newBrowser(t, s.url)
	bob.follow(link)
	require.Contains(t, bob.read("/settings/users"), "bob")

	_, unsure := ana.send(anaPath, anaPath+"/role", "role", "viewer")
	require.Contains(t, unsure, "confirm that you mean your own account")
	require.Contains(t, ana.read("/settings/users"), "(you)", "nothing was done")
	_, renewed := ana.send(bobPath, bobPath+"/link")
	require.NotEqual(t, link, linkInPage.FindString(renewed))
	_, _ = ana.send(anaPath, anaPath+"/role", "role", "viewer", "sure", "yes")
	status, _ = ana.ask(http.MethodGet, "/settings/users", nil)
	require.Equal(t, http.StatusForbidden, status)

	bob.send(anaPath, anaPath+"/disable")
	require.Contains(t, ana.read("/"), `action="/login"`, "logged out at once")
	bob.send(anaPath, anaPath+"/enable")
	_, gone := bob.send(anaPath, anaPath+"/delete")
	require.NotContains(t, gone, anaPath)

	trail := bob.read("/settings/audit?operation=update-user")
	require.Contains(t, trail, "ana, role: viewer")
	require.Contains(t, bob.read("/settings/audit?subject="+strings.TrimPrefix(anaPath, "/settings/users/")), "Deleted a user")
	for _, secret := range []string{link, linkInPage.FindString(renewed), s.info.WelcomeURL} {
		token := secret[strings.LastIndex(secret, "/")+1:]
		require.NotEmpty(t, token)
		require.NotContains(t, log.String(), token)
		_, answer := s.call("GET", "/v1/audit_log", nil)
		require.NotContains(t, encodedAnswer(t, answer), token)
	}
}

func encodedAnswer(t *testing.T, answer any) string {
	t.Helper()
	encoded, err := json.Marshal(answer)
	require.NoError(t, err)
	return string(encoded)
}

func TestSettingsPages_KeysAndTenants(t *testing.T) {
	t.Parallel()
	s, ana, _ := dashboardOf(t)
	status, body := ana.send("/settings/new-tenant", "/settings/new-tenant", "id", "acme", "name", "Acme", "priority", "7",
		"alert_emails", "a@example.com\r\nb@example.com", "technical_contact", "c@example.com")
	require.Equal(t, http.StatusOK, status, body)
	made := s.must(200, "GET", "/v1/tenants/acme", nil)
	require.Equal(t, []any{"a@example.com", "b@example.com"}, made["alert_emails"])
	require.Equal(t, 7., made["priority"])
	status, body = ana.send("/settings/tenants/acme", "/settings/tenants/acme", "name", "A", "priority", "many", "technical_contact", "nobody")
	require.Equal(t, http.StatusBadRequest, status)
	require.Contains(t, body, `value="many"`)
	ana.send("/settings/tenants/acme", "/settings/tenants/acme", "name", "Acme Ltd", "priority", "0", "alert_emails", "")
	made = s.must(200, "GET", "/v1/tenants/acme", nil)
	require.Equal(t, []any{"Acme Ltd", []any{}, "", 0.}, []any{made["name"], made["alert_emails"], made["technical_contact"], made["priority"]})

	status, body = ana.send("/settings/new-key", "/settings/new-key", "scope", "publish", "tenant", "nobody", "name", "shop")
	require.Equal(t, http.StatusNotFound, status)
	require.Contains(t, body, `value="shop"`)
	_, body = ana.send("/settings/new-key", "/settings/new-key", "scope", "read", "tenant", "acme", "name", "reports")
	plain := regexp.MustCompile(`mlt_[A-Za-z0-9_-]+`).FindString(body)
	require.NotEmpty(t, plain)
	id := regexp.MustCompile(`key_[0-9a-z]{26}`).FindString(body)
	listed := ana.read("/settings/keys?tenant=acme")
	require.Contains(t, listed, "reports")
	require.NotContains(t, listed, plain)
	ana.send("/settings/keys", "/settings/keys/"+id+"/revoke", "tenant", "acme")
	require.Contains(t, ana.read("/settings/keys?tenant=acme"), "Revoked")

	ana.send("/settings/tenants/acme", "/settings/tenants/acme/delete")
	status, _ = s.call("GET", "/v1/tenants/acme", nil)
	require.Equal(t, http.StatusNotFound, status)
	about := ana.read("/settings/about")
	require.Contains(t, about, "30 days")
	require.Contains(t, about, "answers the API, shows these pages")
}

// Whatever the API can do to leave a row, the audit log's page has words for.
func TestSettingsPages_NameEveryOperation(t *testing.T) {
	t.Parallel()
	s, _, _ := dashboardOf(t)
	changing := map[string]bool{}
	for _, methods := range s.must(200, "GET", "/openapi.json", nil)["paths"].(map[string]any) {
		for method, operation := range methods.(map[string]any) {
			id := operation.(map[string]any)["operationId"].(string)
			if method != "get" && !strings.HasPrefix(id, "publish-event") {
				changing[id] = true
				require.Contains(t, settings.OperationWords, id)
			}
		}
	}
	for id := range settings.OperationWords {
		require.True(t, changing[id], "%s is no operation", id)
	}
}
