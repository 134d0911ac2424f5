package client_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/client"
)

// to makes a client of a server on this machine.
func to(t *testing.T, serve http.HandlerFunc, options ...client.Option) *client.Client {
	t.Helper()
	server := httptest.NewServer(serve)
	t.Cleanup(server.Close)
	c, err := client.New(server.URL, key, options...)
	require.NoError(t, err)
	t.Cleanup(c.CloseIdleConnections)
	return c
}

func TestAnswer_IsReadNoFurtherThanTheLimit(t *testing.T) {
	t.Parallel()
	var written atomic.Int64
	endless := func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/tenants/a" {
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(http.StatusConflict)
		}
		for chunk := []byte(strings.Repeat(" ", 64<<10)); ; {
			n, err := w.Write(chunk)
			if written.Add(int64(n)); err != nil {
				return
			}
		}
	}
	c := to(t, endless, client.WithMaxAnswer(100_000))
	_, err := c.Tenant(t.Context(), "a")
	var unusable *client.AnswerError
	require.ErrorAs(t, err, &unusable)
	require.ErrorIs(t, err, client.ErrAnswerTooLong)
	require.Contains(t, err.Error(), "100000 bytes")

	_, err = c.Tenant(t.Context(), "b")
	var failed *client.Error
	require.ErrorAs(t, err, &failed)
	require.Equal(t, 409, failed.Status, "an endless failure is one all the same")
	require.Less(t, written.Load(), int64(64<<20), "what the kernel's buffers hold, and no more")

	exact := to(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(strings.Repeat("x", 1000))) }, client.WithMaxAnswer(1000))
	body, _, err := exact.EventBody(t.Context(), "evt_1")
	require.NoError(t, err)
	require.Len(t, body, 1000)
}

func TestAnswer_NoRedirectIsFollowed(t *testing.T) {
	t.Parallel()
	var elsewhere atomic.Int64
	thief := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }))
	defer thief.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		c := to(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, thief.URL+"/?"+key, status) })
		_, err := c.Publish(t.Context(), client.NewEvent{Type: "a.b", Data: []byte(`1`)})
		var failed *client.Error
		require.ErrorAs(t, err, &failed)
		require.Equal(t, status, failed.Status)
		require.Contains(t, err.Error(), thief.URL, "so that somebody can put it right")
		require.NotContains(t, err.Error(), key)
		require.Empty(t, failed.Code)
	}
	require.Zero(t, elsewhere.Load(), "a key is for one server")
}

func TestError_SaysAllThatTheAnswerDoes(t *testing.T) {
	t.Parallel()
	c, _ := over(t, always(409, `{"type":"/docs#x","title":"Conflict","status":409,"code":"webhook_delivery_not_replayable",
		"detail":"Nothing was replayed: see errors.","errors":[{"field":"ids[0]","detail":"Its endpoint was deleted."}],
		"index":3,"request_id":"req_1","later":{"more":true}}`, "Retry-After", "2"), client.WithRetry(client.NoRetry))
	_, err := c.ReplayDeliveries(t.Context(), []string{"whd_1"})
	var failed *client.Error
	require.ErrorAs(t, err, &failed)
	index := 3
	require.Equal(t, &client.Error{
		Method: "POST", Path: "/v1/webhook_deliveries/replay", Status: 409, Code: client.CodeDeliveryNotReplayable, Title: "Conflict",
		Detail: "Nothing was replayed: see errors.", Faults: []client.Fault{{Field: "ids[0]", Detail: "Its endpoint was deleted."}},
		Index: &index, RequestID: "req_1", RetryAfter: 2 * time.Second,
	}, failed)
	require.Equal(t, "malote: POST /v1/webhook_deliveries/replay: webhook_delivery_not_replayable (409): "+
		"Nothing was replayed: see errors. ids[0]: Its endpoint was deleted. (request_id req_1)", err.Error())
	require.ErrorIs(t, err, client.CodeDeliveryNotReplayable)
	require.NotErrorIs(t, err, client.CodeNotFound)
	require.NotErrorIs(t, err, client.Code(""))
}

func TestError_OfSomebodyElse(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ contentType, body string }{
		"a proxy's page": {"text/html", "<h1>404"}, "JSON of another kind": {"application/json", `{"code":"not_found"}`},
		"half a problem": {"application/problem+json", `{"code":"not_f`}, "an odd problem": {"application/problem+json", `{"code":17}`},
		"an empty one": {"application/problem+json", ``},
	} {
		c, _ := over(t, always(404, test.body, "Content-Type", test.contentType))
		_, err := c.Event(t.Context(), "evt_1")
		var failed *client.Error
		require.ErrorAs(t, err, &failed, name)
		require.Empty(t, failed.Code, name)
		require.NotErrorIs(t, err, client.CodeNotFound, "whether the event is there, nobody has said")
		require.Contains(t, err.Error(), "HTTP 404 Not Found", name)
	}
}

func TestError_NeverShowsTheKey(t *testing.T) {
	t.Parallel()
	echo := `{"code":"` + key + `","title":"` + key + `","detail":"you sent Bearer ` + key + `\nand\u001b[31m more","request_id":"` + key + `",
		"errors":[{"field":"` + key + `","detail":"\u006dlt_0123456789abcdef"}]}`
	c, _ := over(t, always(400, echo, "Location", "https://evil.example/?key="+key))
	_, err := c.Event(t.Context(), "evt_1")
	var failed *client.Error
	require.ErrorAs(t, err, &failed)
	for _, part := range []string{err.Error(), failed.Detail, failed.Title, string(failed.Code), failed.RequestID, failed.Location,
		failed.Faults[0].Field, failed.Faults[0].Detail} {
		require.NotContains(t, part, key)
		require.Contains(t, part, "[key]")
	}
	require.NotContains(t, err.Error(), "\n", "it is one line")
	require.NotContains(t, err.Error(), "\x1b")

	broken, _ := over(t, func(int, sent) (*http.Response, error) { return nil, errReset }, client.WithRetry(client.NoRetry))
	_, err = broken.Event(t.Context(), "evt_1")
	require.Equal(t, "malote: GET /v1/events/evt_1: connection reset by peer", err.Error())
	var noAnswer *client.ConnectionError
	require.True(t, errors.As(err, &noAnswer))
}
