package client_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/client"
)

func TestNew_RefusesWhatCannotWork(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ url, key, argument string }{
		{"", key, "baseURL"}, {"malote.example", key, "baseURL"}, {"ftp://malote.example", key, "baseURL"}, {"https://", key, "baseURL"},
		{"https://user:hunter2@malote.example", key, "baseURL"}, {"https://malote.example?a=hunter2", key, "baseURL"},
		{"https://malote.example#hunter2", key, "baseURL"}, {"https://malote.example/%zz-hunter2", key, "baseURL"},
		{"https://malote.example", "", "key"}, {"https://malote.example", " \n", "key"},
		{"https://malote.example", "hunter2\nX-Evil: 1", "key"}, {"https://malote.example", "hunter2 hunter3", "key"},
		{"https://malote.example", "hunter2é", "key"},
	} {
		_, err := client.New(test.url, test.key)
		var wrong *client.ArgumentError
		require.ErrorAs(t, err, &wrong, "%q, %q", test.url, test.key)
		require.Equal(t, test.argument, wrong.Argument)
		require.NotContains(t, err.Error(), "hunter2", "it may be a secret")
	}
	for name, option := range map[string]client.Option{
		"WithTimeout": client.WithTimeout(0), "WithMaxAnswer": client.WithMaxAnswer(-1), "WithRetry": client.WithRetry(nil),
		"WithTransport": client.WithTransport(nil), "WithUserAgent": client.WithUserAgent("a\nb"),
	} {
		_, err := client.New("https://malote.example", key, option)
		var wrong *client.ArgumentError
		require.ErrorAs(t, err, &wrong)
		require.Equal(t, name, wrong.Argument)
	}
}

func TestNew_BuildsOnThePathOfTheAddress(t *testing.T) {
	t.Parallel()
	for given, base := range map[string]string{
		"http://127.0.0.1:8420": "http://127.0.0.1:8420", "https://a.example/": "https://a.example", "https://a.example/malote//": "https://a.example/malote",
	} {
		c, err := client.New(given, key+"\n")
		require.NoError(t, err)
		require.Equal(t, base, c.BaseURL())
	}
}

func TestClient_SaysWhoAsks(t *testing.T) {
	t.Parallel()
	c, w := over(t, always(200, `{"status":"ok"}`), client.WithUserAgent("shop/1.4"))
	require.NoError(t, c.Ready(t.Context()))
	got := w.seen()[0]
	require.Equal(t, "malote.example", got.whole.URL.Host)
	require.Equal(t, "/api/readyz", got.path)
	require.Equal(t, "Bearer "+key, got.header.Get("Authorization"))
	require.Equal(t, "shop/1.4", got.header.Get("User-Agent"))
	require.Empty(t, got.header.Get("Content-Type"), "there is no body")
}

// A client is a member of somebody's struct, and that gets logged.
func TestClient_DoesNotShowItsKey(t *testing.T) {
	t.Parallel()
	c, _ := over(t, always(200, ""))
	for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
		require.NotContains(t, fmt.Sprintf(verb, c), key[4:])
		require.NotContains(t, fmt.Sprintf(verb, *c), key[4:])
	}
}

func TestCall_TakesOnlyWholePaths(t *testing.T) {
	t.Parallel()
	c, w := over(t, always(200, "{}"))
	for _, path := range []string{"", "v1/tenants", "/v1/tenants?a=b", "/v1/tenants#a", "/v1//tenants", "/v1/tenants/", "/v1/..", "/v1/%2e%2E/x", "/v1/%2", "@evil.example/"} {
		_, err := c.Call(t.Context(), client.Request{Method: http.MethodGet, Path: path})
		var wrong *client.ArgumentError
		require.ErrorAs(t, err, &wrong, path)
		require.Equal(t, "Path", wrong.Argument)
	}
	for _, request := range []client.Request{
		{Path: "/v1/tenants"}, {Method: "GET\n", Path: "/v1/tenants"}, {Method: "POST", Path: "/v1/tenants", IdempotencyKey: "a\nb"},
		{Method: "POST", Path: "/v1/tenants", IdempotencyKey: " a"},
	} {
		_, err := c.Call(t.Context(), request)
		var wrong *client.ArgumentError
		require.ErrorAs(t, err, &wrong)
	}
	require.ErrorContains(t, c.RevokeSecret(t.Context(), "whe_1", ".."), "no id", "or a proxy would make DELETE of the endpoint out of it")
	require.ErrorContains(t, c.DeleteEndpoint(t.Context(), ""), "no id")
	require.Empty(t, w.seen())

	_, err := c.Tenant(t.Context(), "a/../b?c#d%2f")
	require.NoError(t, err)
	require.Equal(t, "/api/v1/tenants/a%2F..%2Fb%3Fc%23d%252f", w.seen()[0].path, "whatever it is, it is one part")
}

func TestCall_IsTheDoorToTheRest(t *testing.T) {
	t.Parallel()
	c, w := over(t, always(201, `{"id":"src_1"}`, "X-Odd", "1"))
	got, err := c.Call(t.Context(), client.Request{
		Method: http.MethodPost, Path: client.Path("v1", "sources"), Body: []byte(`{"name": "<&>"}`), IdempotencyKey: "mine",
		Query: map[string][]string{"a": {"b c"}},
	})
	require.NoError(t, err)
	require.Equal(t, 201, got.Status)
	require.Equal(t, "1", got.Header.Get("X-Odd"))
	request := w.seen()[0]
	require.Equal(t, []string{`{"name": "<&>"}`, "a=b+c", "mine", "application/json"},
		[]string{request.body, request.query, request.header.Get("Idempotency-Key"), request.header.Get("Content-Type")})

	var source struct{ ID string }
	require.NoError(t, got.Decode(&source))
	require.Equal(t, "src_1", source.ID)
	var wrong *client.AnswerError
	require.ErrorAs(t, got.Decode(&[]int{}), &wrong)
	require.Equal(t, "/v1/sources", wrong.Path)
	require.Error(t, (&client.Response{}).Decode(&source), "one that a test made")
}
