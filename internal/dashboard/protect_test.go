package dashboard

import (
	"bytes"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/dashboard/assets"
	"github.com/malotehq/malote/internal/dashboard/page"
)

func TestCookies_AreNotForOthers(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.user("ana", page.Viewer)
	for where, secure := range map[string]bool{
		"https://malote.example": true, "http://malote.example": true, "http://10.0.0.7:8420": true, "http://[2001:db8::1]": true,
		"http://localhost.evil.example": true, "http://127.0.0.1.evil.example": true,
		"http://localhost:8420": false, "http://127.0.0.1:8420": false, "http://[::1]:8420": false,
	} {
		b := r.browser()
		b.site = where
		b.post("/preferences", url.Values{"theme": {"dark"}, "language": {"pt-BR"}, "next": {"/"}})
		set := b.set
		require.Equal(t, http.StatusSeeOther, b.logIn("ana", password).StatusCode)
		set = append(set, b.set...)
		require.Len(t, set, 3)
		for _, cookie := range set {
			require.Equal(t, secure, cookie.Secure, "%s: %s", where, cookie)
			require.Equal(t, secure, strings.HasPrefix(cookie.Name, hostPrefix), "%s: %s", where, cookie)
			require.True(t, cookie.HttpOnly, cookie)
			require.Equal(t, http.SameSiteLaxMode, cookie.SameSite, cookie)
			require.Equal(t, "/", cookie.Path, cookie)
			require.Empty(t, cookie.Domain, cookie)
		}
	}
	b := r.browser()
	b.site = "http://127.0.0.1:8420"
	b.post("/login", url.Values{"name": {"ana"}, "password": {password}}, header("X-Forwarded-Proto", "https"))
	require.True(t, b.set[0].Secure, "a proxy has TLS, and hides what the browser asked for")
}

// A neighbour under the same domain can set a cookie, but not one of that name.
func TestCookies_WithoutThePrefixDoNotCount(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	b := r.as(ana(page.Admin))
	b.cookies = map[string]string{sessionCookie: b.token()}
	require.Equal(t, http.StatusSeeOther, b.get("/account").StatusCode)
}

func TestHeaders_AreOnEveryAnswer(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	in := r.as(ana(page.Admin))
	answers := map[string]*http.Response{
		"log-in": r.browser().get("/login"), "unknown": in.get("/nowhere"), "cleaned": in.get("//x/../y"), "odd method": in.do(in.request("BREW", "/account", nil)),
		"asset": in.get(assets.Path("app.css")), "no asset": in.get(assets.Prefix + "none"), "refused": in.do(in.request(http.MethodPost, "/account/password", nil)),
		"link": r.browser().get("/welcome/x"), "portal": r.browser().get("/portal/acme"), "bad form": in.do(in.request(http.MethodPost, "/account/password", url.Values{"%": {"%"}})),
	}
	for address, route := range allRoutes() {
		if path, isGet := strings.CutSuffix(address, " GET"); isGet && !route.Stream {
			answers[address] = in.get(path)
			answers[address+" as a stranger"] = r.browser().get(path)
		}
	}
	panics := newRig(t, func(o *Options) { o.ClientAddress = nil; o.ClientAddress = panicAddress })
	answers["panic"] = panics.browser().get("/account")
	require.Equal(t, http.StatusInternalServerError, answers["panic"].StatusCode)
	for name, answer := range answers {
		require.Equal(t, "nosniff", answer.Header.Get("X-Content-Type-Options"), name)
		require.Equal(t, "DENY", answer.Header.Get("X-Frame-Options"), name)
		require.Equal(t, "same-origin", answer.Header.Get("Referrer-Policy"), name)
		require.Equal(t, "same-origin", answer.Header.Get("Cross-Origin-Resource-Policy"), name)
		policy := answer.Header.Get("Content-Security-Policy")
		require.Contains(t, policy, "default-src 'none'", name)
		require.NotContains(t, policy, "unsafe", name)
		if !strings.Contains(policy, "sandbox") {
			require.Contains(t, policy, "frame-ancestors 'none'", name)
			require.Contains(t, policy, "form-action 'self'", name)
			require.Contains(t, policy, "base-uri 'none'", name)
		}
		if name != "asset" {
			require.Equal(t, "no-store", answer.Header.Get("Cache-Control"), name)
		}
	}
}

// What our policy forbids, no page has.
func TestPages_HaveNoScriptsOrStylesOfTheirOwn(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	in := r.as(ana(page.Admin))
	for address, route := range allRoutes() {
		path, isGet := strings.CutSuffix(address, " GET")
		if !isGet || route.Stream {
			continue
		}
		markup := text(t, in.get(path))
		require.Empty(t, elements(t, markup, "style"), address)
		for _, script := range elements(t, markup, "script") {
			require.Nil(t, script.FirstChild, address)
		}
		require.NotRegexp(t, `(?i)<[^>]*\s(style|on[a-z]+)=`, markup, address)
	}
}

// Links let somebody in: they are not for the log, whatever goes wrong.
func TestLog_HasNoTokensOfLinks(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/welcome/s3cret", "/portal/s3cret"} {
		var b bytes.Buffer
		r := newRig(t, func(o *Options) { o.ClientAddress = panicAddress })
		require.Equal(t, http.StatusInternalServerError, r.browser().get(path).StatusCode)
		b.WriteString(r.log.String())
		r = newRig(t, func(o *Options) { o.OpenLink = awayLink })
		r.away = errAway
		require.Equal(t, http.StatusInternalServerError, r.browser().get(path).StatusCode)
		b.WriteString(r.log.String())
		require.Contains(t, b.String(), "{token}")
		require.NotContains(t, b.String(), "s3cret")
	}
}
