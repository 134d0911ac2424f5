package dashboard

import (
	"context"
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/alexedwards/argon2id"
	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/dashboard/page"
)

func TestLogIn_GivesATokenThatNobodyKnewBefore(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.user("ana", page.Viewer)
	b := r.browser()
	planted := newToken()
	b.cookies[hostPrefix+sessionCookie] = planted
	require.Equal(t, http.StatusSeeOther, b.logIn("ana", password).StatusCode)
	first := b.token()
	require.NotEqual(t, planted, first)
	_, found, _ := r.FindSession(t.Context(), hashOf(planted))
	require.False(t, found)

	require.Equal(t, http.StatusSeeOther, b.logIn("ana", password).StatusCode)
	require.NotEqual(t, first, b.token())
	_, found, _ = r.FindSession(t.Context(), hashOf(first))
	require.False(t, found, "the session that the browser had is over")

	last := b.token()
	require.Equal(t, "/login", b.post("/logout", nil).Header.Get("Location"))
	require.Empty(t, b.token())
	_, found, _ = r.FindSession(t.Context(), hashOf(last))
	require.False(t, found)
}

func TestLogIn_WhateverIsWrongIsAnsweredAlike(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.user("ana", page.Viewer)
	disabled := r.user("bia", page.Viewer)
	disabled.Disabled = true
	r.users["bia"] = disabled
	invited := r.user("caio", page.Viewer)
	invited.PasswordHash = ""
	r.users["caio"] = invited
	var pages []string
	for _, c := range [][2]string{{"ana", "wrong"}, {"bia", password}, {"caio", password}, {"caio", ""}, {"nobody", password}} {
		b := r.browser()
		response := b.logIn(c[0], c[1])
		require.Equal(t, http.StatusUnauthorized, response.StatusCode, c)
		require.Empty(t, b.cookies, c)
		pages = append(pages, withoutOnce(strings.ReplaceAll(text(t, response), c[0], "NAME")))
	}
	for _, page := range pages {
		require.Equal(t, pages[0], page)
	}
	require.NotContains(t, r.log.String(), password)
}

// withoutOnce leaves out what differs on every page.
func withoutOnce(markup string) string {
	before, after, _ := strings.Cut(markup, page.OnceField+`" value="`)
	_, after, _ = strings.Cut(after, `"`)
	if strings.Contains(after, page.OnceField) {
		after = withoutOnce(after)
	}
	return before + after
}

// None of them is refused without a password having been hashed: with no room
// for that, none is answered at all.
func TestLogIn_WhateverIsWrongTakesTheSameWork(t *testing.T) {
	t.Parallel()
	h := newHasher(quickCost)
	for range hashesAtOnce {
		require.NoError(t, h.take(t.Context()))
	}
	ended, end := context.WithCancel(t.Context())
	end()
	for _, hash := range []string{"", quickHash()} {
		_, err := h.matches(ended, "wrong", hash)
		require.ErrorIs(t, err, context.Canceled)
	}
	h.give()
	matches, err := h.matches(t.Context(), "", "")
	require.NoError(t, err)
	require.False(t, matches)
	params, _, _, err := argon2id.DecodeHash(h.dummy())
	require.NoError(t, err)
	require.Equal(t, quickCost, params, "as much as for a user who exists")
}

func TestLogIn_NotWhenTheUserChangedMeanwhile(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.user("ana", page.Viewer)
	r.changed = true
	b := r.browser()
	require.Equal(t, http.StatusUnauthorized, b.logIn("ana", password).StatusCode)
	require.Empty(t, b.cookies)
}

func TestLogIn_SlowsWhoGuessesAlsoWithTheRightPassword(t *testing.T) {
	t.Parallel()
	c := newClock()
	r := newRig(t, func(o *Options) { o.Now = c.now })
	r.user("ana", page.Viewer)
	for range int(ofPair.burst) {
		require.Equal(t, http.StatusUnauthorized, r.browser().logIn("ana", "wrong").StatusCode)
	}
	response := r.browser().logIn(" ANA ", password)
	require.Equal(t, http.StatusTooManyRequests, response.StatusCode)
	require.Equal(t, "61", response.Header.Get("Retry-After"))
	c.at = c.at.Add(ofPair.every)
	require.Equal(t, http.StatusSeeOther, r.browser().logIn("ana", password).StatusCode)
}

// Somebody else's text may be in a notice, and a notice comes in a cookie.
func TestNotices_WithMarkupAreText(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	b := r.as(ana(page.Viewer))
	said := `<script>alert(1)</script><img src=x onerror="alert(1)">`
	cookies := cookies{r: b.request(http.MethodGet, "/", nil)}
	announced := &headerOnly{header: http.Header{}}
	cookies.announce(announced, page.Notice{Kind: page.Failed, Text: said})
	kept, err := http.ParseSetCookie(announced.header.Get("Set-Cookie"))
	require.NoError(t, err)
	b.cookies[kept.Name] = kept.Value
	markup := text(t, b.get("/account"))
	require.NotContains(t, markup, "<script>alert")
	require.NotContains(t, markup, "<img src=x")
	shown := false
	for _, p := range elements(t, markup, "p") {
		shown = shown || p.FirstChild != nil && p.FirstChild.Data == said
	}
	require.True(t, shown, "as text it is there")
	require.NotContains(t, text(t, b.get("/account")), "alert(1)", "and once only")

	b.cookies[kept.Name] = base64.RawURLEncoding.EncodeToString([]byte(`{"k":"x\" onclick=\"y","t":"z"}`))
	require.NotContains(t, text(t, b.get("/account")), "onclick")
}

type headerOnly struct{ header http.Header }

func (h *headerOnly) Header() http.Header         { return h.header }
func (h *headerOnly) WriteHeader(int)             {}
func (h *headerOnly) Write(p []byte) (int, error) { return len(p), nil }

func TestPreferences_AreKeptAlsoForStrangers(t *testing.T) {
	t.Parallel()
	b := newRig(t).browser()
	b.post("/preferences", url.Values{"theme": {"dark"}, "language": {"pt-BR"}, "next": {"/login"}})
	b.post("/preferences", url.Values{"theme": {"purple"}, "language": {"xx"}, "next": {"/login"}})
	markup := text(t, b.get("/login"))
	require.Contains(t, markup, `data-theme="dark"`)
	require.Contains(t, markup, "Entrar")
}
