package dashboard

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/dashboard/page"
)

// A program that looks at links opens nothing, and uses nothing up.
func TestPortal_ALinkOpensByAButton(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for range 3 {
		b := r.browser()
		markup := text(t, b.get("/portal/acme", inFrameIf(false)))
		require.Len(t, elements(t, markup, "main"), 1)
		require.Empty(t, b.cookies)
	}
	require.Empty(t, r.sessions)
	for range 2 {
		b := r.browser()
		response := b.post("/portal/acme", nil, inFrameIf(false))
		require.Equal(t, http.StatusSeeOther, response.StatusCode)
		require.Equal(t, "/", response.Header.Get("Location"), "without the token")
		require.NotEmpty(t, b.cookies[hostPrefix+sessionCookie])
		require.Equal(t, http.SameSiteLaxMode, b.set[0].SameSite)
		require.Equal(t, http.StatusSeeOther, b.get("/").StatusCode)
		markup := text(t, b.get("/nowhere"))
		require.Contains(t, markup, "Acme Ltda")
		require.NotContains(t, markup, "/account")
	}
}

// Another site's page could put somebody into a portal that they take for theirs.
func TestPortal_NotByAnotherSitesForm(t *testing.T) {
	t.Parallel()
	r := newRig(t, framedBy(framer))
	for _, spoil := range []func(*http.Request){
		header("Sec-Fetch-Site", "cross-site"),
		func(r *http.Request) { r.Header.Del("Sec-Fetch-Site"); r.Header.Del("Origin") },
	} {
		require.Equal(t, http.StatusForbidden, r.browser().post("/portal/acme", nil, inFrameIf(false), spoil).StatusCode)
	}
	require.Empty(t, r.sessions)
}

func TestPortal_ALinkThatDoesNotWork(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for _, path := range []string{"/portal/forged", "/portal/" + strings.Repeat("a", longestPortalToken+1)} {
		require.Equal(t, http.StatusGone, r.browser().get(path).StatusCode)
		require.Equal(t, http.StatusGone, r.browser().post(path, nil).StatusCode)
	}
	require.Equal(t, http.StatusGone, r.browser().post("/portal/gone", nil).StatusCode, "the tenant was removed meanwhile")
	require.Empty(t, r.sessions)
}

func TestPortal_SaysThatAUserIsLoggedOutByIt(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	b := r.as(ana(page.Admin))
	before := b.token()
	require.Contains(t, text(t, b.get("/portal/acme")), "Ana")
	require.Equal(t, http.StatusSeeOther, b.post("/portal/acme", nil).StatusCode)
	_, found, _ := r.FindSession(t.Context(), hashOf(before))
	require.False(t, found)
	require.Equal(t, http.StatusNotFound, b.get("/account").StatusCode)
}

// The page around chose the link, so nobody needs to press a button in it.
func TestPortal_OpensAtOnceInAFrameThatMayHaveIt(t *testing.T) {
	t.Parallel()
	r := newRig(t, framedBy("https://other.example", framer))
	b := r.browser()
	response := b.get("/portal/acme", inFrameIf(true), header("Referer", framer+"/"), header("Sec-Fetch-Site", "cross-site"))
	require.Equal(t, http.StatusSeeOther, response.StatusCode)
	require.Len(t, b.set, 1)
	cookie := b.set[0]
	require.Equal(t, hostPrefix+sessionCookie+frameSuffix, cookie.Name)
	require.True(t, cookie.Secure && cookie.HttpOnly && cookie.Partitioned)
	require.Equal(t, http.SameSiteNoneMode, cookie.SameSite)

	shown := b.get("/nowhere", inFrameIf(true))
	require.Contains(t, text(t, shown), "Acme Ltda")
	require.Contains(t, shown.Header.Get("Content-Security-Policy"), "frame-ancestors https://other.example "+framer)
	require.Empty(t, shown.Header.Get("X-Frame-Options"))

	b.post("/preferences", url.Values{"theme": {"dark"}, "next": {"/"}}, inFrameIf(true))
	require.True(t, b.set[0].Partitioned, "else the browser would not keep it")
	require.Contains(t, text(t, b.get("/nowhere", inFrameIf(true))), `data-theme="dark"`)
}

func TestPortal_ElsewhereInAFrameNothingOpens(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		framers []string
		referer string
	}{
		"nobody may":            {nil, framer + "/"},
		"another":               {[]string{framer}, "https://evil.example/"},
		"one who hides":         {[]string{framer}, ""},
		"a name like it":        {[]string{framer}, framer + ".evil.example/"},
		"a user of its name":    {[]string{framer}, "https://app.example@evil.example/"},
		"without encryption":    {[]string{framer}, "http://app.example/"},
		"at another port of it": {[]string{framer}, framer + ":8443/"},
	} {
		r := newRig(t, framedBy(c.framers...))
		b := r.browser()
		response := b.get("/portal/acme", inFrameIf(true), header("Referer", c.referer), header("Sec-Fetch-Site", "cross-site"))
		require.Equal(t, http.StatusOK, response.StatusCode, name)
		require.Empty(t, b.cookies, name)
		require.NotContains(t, response.Header.Get("Content-Security-Policy"), "evil", name)
		if c.framers == nil {
			require.Equal(t, "DENY", response.Header.Get("X-Frame-Options"), name)
		}
	}
}

func TestFrames_ASessionWorksInItsPlaceOnly(t *testing.T) {
	t.Parallel()
	r := newRig(t, framedBy(framer))
	framed, own := Session{Tenant: "acme", Name: "Acme", Role: page.Viewer, Framed: true}, Session{Tenant: "acme", Name: "Acme", Role: page.Viewer}
	in, out := inFrameIf(true), inFrameIf(false)
	silent, script := header(destHeader, ""), header(destHeader, "empty")

	b := r.as(framed)
	require.Equal(t, http.StatusNotFound, b.get("/nowhere", in).StatusCode, "it is let in")
	require.Equal(t, http.StatusNotFound, b.get("/nowhere", script).StatusCode, "so are its page's scripts")
	require.Equal(t, http.StatusSeeOther, b.get("/nowhere", out).StatusCode)
	require.Equal(t, http.StatusSeeOther, b.get("/nowhere", silent).StatusCode, "no browser that has frames for us")

	for _, session := range []Session{own, ana(page.Admin)} {
		b = r.as(session)
		require.Equal(t, http.StatusNotFound, b.get("/nowhere", out).StatusCode)
		require.Equal(t, http.StatusNotFound, b.get("/nowhere", silent).StatusCode)
		response := b.get("/nowhere", in)
		require.Equal(t, http.StatusUnauthorized, response.StatusCode, "a neighbour's frame does not show what is not the frame's")
		require.NotContains(t, text(t, response), "Acme")
		require.Equal(t, "DENY", b.get("/nowhere", out).Header.Get("X-Frame-Options"), "nor can a frame show the page")
	}

	swapped := r.as(framed) // in the cookie of the other place
	swapped.cookies = map[string]string{hostPrefix + sessionCookie: swapped.token()}
	require.Equal(t, http.StatusSeeOther, swapped.get("/nowhere", out).StatusCode)
	swapped = r.as(own)
	swapped.cookies = map[string]string{hostPrefix + sessionCookie + frameSuffix: swapped.token()}
	require.Equal(t, http.StatusUnauthorized, swapped.get("/nowhere", in).StatusCode)

	nobody := newRig(t)
	b = nobody.as(framed)
	require.Equal(t, http.StatusSeeOther, b.get("/nowhere", in).StatusCode, "nobody may frame the portal any more")
}

// A log-in in another site's page would be that page's to draw over.
func TestFrames_ShowNoLogIn(t *testing.T) {
	t.Parallel()
	r := newRig(t, framedBy(framer))
	for _, path := range []string{"/login", "/welcome/x"} {
		require.Equal(t, "DENY", r.browser().get(path, inFrameIf(true)).Header.Get("X-Frame-Options"), path)
	}
	over := r.browser().get("/deliveries", inFrameIf(true))
	require.Equal(t, http.StatusUnauthorized, over.StatusCode)
	require.Contains(t, over.Header.Get("Content-Security-Policy"), "frame-ancestors "+framer)
	require.Contains(t, text(t, over), portalOverTitle.EN)
}

func TestPortal_LeavingEndsTheSessionAndShowsNoLogIn(t *testing.T) {
	t.Parallel()
	r := newRig(t, framedBy(framer))
	for _, framed := range []bool{false, true} {
		b := r.as(Session{Tenant: "acme", Name: "Acme", Role: page.Viewer, Framed: framed})
		token := b.token()
		response := b.post("/logout", nil, inFrameIf(framed))
		require.Equal(t, http.StatusOK, response.StatusCode)
		require.Contains(t, text(t, response), portalLeftTitle.EN)
		require.Empty(t, b.token())
		_, found, _ := r.FindSession(t.Context(), hashOf(token))
		require.False(t, found)
	}
}
