package main

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/client"
	"github.com/malotehq/malote/internal/app"
)

func TestEndpoints_LaneOptionsAndSecretHeaders(t *testing.T) {
	t.Parallel()
	server := startServer(t, func(o *app.Options) { o.Roles = []app.Role{app.RoleAPI} })
	succeeds(t, server.with("tenants", "create", "acme", "--priority", "99")...)
	const condition = `type == "a.b" && data.total > 10`
	made := succeeds(t, server.with("endpoints", "create", "http://127.0.0.1:1/", "--tenant", "acme", "--rate-limit", "12.5", "--fifo",
		"--filter", condition, "--header", "X-Plain: p", "--secret-header", "X-Key: hunter2")...)
	for _, part := range []string{"12.5 attempts a second", "strict", condition, "X-Plain: p", "X-Key: [hidden]"} {
		require.Contains(t, made, part)
	}
	require.NotContains(t, made, "hunter2")
	id := idPattern.FindString(made)
	show := server.with("endpoints", "show", id, "--json")
	shown := succeeds(t, show...)
	require.InDelta(t, 12.5, field[float64](t, shown, "rate_limit"), 0)
	require.True(t, field[bool](t, shown, "fifo"))
	require.Equal(t, condition, field[string](t, shown, "filter"))
	require.Equal(t, []string{"X-Key"}, field[[]string](t, shown, "secret_headers"))

	skipped := idPattern.FindString(succeeds(t, server.with("publish", "a.b", "--tenant", "acme", "--data", `{"total": 1}`)...))
	delivery := field[string](t, succeeds(t, server.with("deliveries", "list", "--event", skipped, "--json")...), "id")
	require.Contains(t, succeeds(t, server.with("deliveries", "show", delivery)...), "filter is false for this event")

	succeeds(t, server.with("endpoints", "update", id, "--no-fifo", "--rate-limit", "0", "--filter", "", "--header", "X-Key: [hidden]")...)
	shown = succeeds(t, show...)
	require.Nil(t, field[*float64](t, shown, "rate_limit"))
	require.False(t, field[bool](t, shown, "fifo"))
	require.Empty(t, field[string](t, shown, "filter"))
	require.Equal(t, map[string]string{"X-Key": "[hidden]"}, field[map[string]string](t, shown, "headers"))

	refused := malote(t, server.with("endpoints", "update", id, "--filter", "data.total >")...).fails(t, 1)
	require.Contains(t, refused, "line 1, column 13")
}

func TestEndpointsUpdate_ChangesOnlyWhatIsGiven(t *testing.T) {
	t.Parallel()
	server := answering(t, http.StatusOK, `{"id":"whe_1"}`)
	for _, test := range []struct {
		arguments []string
		patch     string
	}{
		{[]string{"--fifo"}, `{"fifo":true}`},
		{[]string{"--no-fifo", "--rate-limit", "0.5"}, `{"fifo":false,"rate_limit":0.5}`},
		{[]string{"--filter="}, `{"filter":""}`},
		{[]string{"--secret-header", "B: x:y", "--header", "A: 1"}, `{"headers":{"A":"1","B":"x:y"},"secret_headers":["B"]}`},
		{[]string{"--header", "A: [hidden]"}, `{"headers":{"A":"[hidden]"}}`},
	} {
		succeeds(t, server.with(append([]string{"endpoints", "update", "whe_1"}, test.arguments...)...)...)
		requests := server.seen()
		require.JSONEq(t, test.patch, requests[len(requests)-1].body)
	}
}

func TestEndpoints_AMistakenSecretIsNotRepeated(t *testing.T) {
	t.Parallel()
	refused := malote(t, "endpoints", "create", "https://a.example", "--secret-header", "hunter2").fails(t, 2)
	require.NotContains(t, refused, "hunter2")
}

func TestPointing_AtTheFiltersMistake(t *testing.T) {
	t.Parallel()
	condition := "type == \"a.b\" &&\n\tdata.total = 10"
	refusal := &refusal{&client.Error{Status: http.StatusUnprocessableEntity, Code: "invalid_filter", Detail: "filter: it is so."}}
	f := laneFlags{Filter: &condition}
	err := f.pointing(refusal)
	placed, ok := err.(*placedError) //nolint:errorlint // it is what fail looks for
	require.True(t, ok)
	require.ErrorIs(t, err, refusal)
	require.Equal(t, "  "+" data.total = 10\n"+"  "+"            ^", placed.drawing)
	require.Equal(t, refusal.Error(), err.Error(), "where there is no terminal, it stays one line")

	sound := "true"
	require.Equal(t, error(refusal), (&laneFlags{Filter: &sound}).pointing(refusal), "a server that knows more, or less")
	require.Equal(t, error(refusal), (&laneFlags{}).pointing(refusal))
	require.NoError(t, f.pointing(nil))
}

func TestPointer_DrawsSafely(t *testing.T) {
	t.Parallel()
	require.Equal(t, "  a == b\n    ^", pointer("a == b", 1, 3))
	require.Equal(t, "  \ufffd[2Jx\n       ^", pointer("\x1b[2Jx", 1, 6))
	require.Equal(t, "  last\n  ^", pointer("first\nlast", 9, 1))
}

func TestEndpointView_ReadsWhatTheAPIHas(t *testing.T) {
	t.Parallel()
	var e endpointView
	require.NoError(t, json.Unmarshal([]byte(`{"rate_limit":null,"fifo":false,"filter":""}`), &e))
	require.Nil(t, e.RateLimit, "no limit is not a limit of 0")
}
