package main

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/client"
)

const tenantJSON = `{"id":"acme","name":"","priority":0,"alert_emails":[],"created_at":"2026-03-01T12:00:00.000Z"}`

func TestClient_SendsACreationAgainWithTheSameKey(t *testing.T) {
	t.Parallel()
	server := newFake(t, func(n int, w http.ResponseWriter, _ *http.Request) {
		switch n {
		case 1:
			answerJSON(w, http.StatusServiceUnavailable, problemJSON("unavailable", "The database is away."))
		case 2:
			panic(http.ErrAbortHandler) // the connection breaks off
		default:
			answerJSON(w, http.StatusCreated, tenantJSON)
		}
	})
	require.Contains(t, succeeds(t, server.with("tenants", "create", "acme")...), "acme")
	requests := server.seen()
	require.Len(t, requests, 3)
	key := requests[0].header.Get("Idempotency-Key")
	require.NotEmpty(t, key)
	for _, r := range requests {
		require.Equal(t, key, r.header.Get("Idempotency-Key"))
		require.Equal(t, requests[0].body, r.body)
		require.Equal(t, "Bearer mlt_test", r.header.Get("Authorization"))
	}
}

func TestClient_DoesNotRepeatWhatIsNotHarmless(t *testing.T) {
	t.Parallel()
	for _, arguments := range [][]string{
		{"replay", "whd_1"}, {"endpoints", "discard", "whe_1"}, {"endpoints", "delete", "whe_1"}, {"tenants", "update", "acme", "--name", "x"},
	} {
		server := answering(t, http.StatusServiceUnavailable, problemJSON("unavailable", "The database is away."))
		require.Contains(t, malote(t, server.with(arguments...)...).fails(t, 1), "The database is away.")
		require.Len(t, server.seen(), 1, arguments)
	}
}

func TestClient_SaysWhenTheOutcomeIsUnknown(t *testing.T) {
	t.Parallel()
	server := newFake(t, func(int, http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	require.Contains(t, malote(t, server.with("replay", "whd_1")...).fails(t, 1), "whether it took effect is not known")
	require.NotContains(t, malote(t, server.with("tenants", "list")...).fails(t, 1), "whether it took effect")
	require.Contains(t, malote(t, server.with("publish", "a.b", "--data", "1", "--key", "k-17")...).fails(t, 1), "--key k-17")
}

func TestClient_ProblemsAreOneLineThatHelps(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		status int
		body   string
		says   []string
	}{
		"problem":         {409, problemJSON("tenant_exists", "There is one."), []string{"There is one."}},
		"advice":          {404, problemJSON("unknown_policy", "GET /v1/policies lists them."), []string{"malote policy list"}},
		"unauthenticated": {401, problemJSON("unauthenticated", "The key does not work."), []string{"MALOTE_API_KEY"}},
		"faults": {400, `{"code":"invalid_request","detail":"2 parts are wrong.","errors":[{"field":"a","detail":"is odd"},{"field":"b","detail":"is even"}]}`,
			[]string{"a: is odd.", "b: is even."}},
		"request id": {500, `{"code":"internal","detail":"Oops.","request_id":"r-1"}`, []string{"Oops.", "r-1"}},
		"hostile":    {400, problemJSON("invalid_request", "red \x1b[31m\nand more"), []string{"red", "and more"}},
		"not ours":   {404, "<html>", []string{"HTTP 404", "--server"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			told := malote(t, answering(t, test.status, test.body).with("tenants", "show", "acme")...).fails(t, 1)
			for _, part := range test.says {
				require.Contains(t, told, part)
			}
			require.NotContains(t, told, "\x1b")
		})
	}
}

func TestClient_FollowsNoRedirect(t *testing.T) {
	t.Parallel()
	elsewhere := answering(t, http.StatusOK, tenantJSON)
	server := newFake(t, func(_ int, w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere.URL+r.URL.Path, http.StatusTemporaryRedirect)
	})
	require.Contains(t, malote(t, server.with("tenants", "show", "acme")...).fails(t, 1), elsewhere.URL)
	require.Empty(t, elsewhere.seen(), "the key went elsewhere")
}

func TestClient_TheAdminKeyIsForThisMachine(t *testing.T) {
	t.Parallel()
	dir := filepath.Dir(file(t, adminKeyFile, "mlt_from_file\n"))
	server := answering(t, http.StatusOK, tenantJSON)
	succeeds(t, "tenants", "show", "acme", "--server", server.URL, "--data-dir", dir)
	require.Equal(t, "Bearer mlt_from_file", server.seen()[0].header.Get("Authorization"))

	told := malote(t, "tenants", "show", "acme", "--server", "https://malote.example", "--data-dir", dir).fails(t, 2)
	require.Contains(t, told, "MALOTE_API_KEY")

	require.NoError(t, os.Remove(filepath.Join(dir, adminKeyFile)))
	require.Contains(t, malote(t, "tenants", "list", "--data-dir", dir).fails(t, 2), dir)
}

func TestClient_GivesUpOnASilentServer(t *testing.T) {
	t.Parallel()
	silent := make(chan struct{})
	server := newFake(t, func(int, http.ResponseWriter, *http.Request) { <-silent })
	defer close(silent)
	told := malote(t, server.with("tenants", "list", "--timeout", "50ms")...).fails(t, 1)
	require.Contains(t, told, "--timeout")
	require.Len(t, server.seen(), 1, "it waited long enough the first time")
}

func TestClient_PathsAreEscaped(t *testing.T) {
	t.Parallel()
	server := answering(t, http.StatusOK, tenantJSON)
	succeeds(t, server.with("tenants", "show", "a/../b?c")...)
	require.Equal(t, "/v1/tenants/a%2F..%2Fb%3Fc", server.seen()[0].path)
}

func TestList_PagesToTheLimit(t *testing.T) {
	t.Parallel()
	respond := func(n int, w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("cursor") == "" {
			answerJSON(w, http.StatusOK, `{"data":[{"id":"a"},{"id":"b"}],"next_cursor":"more"}`)
			return
		}
		answerJSON(w, http.StatusOK, `{"data":[{"id":"c"}],"next_cursor":null}`)
	}
	all := newFake(t, respond)
	require.Equal(t, "{\"id\":\"a\"}\n{\"id\":\"b\"}\n{\"id\":\"c\"}\n", succeeds(t, all.with("tenants", "list", "--json", "--limit", "0")...))
	require.Contains(t, all.seen()[1].query, "cursor=more")

	some := newFake(t, respond)
	got := malote(t, some.with("tenants", "list", "--limit", "2")...)
	require.Zero(t, got.code)
	require.Len(t, some.seen(), 1)
	require.Contains(t, some.seen()[0].query, "limit=2")
	require.Contains(t, got.stderr, "--limit 0 shows all")

	none := malote(t, answering(t, http.StatusOK, `{"data":[],"next_cursor":null}`).with("tenants", "list")...)
	require.Zero(t, none.code)
	require.Empty(t, none.stdout)
	require.Contains(t, none.stderr, "no tenants")
}

// What strangers wrote must not command the terminal, nor make a second row.
func TestList_IsSafeForATerminal(t *testing.T) {
	t.Parallel()
	server := answering(t, http.StatusOK, `{"data":[{"id":"a","name":"\u001b]0;owned\u0007\nfake\ttab"}],"next_cursor":null}`)
	shown := succeeds(t, server.with("tenants", "list")...)
	require.NotContains(t, shown, "\x1b")
	require.Len(t, splitLines(shown), 2)
}

func TestClient_PausesAsItIsAsked(t *testing.T) {
	t.Parallel()
	for asked, want := range map[time.Duration]time.Duration{
		0: pauses[0], 2 * time.Second: 2 * time.Second, time.Hour: longestPause,
	} {
		pause, again := atATerminal{}.Pause(1, &client.Error{Status: http.StatusServiceUnavailable, RetryAfter: asked})
		require.True(t, again)
		require.Equal(t, want, pause)
	}
	_, again := atATerminal{}.Pause(1, &client.Error{Status: http.StatusNotFound})
	require.False(t, again, "it will not be there in a moment either")
	_, again = atATerminal{}.Pause(len(pauses)+1, &client.Error{Status: http.StatusServiceUnavailable})
	require.False(t, again, "not for ever")
}

func TestClient_SaysWhatIsNoNameAndNoKey(t *testing.T) {
	t.Parallel()
	server := answering(t, http.StatusOK, tenantJSON)
	for _, name := range []string{"", "..", "."} {
		require.Contains(t, malote(t, server.with("tenants", "show", name)...).fails(t, 2), "nothing is called so")
	}
	told := malote(t, "tenants", "list", "--server", server.URL, "--api-key", "mlt_a mlt_b").fails(t, 2)
	require.Contains(t, told, "MALOTE_API_KEY")
	require.NotContains(t, told, "mlt_a")
	require.Empty(t, server.seen())
}

// The answer to a creation can get lost; its repeat shows no secret any more.
func TestClient_SaysThatASecretGotLost(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		answer    string
		arguments []string
		says      string
	}{
		{`{"id":"whe_1"}`, []string{"endpoints", "create", "https://a.example/"}, "secrets rotate whe_1"},
		{`{"id":"sec_1"}`, []string{"endpoints", "secrets", "add", "whe_1"}, "revoke it"},
		{`{"id":"key_1"}`, []string{"keys", "create", "--scope", "admin"}, "revoke it"},
	} {
		server := newFake(t, func(n int, w http.ResponseWriter, _ *http.Request) {
			if n == 1 {
				panic(http.ErrAbortHandler)
			}
			answerJSON(w, http.StatusOK, test.answer)
		})
		got := malote(t, server.with(test.arguments...)...)
		require.Zero(t, got.code, got.stderr)
		require.Contains(t, got.stderr, "lost")
		require.Contains(t, got.stderr, test.says)
	}
}
