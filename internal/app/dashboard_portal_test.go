package app_test

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/app"
	"github.com/malotehq/malote/internal/store/pgtest"
)

// person is somebody's browser.
type person struct {
	t      *testing.T
	url    string
	client *http.Client
}

func (s *server) person() *person {
	jar, err := cookiejar.New(nil)
	require.NoError(s.t, err)
	return &person{t: s.t, url: s.url, client: &http.Client{Jar: jar}}
}

// page follows redirects, as browsers do.
func (p *person) page(method, path string, form url.Values) (status int, markup string, at *url.URL) {
	p.t.Helper()
	request, err := http.NewRequestWithContext(p.t.Context(), method, p.url+path, strings.NewReader(form.Encode()))
	require.NoError(p.t, err)
	request.Header.Set("Sec-Fetch-Site", "same-origin")
	request.Header.Set("Sec-Fetch-Dest", "document")
	if method == http.MethodPost {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	response, err := p.client.Do(request)
	require.NoError(p.t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(p.t, err)
	return response.StatusCode, string(body), response.Request.URL
}

var formTokens = regexp.MustCompile(`name="_token" value="([^"]+)"`)

// A tenant's people come by a link and see and change the tenant's own things,
// and nobody else's.
func TestPortal_ALinkOpensATenantsOwnThings(t *testing.T) {
	t.Parallel()
	s := start(t, testOptions(pgtest.DSN(t)))
	refuses := newLedger(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadRequest) })
	dead, endpoint := map[string]string{}, map[string]string{}
	for _, tenant := range []string{"acme", "globex"} {
		endpoint[tenant] = s.endpoint(tenant, refuses.URL, map[string]any{"policy": "gateway"})["id"].(string)
		s.must(202, "POST", "/v1/events", map[string]any{"tenant": tenant, "type": "order.paid", "data": 1})
		s.awaitStates(tenant, map[string]int{"dead": 1})
		list := s.must(200, "GET", "/v1/webhook_deliveries?tenant="+tenant, nil)["data"].([]any)
		dead[tenant] = list[0].(map[string]any)["id"].(string)
	}

	link := s.must(200, "POST", "/v1/portal_links", map[string]any{"tenant": "acme", "role": "support"})
	require.Nil(t, link["url"], "nobody said what the public address is")
	p := s.person()
	status, _, at := p.page("GET", link["path"].(string), nil)
	require.Equal(t, 200, status)
	require.Equal(t, link["path"], at.Path, "looking opens nothing")
	status, _, at = p.page("POST", link["path"].(string), nil)
	require.Equal(t, 200, status)
	require.NotContains(t, at.Path, "portal")
	status, markup, _ := p.page("GET", "/deliveries", nil)
	require.Equal(t, 200, status)
	require.Contains(t, markup, dead["acme"])
	require.NotContains(t, markup, dead["globex"])
	require.NotContains(t, markup, "globex")

	token := formTokens.FindStringSubmatch(markup)[1]
	form := url.Values{"_token": {token}, "reason": {"We entered it by hand."}}
	for tenant, want := range map[string]int{"acme": 200, "globex": 404} {
		status, _, _ = p.page("GET", "/deliveries/"+dead[tenant], nil)
		require.Equal(t, want, status)
		status, _, _ = p.page("POST", "/deliveries/"+dead[tenant]+"/resolve", form)
		require.Equal(t, want, status)
	}
	require.Equal(t, map[string]int{"resolved": 1}, s.states("acme"))
	require.Equal(t, map[string]int{"dead": 1}, s.states("globex"))
	acts := s.must(200, "GET", "/v1/audit_log?tenant=acme&actor_kind=portal", nil)["data"].([]any)
	require.Len(t, acts, 1)
	require.Equal(t, "resolve-webhook-delivery", acts[0].(map[string]any)["operation"])

	s.must(204, "DELETE", "/v1/webhook_endpoints/"+endpoint["acme"], nil)
	s.must(204, "DELETE", "/v1/tenants/acme", nil)
	_, _, at = p.page("GET", "/deliveries", nil)
	require.Equal(t, "/login", at.Path, "a tenant that is gone has no portal")
	status, _, _ = s.person().page("POST", link["path"].(string), nil)
	require.Equal(t, 410, status)
}

func TestOptions_PortalOriginsAreOrigins(t *testing.T) {
	t.Parallel()
	for _, origin := range []string{
		"", "*", "https:", "https://", "app.example", "https://app.example/", "https://app.example/x", "https://App.example", "https://*.example",
		"https://app.example;", "https://app.example script-src *", "https://a@app.example", "https://app.example?x", "https://app.example#x",
		"https://app.example,https://b.example", "http://app.example", "data:text/html,x", "https://app.example\n", "'self'", "https://ápp.example",
	} {
		options := testOptions("postgres://nowhere.invalid/")
		options.PortalOrigins = []string{"https://fine.example", origin}
		require.ErrorContains(t, app.Run(t.Context(), options, nil), "--portal-origins", "%q", origin)
	}
}
