package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/client"
	"github.com/malotehq/malote/internal/app"
	"github.com/malotehq/malote/internal/source"
)

const sourceJSON = `{"id":"src_1","tenant":"acme","name":"Stripe","provider":"stripe","receive_path":"/in/src_1","receive_url":null,
	"status":"active","secret_names":["live"],"dedupe":"provider","event_type_from":"provider","forward_headers":null,
	"options":{"tolerance":"90s","rate_limit":{"per_second":5}},"gap_repair":{"checked_until":"2026-03-01T12:00:00.000Z","found":2,"failed_at":"2026-03-01T13:00:00.000Z","error":"it has trouble"}}`

func TestSourcesCreate_SaysWhatWasGiven(t *testing.T) {
	t.Parallel()
	options := file(t, "options.json", `{"repair": {"interval": "10m"}, "tolerance": "1m", "rate_limit": {"per_second": 3, "burst": 12345678901234567890}}`)
	for _, test := range []struct {
		arguments []string
		body      string
	}{
		{[]string{"stripe", "--tenant", "acme"}, `{"provider":"stripe","name":"Stripe","tenant":"acme"}`},
		{[]string{"unheard_of"}, `{"provider":"unheard_of","name":"unheard_of"}`},
		{
			[]string{"github", "--name", "Ours", "--secret", "a,b", "--secret", "c", "--handshake-secret", "h", "--repair-token", "r"},
			`{"provider":"github","name":"Ours","secrets":["a,b","c",{"name":"handshake","role":"handshake","value":"h"},{"name":"repair","role":"repair","value":"r"}]}`,
		},
		{
			[]string{"github", "--dedupe", "header:X", "--event-type", "fixed:a", "--forward-header", "X-A", "--forward-header", "X-B", "--description", "d"},
			`{"provider":"github","name":"GitHub","dedupe":"header:X","event_type_from":"fixed:a","forward_headers":["X-A","X-B"],"description":"d"}`,
		},
		{
			[]string{"github", "--no-headers", "--signed-url", "https://a.example/", "--tolerance", "0s", "--max-body", "9", "--filter", "a < 1", "--hook", "acme/shop/4711", "--options", options},
			`{"provider":"github","name":"GitHub","forward_headers":[],"options":{"url":"https://a.example/","tolerance":"off","max_body_bytes":9,"filter":"a < 1",
				"rate_limit":{"per_second":3,"burst":12345678901234567890},"repair":{"interval":"10m","hook":{"owner":"acme","repository":"shop","id":4711}}}}`,
		},
		{
			[]string{"generic", "--name", "ERP", "--rate-limit", "2.5", "--hook", "acme/7", "--options", ` {"generic": {"header": "X"}}`},
			`{"provider":"generic","name":"ERP","options":{"generic":{"header":"X"},"rate_limit":{"per_second":2.5},"repair":{"hook":{"owner":"acme","id":7}}}}`,
		},
	} {
		server := answering(t, http.StatusCreated, sourceJSON)
		succeeds(t, server.with(append([]string{"sources", "create"}, test.arguments...)...)...)
		require.JSONEq(t, test.body, server.seen()[0].body)
		require.NotEmpty(t, server.seen()[0].header.Get("Idempotency-Key"))
	}
}

func TestSourcesUpdate_ChangesOnlyWhatIsGiven(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		arguments []string
		patch     string
	}{
		{[]string{"--name", "x"}, `{"name":"x"}`},
		{[]string{"--tolerance", "2m", "--default", "rate_limit", "--default", "dedupe"}, `{"dedupe":null,"options":{"tolerance":"2m0s","rate_limit":null}}`},
		{[]string{"--default", "forward_headers"}, `{"forward_headers":null}`},
	} {
		server := answering(t, http.StatusOK, sourceJSON)
		succeeds(t, server.with(append([]string{"sources", "update", "src_1"}, test.arguments...)...)...)
		require.JSONEq(t, test.patch, server.seen()[0].body)
		require.Equal(t, "PATCH /v1/sources/src_1", server.seen()[0].method+" "+server.seen()[0].path)
	}
}

func TestSources_WrongUse(t *testing.T) {
	t.Parallel()
	for _, arguments := range [][]string{
		{"create"}, {"update", "src_1"}, {"secrets", "add", "src_1"}, {"secrets", "add", "src_1", "--secret", "x", "--role", "all"},
		{"create", "x", "--no-headers", "--forward-header", "X"}, {"create", "x", "--options", "{"}, {"create", "x", "--hook", "acme"},
		{"create", "x", "--hook", "acme/shop/x"}, {"repair", "src_1"}, {"rejections", "src_1", "--tenant", "acme"}, {"update", "src_1", "--options", "[1]x"},
	} {
		code := 2
		if slices.Contains(arguments, "[1]x") {
			code = 1 // a file that is not there
		}
		got := malote(t, append(append([]string{"sources"}, arguments...), "--api-key", "k")...)
		require.Equal(t, code, got.code, "%q: %s", arguments, got.stderr)
		got.fails(t, code)
	}
	malote(t, "serve", "--public-url", "hooks.example.com").fails(t, 2)
	malote(t, "serve", "--public-url", "https://hooks.example.com/?x").fails(t, 2)
}

func TestSourcesShow_ForPeople(t *testing.T) {
	t.Parallel()
	server := answering(t, http.StatusOK, sourceJSON)
	shown := succeeds(t, server.with("sources", "show", "src_1")...)
	for _, part := range []string{
		server.URL + "/in/src_1", `{"per_second":5}`, "90s", "2 missed events found", "until 2026-03-01 12:00:00Z", "it has trouble", "live",
	} {
		require.Contains(t, shown, part)
	}
	public := answering(t, http.StatusOK, strings.Replace(sourceJSON, `"receive_url":null`, `"receive_url":"https://hooks.example.com/in/src_1"`, 1))
	require.Contains(t, succeeds(t, public.with("sources", "show", "src_1")...), "https://hooks.example.com/in/src_1")
	without := malote(t, answering(t, http.StatusCreated, strings.Replace(sourceJSON, `["live"]`, `[]`, 1)).with("sources", "create", "stripe")...)
	require.Contains(t, without.stderr, "malote sources secrets add src_1")
}

func TestSourcesRepair_SaysWhatItCameTo(t *testing.T) {
	t.Parallel()
	server := answering(t, http.StatusOK, `{"dry_run":true,"listed":9,"known":6,"missing":3,"fed":0,"asked":2,"filtered":1,"refused":0,"given_up":0}`)
	shown := succeeds(t, server.with("sources", "repair", "src_1", "--since", "2026-03-01", "--until", "2026-03-02", "--dry-run")...)
	require.JSONEq(t, `{"since":"2026-03-01T00:00:00Z","until":"2026-03-02T00:00:00Z","dry_run":true}`, server.seen()[0].body)
	for _, part := range []string{"9 by the provider", "3 had not; without --dry-run", "2 were asked for anew", "1 were left out"} {
		require.Contains(t, shown, part)
	}
	require.NotContains(t, shown, "refused")
}

func TestSourcesProviders_AllAndOne(t *testing.T) {
	t.Parallel()
	const answer = `{"data":[{"name":"stripe","title":"Stripe","tolerance":"5m","gotcha":"Mind the order.","gap_repair":true},{"name":"slack","title":"Slack","tolerance":null}],"next_cursor":null}`
	server := answering(t, http.StatusOK, answer)
	require.Len(t, splitLines(succeeds(t, server.with("sources", "providers")...)), 3)
	one := succeeds(t, server.with("sources", "providers", "stripe")...)
	require.Contains(t, one, "Mind the order.")
	require.NotContains(t, one, "Slack")
	require.Equal(t, "slack", field[string](t, succeeds(t, server.with("sources", "providers", "slack", "--json")...), "name"))
	require.Contains(t, malote(t, server.with("sources", "providers", "nobody")...).fails(t, 1), "malote sources providers")
}

// A source's whole life on a whole server: what a provider sends goes on to an
// endpoint, what nobody signed is turned away and said why.
func TestSources_FromTheProviderToTheEndpoint(t *testing.T) {
	t.Parallel()
	server := startServer(t)
	receiver, address := listening(t)
	succeeds(t, server.with("tenants", "create", "acme")...)
	succeeds(t, server.with("endpoints", "create", address, "--tenant", "acme")...)
	made := succeeds(t, server.with("sources", "create", "github", "--tenant", "acme", "--secret", "hunter2", "--json")...)
	require.NotContains(t, made, "hunter2")
	id := field[string](t, made, "id")
	require.Contains(t, succeeds(t, server.with("sources", "list")...), id)

	got := succeeds(t, server.with("sources", "test", id, "--secret", "hunter2", "--json")...)
	var receipt struct {
		ID        string
		Duplicate bool
	}
	require.NoError(t, json.Unmarshal([]byte(field[string](t, got, "response_body")), &receipt))
	require.False(t, receipt.Duplicate)
	server.awaitDelivery(t, receipt.ID, "delivered", 1)
	require.Contains(t, receiver.stdout.String(), receipt.ID)
	event := server.ask(t, eventsPath+client.Path(receipt.ID), nil)
	require.Equal(t, id, field[string](t, event, "source_id"))
	require.Equal(t, "ping", field[string](t, event, "type"))
	require.Contains(t, succeeds(t, server.with("events", "show", receipt.ID)...), id)

	body := file(t, "body", "{\"zen\":  \"\\u0000\"}")
	sent := succeeds(t, server.with("sources", "test", id, "--secret", "hunter2", "--body", body)...)
	require.Contains(t, sent, "200 OK")
	kept := succeeds(t, server.with("events", "body", idPattern.FindString(sent))...)
	original, err := os.ReadFile(filepath.Clean(body))
	require.NoError(t, err)
	require.Equal(t, string(original), kept)

	refused := malote(t, server.with("sources", "test", id, "--secret", "hunter3")...)
	require.Equal(t, 1, refused.code)
	require.Contains(t, refused.stdout, "401")
	require.Contains(t, refused.stderr, "malote sources rejections "+id)
	require.Eventually(t, func() bool {
		return strings.Contains(server.ask(t, sourcesPath+client.Path(id, "rejections"), nil), string(source.WrongSecret))
	}, patience, 50*time.Millisecond)
	require.Contains(t, succeeds(t, server.with("sources", "rejections", "--tenant", "acme")...), source.WrongSecret.Explain())
}

func TestSources_ChangedAndDeleted(t *testing.T) {
	t.Parallel()
	server := startServer(t, func(o *app.Options) {
		o.Roles, o.PublicURL = []app.Role{app.RoleAPI, app.RoleIngest}, "https://hooks.example.com/"
	})
	succeeds(t, server.with("tenants", "create", "acme")...)
	made := succeeds(t, server.with("sources", "create", "stripe", "--tenant", "acme", "--secret", "hunter1", "--tolerance", "10m", "--json")...)
	id := field[string](t, made, "id")
	require.Equal(t, "https://hooks.example.com/in/"+id, field[string](t, made, "receive_url"))

	succeeds(t, server.with("sources", "secrets", "rotate", id, "--secret", "hunter2", "--name", "new", "--overlap", "1h")...)
	require.Contains(t, malote(t, server.with("sources", "secrets", "add", id, "--secret", "hunter3", "--name", "new")...).fails(t, 1), "name")
	require.Contains(t, malote(t, server.with("sources", "secrets", "add", id, "--secret", "hunter2")...).fails(t, 1), "already")
	secrets := splitLines(succeeds(t, server.with("sources", "secrets", "list", id)...))
	require.Len(t, secrets, 3)
	require.NotContains(t, strings.Join(secrets, "\n"), "hunter")
	succeeds(t, server.with("sources", "secrets", "revoke", id, idPattern.FindString(secrets[1]))...)

	require.Contains(t, succeeds(t, server.with("sources", "pause", id)...), "paused since")
	require.Contains(t, succeeds(t, server.with("sources", "resume", id)...), "active")
	changed := succeeds(t, server.with("sources", "update", id, "--name", "Live", "--filter", `type != "ping"`, "--default", "tolerance", "--json")...)
	require.JSONEq(t, `{"filter":"type != \"ping\""}`, string(field[json.RawMessage](t, changed, "options")))
	for option, says := range map[string]string{
		`{"colour": "red"}`: "options.colour", `{"rate_limit": {"per_second": -1}}`: "options.rate_limit.per_second", `{"generic": {"header": "X"}}`: "generic only",
		`{"repair": {"colour": 1}}`: "options.repair", `{"repair": {"base_url": "http://a.example"}}`: "https://",
	} {
		require.Contains(t, malote(t, server.with("sources", "update", id, "--options", option)...).fails(t, 1), says)
	}
	require.Contains(t, malote(t, server.with("sources", "repair", id, "--since", "1h")...).fails(t, 1), "role repair")
	require.Contains(t, malote(t, server.with("sources", "create", "strype", "--tenant", "acme")...).fails(t, 1), "malote sources providers")
	succeeds(t, server.with("sources", "delete", id)...)
	malote(t, server.with("sources", "show", id)...).fails(t, 1)
}

// What Stripe lists and never came is brought in once, by hand as well.
func TestSources_WhatNeverCameIsBroughtIn(t *testing.T) {
	t.Parallel()
	stripe := newFake(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
		answerJSON(w, http.StatusOK, fmt.Sprintf(
			`{"object": "list", "data": [{"id": "evt_1", "type": "invoice.paid", "created": %d, "data": {"object":  {}}}], "has_more": false}`,
			time.Now().Add(-time.Hour).Unix()))
	})
	server := startServer(t, func(o *app.Options) { o.Roles = []app.Role{app.RoleAPI, app.RoleIngest} })
	succeeds(t, server.with("tenants", "create", "acme")...)
	made := succeeds(t, server.with("sources", "create", "stripe", "--tenant", "acme", "--secret", "hunter1", "--repair-token", "rk_test_hunter2",
		"--options", `{"repair": {"base_url": "`+stripe.URL+`"}}`, "--json")...)
	id := field[string](t, made, "id")
	repair := server.with("sources", "repair", id, "--since", "3h", "--json")
	require.Equal(t, 1, field[int](t, succeeds(t, append(repair, "--dry-run")...), "missing"))
	require.Empty(t, splitLines(malote(t, server.with("events", "list", "--tenant", "acme")...).stdout)[0], "a dry run brings nothing in")
	require.Equal(t, 1, field[int](t, succeeds(t, repair...), "fed"))
	again := succeeds(t, repair...)
	require.Equal(t, 1, field[int](t, again, "known"))
	require.Equal(t, 0, field[int](t, again, "fed"))
	require.Equal(t, "Bearer rk_test_hunter2", stripe.seen()[0].header.Get("Authorization"))
	events := splitLines(succeeds(t, server.with("events", "list", "--tenant", "acme", "--json")...))
	require.Len(t, events, 1)
	require.Equal(t, "evt_1", field[string](t, events[0], "external_id"))
	require.Equal(t, id, field[string](t, events[0], "source_id"))
	require.Contains(t, malote(t, server.with("sources", "repair", id, "--since", "200h")...).fails(t, 1), "too far back")
	stripe.Close()
	require.Contains(t, malote(t, repair...).fails(t, 1), "could not be reached")
}
