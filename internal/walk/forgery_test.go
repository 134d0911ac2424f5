package walk

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/receiver"
)

var variable = regexp.MustCompile(`\{[^}]+\}`)

// The page of another origin that sends forms here: no action does anything,
// whatever the browser says and whether it sends the cookies or not.
func TestForms_OfOtherOriginsAreRefused(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.tenant("acme", "Acme")
	h.endpoint("acme", playReceiver(t, receiver.Status(400)), map[string]any{"policy": "gateway"})
	h.publish("acme", "a.b", nil)
	dead := idOf(h.await("acme", "dead", 1)[0])
	session := h.takeOver()
	form := url.Values{"reason": {"because another page wants it so"}, "_token": {formTokenOf(h.get(session, "/deliveries").body)}}
	require.NotEmpty(t, form.Get("_token"))
	before := h.list("/v1/audit_log")
	for _, action := range routesOf(http.MethodPost) {
		address := variable.ReplaceAllString(action, dead)
		for name, header := range map[string]http.Header{
			"says another site":      {"Sec-Fetch-Site": {"cross-site"}, "Origin": {"https://evil.example"}},
			"says another origin":    {"Sec-Fetch-Site": {"same-site"}, "Origin": {"http://127.0.0.1:1"}},
			"has an origin alone":    {"Origin": {"https://evil.example"}},
			"comes from a sandbox":   {"Origin": {"null"}},
			"comes from a sandbox 2": {"Origin": {"null"}, "Sec-Fetch-Site": {"cross-site"}},
		} {
			require.Equal(t, 403, h.ask(session, http.MethodPost, address, form, header).status, "%s, with a token, %s", address, name)
		}
		if slices.Contains([]string{"/login", "/preferences", "/logout", "/welcome/{token}"}, action) {
			continue // these have nobody's session to protect
		}
		own := http.Header{"Sec-Fetch-Site": {"same-origin"}, "Origin": {h.url}}
		for _, token := range []string{"", "x", strings.Repeat("A", 43)} {
			require.Equal(t, 403, h.ask(session, http.MethodPost, address, url.Values{"_token": {token}, "reason": form["reason"]}, own).status, "%s, token %q", address, token)
		}
		require.Equal(t, 403, h.ask(session, http.MethodPost, address+"?_token="+url.QueryEscape(form.Get("_token")), url.Values{}, own).status, "a token in the address is none")
		require.GreaterOrEqual(t, h.get(session, address).status, 0)
	}
	require.Equal(t, before, h.list("/v1/audit_log"), "nothing was changed")

	// The same in a browser, which decides itself what it sends along.
	other := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprintf(w, `<title>x</title><form method=post enctype=%q action="%s/deliveries/%s/replay"><input name=_token value=%q><input name=reason value=abcdefghijklmnop><button>Win</button></form>`,
			r.URL.Query().Get("enctype"), h.url, dead, form.Get("_token"))
	}))
	b := h.tab(session)
	b.allow(other, "status of 403")
	for _, place := range []string{other, strings.Replace(other, "127.0.0.1", "localhost", 1)} {
		b.allow(place)
		for _, encoding := range []string{"application/x-www-form-urlencoded", "multipart/form-data", "text/plain"} {
			b.open(place + "/?" + queryOf("enctype", encoding))
			require.NotEqual(t, 200, b.follow("button"), encoding)
			require.NotContains(t, b.text("body"), "whd_", encoding)
		}
	}
	require.Equal(t, "dead", h.must(200, "GET", "/v1/webhook_deliveries/"+dead, nil)["state"])
	require.Equal(t, before, h.list("/v1/audit_log"), "nothing was changed")
}

var tokenInPage = regexp.MustCompile(`name="_token" value="([^"]+)"`)

func formTokenOf(page string) string {
	if found := tokenInPage.FindStringSubmatch(page); found != nil {
		return found[1]
	}
	return ""
}

// elsewhere are addresses that browsers, or some of them, take for another site's.
var elsewhere = []string{
	"//evil.example", "///evil.example", "/\\evil.example", "\\\\evil.example", "/\t/evil.example", "/\n/evil.example", "\t//evil.example", " //evil.example",
	"https://evil.example", "https:evil.example", "https:/evil.example", "HTTPS://evil.example", "javascript:alert(1)", "data:text/html,x", "/%5cevil.example", "/%2fevil.example",
	"/..//evil.example", "/.//evil.example", "/login/..//evil.example", "//evil.example/%2f..", "/\u2028/evil.example", "@evil.example", "//user@evil.example", "/;@evil.example", "?next=//evil.example", "//[::1", "/\x00/evil.example",
}

// Wherever an address says where to go next, it is a page of ours.
func TestRedirects_StayHere(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	session := h.takeOver()
	token := formTokenOf(h.get(session, "/deliveries").body)
	own := http.Header{"Sec-Fetch-Site": {"same-origin"}, "Origin": {h.url}}
	b := h.tab(session)
	b.open("/deliveries")
	leads := func(what, location string) {
		require.NotEmpty(t, location, what)
		require.Equal(t, h.url, eval[string](b, fmt.Sprintf("new URL(%s, location.href).origin", quoted(location))), "%s leads to %q", what, location)
	}
	for _, address := range elsewhere {
		leads("the log-in with "+address, h.get(session, "/login?"+queryOf("next", address)).header.Get("Location"))
		leads("preferences with "+address, h.ask(session, "POST", "/preferences", url.Values{"_token": {token}, "next": {address}, "theme": {"auto"}}, own).header.Get("Location"))
		if parsed := h.url + address; !strings.ContainsAny(parsed, "\r\n\x00") {
			refused := http.Header{"Sec-Fetch-Site": {"same-origin"}, "Origin": {h.url}, "Referer": {parsed}}
			got := h.ask(session, "POST", "/deliveries/whd_01h455vb4pex5vsknk084sn02q/resolve", url.Values{"_token": {token}, "reason": {"short"}}, refused)
			if got.status/100 == 3 {
				leads("a refusal on "+address, got.header.Get("Location"))
			}
		}
	}
	// Who logs in anew goes where they wanted to go.
	stranger := newTab(t, h.url)
	stranger.open("/login?" + queryOf("next", "//evil.example"))
	stranger.fill("[name=name]", operator)
	stranger.fill("[name=password]", password)
	require.Equal(t, 200, stranger.follow("main form button"))
	require.Equal(t, "/now", stranger.path())
}
