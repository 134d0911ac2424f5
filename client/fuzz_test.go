package client_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/client"
)

// Whatever an event holds, it is sent as it is or not at all, and never becomes
// another request.
func FuzzPublish(f *testing.F) {
	f.Add([]byte(awkward), "a.b", "k")
	f.Add([]byte(` [1, 2] `), "a\"},{", "\xff")
	f.Add([]byte(`1,"tenant":"globex"`), "", "\u2028<>&")
	f.Add([]byte(`{"a":1}}`), "a\x00", "\ufffd")
	f.Fuzz(func(t *testing.T, data []byte, eventType, key string) {
		c, w := over(t, always(202, `{"id":"evt_1"}`))
		_, err := c.Publish(t.Context(), client.NewEvent{Type: eventType, Data: data, IdempotencyKey: key})
		if _, refused := errors.AsType[*client.ArgumentError](err); refused {
			require.Empty(t, w.seen())
			require.False(t, json.Valid(data) && utf8.Valid(data) && utf8.ValidString(eventType+" "+key), "refused for nothing: %v", err)
			return
		}
		require.NoError(t, err)
		body := w.seen()[0].body
		var members map[string]json.RawMessage
		require.NoError(t, json.Unmarshal([]byte(body), &members))
		require.True(t, strings.HasSuffix(body, `"data":`+string(data)+`}`))
		require.Equal(t, string(bytes.TrimSpace(data)), string(members["data"]))
		want := map[string]string{"type": eventType, "idempotency_key": key}
		for name, text := range members {
			if name == "data" {
				continue
			}
			var value string
			require.NoError(t, json.Unmarshal(text, &value))
			if name == "idempotency_key" && key == "" {
				require.Len(t, value, 29)
				continue
			}
			require.Equal(t, want[name], value, name)
		}
	})
}

// Whatever a server answers, it becomes an error in one line without the key.
func FuzzError(f *testing.F) {
	f.Add(409, []byte(`{"code":"not_found","detail":"`+key+`","errors":[{"field":"a","detail":"b"}],"index":1}`), "7")
	f.Add(302, []byte(`null`), "Fri, 31 Dec 1999 23:59:59 GMT")
	f.Add(503, []byte(`{"errors":null,"detail":"\n\u001b"}`), "-1")
	f.Add(302, []byte(`%`+key), "0") // no address at all
	f.Fuzz(func(t *testing.T, status int, body []byte, retryAfter string) {
		if status < 300 || status > 999 {
			return
		}
		c, _ := over(t, func(int, sent) (*http.Response, error) {
			return answer(status, string(body), "Retry-After", retryAfter, "Location", string(body)), nil
		}, client.WithRetry(client.NoRetry))
		_, err := c.Tenant(t.Context(), "acme")
		var failed *client.Error
		require.ErrorAs(t, err, &failed)
		require.Equal(t, status, failed.Status)
		require.GreaterOrEqual(t, failed.RetryAfter.Hours(), 0.0)
		require.LessOrEqual(t, failed.RetryAfter.Hours(), 24.0)
		require.NotContains(t, err.Error(), key)
		require.NotContains(t, err.Error(), "\n")
	})
}
