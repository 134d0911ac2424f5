package dashboard

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/dashboard/page"
)

func ana(role page.Role) Session { return Session{UserID: someID, Name: "Ana", Role: role} }

func header(name, value string) func(*http.Request) {
	return func(r *http.Request) {
		r.Header.Del(name)
		if value != "" {
			r.Header.Set(name, value)
		}
	}
}

// What another site can make a browser send lacks the token, or says its origin.
func TestForms_OnlyOurPagesOfThisSession(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	b := r.as(ana(page.Admin))
	good := formToken(b.token())
	other := formToken(r.as(ana(page.Admin)).token())
	for name, spoil := range map[string]func(url.Values, *http.Request){
		"no token":             func(f url.Values, _ *http.Request) { f.Set("_token", "") },
		"another session's":    func(f url.Values, _ *http.Request) { f.Set("_token", other) },
		"the session's own":    func(f url.Values, _ *http.Request) { f.Set("_token", b.token()) },
		"one that is too long": func(f url.Values, _ *http.Request) { f.Set("_token", good+"x") },
		"in the address":       func(f url.Values, r *http.Request) { f.Set("_token", ""); r.URL.RawQuery = "_token=" + good },
		"from a neighbour":     func(_ url.Values, r *http.Request) { r.Header.Set("Sec-Fetch-Site", "same-site") },
		"from elsewhere":       func(_ url.Values, r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") },
		"from an older browser": func(_ url.Values, r *http.Request) {
			r.Header.Del("Sec-Fetch-Site")
			r.Header.Set("Origin", "https://evil.example")
		},
		"from nowhere": func(_ url.Values, r *http.Request) { r.Header.Del("Sec-Fetch-Site"); r.Header.Set("Origin", "null") },
		"over an open connection": func(_ url.Values, r *http.Request) {
			r.Header.Del("Sec-Fetch-Site")
			r.Header.Set("Origin", "http://malote.example:81")
		},
	} {
		form := url.Values{"_token": {good}, "reason": {"x"}}
		request := b.request(http.MethodPost, "/deliveries/x/resolve", form)
		spoil(form, request)
		spoilt := b.request(http.MethodPost, "/deliveries/x/resolve", form)
		spoilt.Header, spoilt.URL = request.Header, request.URL
		response := b.do(spoilt)
		require.Equal(t, http.StatusForbidden, response.StatusCode, name)
		require.Empty(t, r.api.asked(), name)
	}
	b.post("/deliveries/x/resolve", url.Values{"reason": {"x"}})
	require.NotEmpty(t, r.api.asked(), "and unspoilt it works")
}

// Another site could log somebody in as somebody else.
func TestForms_LogInNeedsAnOrigin(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.user("ana", page.Viewer)
	form := url.Values{"name": {"ana"}, "password": {password}}
	for name, spoil := range map[string][]func(*http.Request){
		"says nothing":   {header("Sec-Fetch-Site", ""), header("Origin", "")},
		"from elsewhere": {header("Sec-Fetch-Site", "cross-site")},
		"another origin": {header("Sec-Fetch-Site", ""), header("Origin", "https://evil.example")},
	} {
		b := r.browser()
		require.Equal(t, http.StatusForbidden, b.do(b.request(http.MethodPost, "/login", form, spoil...)).StatusCode, name)
		require.Empty(t, b.cookies, name)
	}
	for _, spoil := range []func(*http.Request){header("Sec-Fetch-Site", ""), header("Origin", "")} {
		b := r.browser()
		require.Equal(t, http.StatusSeeOther, b.do(b.request(http.MethodPost, "/login", form, spoil)).StatusCode, "one of the two says it")
	}
}

func TestForms_AreBounded(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	b := r.as(ana(page.Admin))
	response := b.post("/deliveries/x/resolve", url.Values{"reason": {strings.Repeat("x", maxFormBytes)}})
	require.Equal(t, http.StatusSeeOther, response.StatusCode, "the page that it came from tells")
	require.Empty(t, r.api.asked())
}

// leads says where a browser goes that is told to.
func leads(t *testing.T, response *http.Response) *url.URL {
	t.Helper()
	base, err := url.Parse(site + "/login")
	require.NoError(t, err)
	// As the URL standard reads it: backslashes are slashes, and what is blank within is not there.
	location := strings.NewReplacer("\\", "/", "\t", "", "\n", "", "\r", "").Replace(response.Header.Get("Location"))
	target, err := base.Parse(location)
	require.NoError(t, err)
	return target
}

// strayTargets lead elsewhere, where somebody believes them.
var strayTargets = []string{
	"https://evil.example/", "//evil.example", "///evil.example", "/\\evil.example", "\\\\evil.example", "/\t/evil.example", "/\n/evil.example",
	"https:evil.example", "https:/evil.example", "javascript:alert(1)", "data:text/html,x", "/..//evil.example", "/.//evil.example",
	"/%09/evil.example", "/%5cevil.example", "/%2f/evil.example", "evil.example", "@evil.example", "/@evil.example", ":443", "", " //evil.example", "?next=//evil.example",
}

func TestRedirects_StayHere(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.user("ana", page.Viewer)
	for _, target := range strayTargets {
		in := r.as(ana(page.Viewer))
		from := header("Referer", target)
		for name, response := range map[string]*http.Response{
			"login, when in":  in.get("/login?" + url.Values{"next": {target}}.Encode()),
			"preferences":     r.browser().post("/preferences", url.Values{"theme": {"dark"}, "next": {target}}),
			"log-in":          r.browser().post("/login", url.Values{"name": {"ana"}, "password": {password}, "next": {target}}),
			"a refused form":  in.post("/deliveries/x/resolve", url.Values{"reason": {strings.Repeat("x", maxFormBytes)}}, from),
			"a stranger's":    r.browser().do(r.browser().request(http.MethodPost, "/account/sessions/close", nil, from)),
			"what is unknown": r.browser().get("/" + url.PathEscape(target)),
		} {
			require.Equal(t, http.StatusSeeOther, response.StatusCode, "%s: %q", name, target)
			at := leads(t, response)
			require.Equal(t, site, at.Scheme+"://"+at.Host, "%s: %q leads to %s", name, target, at)
			if at.Path == "/login" {
				next, err := url.Parse(at.Query().Get("next"))
				require.NoError(t, err)
				require.Empty(t, next.Host, "%s: %q", name, target)
			}
		}
	}
	b := r.browser()
	require.Equal(t, "/deliveries?state=dead", b.post("/login",
		url.Values{"name": {"ana"}, "password": {password}, "next": {"/deliveries?state=dead"}}).Header.Get("Location"))
}
