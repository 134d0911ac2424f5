package app_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/dashboard"
	"github.com/malotehq/malote/internal/store/pgtest"
)

// pageThings says which of globex's things an {id} below a page's address is.
var pageThings = map[string]string{
	"deliveries": "{delivery}", "events": "{event}", "endpoints": "{endpoint}", "sources": "{source}",
	"users": "{user}", "keys": "{key}", "tenants": "globex",
}

// pageQuery names globex's things by every parameter that pages know.
const pageQuery = "?tenant=globex&endpoint={endpoint}&event={event}&source={source}&q={delivery}&text=globex&actor={actor}&subject={endpoint}&id={delivery}"

// pageForm does so in forms.
var pageForm = map[string]string{
	"tenant": "globex", "ids": "{delivery}", "id": "{delivery}", "endpoint": "{endpoint}", "source": "{source}", "secret": "{secret}",
	"reason": "nobody will ever ask", "do": "resolve", "states": "dead", "since": "2026-01-01T00:00:00Z", "name": "x", "url": "http://127.0.0.1:1/",
	"provider": "stripe", "policy": "gateway", "role": "admin", "confirmation": "127.0.0.1", "scope": "read", "value": "whsec_abc",
}

var pageNames = regexp.MustCompile(`/([a-z_]+)/\{(id|tenant|name|user|key)\}`)

// pageOfGlobex is the address of a route with globex's things for its names.
func pageOfGlobex(path string) string {
	path = pageNames.ReplaceAllStringFunc(path, func(part string) string {
		thing, found := pageThings[pageNames.FindStringSubmatch(part)[1]]
		if !found {
			return part
		}
		return part[:strings.Index(part, "{")] + thing
	})
	return strings.NewReplacer("{source}/secrets/{secret}", "{source}/secrets/{source_secret}").Replace(path)
}

// Whoever came by a link of one tenant's asks every page and every action, with
// the highest role, for another's things: nothing is there, and nothing happens.
func TestReach_NoPortalReachesAnotherTenantsThings(t *testing.T) {
	t.Parallel()
	s := start(t, testOptions(pgtest.DSN(t)))
	w := newReachWorld(t, s)
	link := s.must(200, "POST", "/v1/portal_links", map[string]any{"tenant": "acme", "role": "admin"})["path"].(string)
	p := s.person()
	status, markup, _ := p.page("POST", link, nil)
	require.Equal(t, http.StatusOK, status)
	token := formTokens.FindStringSubmatch(markup)[1]
	before := w.globexAsTheAdminSeesIt()

	form, asked := url.Values{"_token": {token}}, token
	for name, value := range pageForm {
		form.Set(name, w.globex.Replace(value))
		asked += " " + form.Get(name)
	}
	named := 0
	for _, pattern := range dashboard.Routes() {
		method, path, _ := strings.Cut(pattern, " ")
		if strings.Contains(path, "stream") && !strings.Contains(path, "{") {
			continue // the page itself shows the same, and ends
		}
		address := w.globex.Replace(pageOfGlobex(path) + pageQuery)
		isNamed := pageOfGlobex(path) != path
		status, answer, at := p.page(method, address, form)
		w.requireNothingOfGlobex(pattern, asked+address+at.String(), answer)
		require.NotContains(t, answer, "form_token", pattern)
		if isNamed {
			named++
			require.Equal(t, http.StatusNotFound, status, "%s as %s", pattern, address)
		}
	}
	require.Greater(t, named, 30)
	require.Equal(t, before, w.globexAsTheAdminSeesIt(), "and nothing of it has changed")
}
