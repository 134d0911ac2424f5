package main

import (
	"context"
	"encoding/base64"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/malotehq/malote/client"
)

const publishedJSON = `{"id":"evt_1","duplicate":false,"deliveries":2,"skipped":0}`

// awkward is JSON that nobody can decode and encode again without changing it.
const awkward = `{ "z" : 12345678901234567890, "a":"\u0000 \u00e9 é <&> \/", "z": 1.0e+2,
	"big": 0.10000000000000000000000000001, "emoji": "🎉", "empty" : { } }`

// sentData gives what stands between "data": and the object's end, byte for byte.
func sentData(t testing.TB, body string) string {
	t.Helper()
	_, data, found := strings.Cut(body, `,"data":`)
	require.True(t, found, body)
	return strings.TrimSuffix(data, "}")
}

func TestPublish_DataGoesOutByteForByte(t *testing.T) {
	t.Parallel()
	for name, publish := range map[string]func(*fake) result{
		"flag":  func(f *fake) result { return malote(t, f.with("publish", "a.b", "--data", awkward)...) },
		"file":  func(f *fake) result { return malote(t, f.with("publish", "a.b", file(t, "x.json", awkward))...) },
		"stdin": func(f *fake) result { return maloteReading(t, awkward, f.with("publish", "a.b", "-")...) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := answering(t, http.StatusAccepted, publishedJSON)
			got := publish(server)
			require.Zero(t, got.code, got.stderr)
			require.Equal(t, "evt_1 is published: 2 deliveries.\n", got.stdout)
			require.Equal(t, awkward, sentData(t, server.seen()[0].body))
		})
	}
}

func TestPublish_RawBytesGoOutByteForByte(t *testing.T) {
	t.Parallel()
	const bytes = "\xff\xfe\x00not UTF-8, not JSON\r\n"
	server := answering(t, http.StatusAccepted, publishedJSON)
	got := maloteReading(t, bytes, server.with("publish", "a.b", "-", "--raw", "--content-type", "application/x-odd")...)
	require.Zero(t, got.code, got.stderr)
	body := server.seen()[0].body
	sent, err := base64.StdEncoding.DecodeString(field[string](t, body, "body_base64"))
	require.NoError(t, err)
	require.Equal(t, bytes, string(sent))
	require.Equal(t, "application/x-odd", field[string](t, body, "content_type"))
}

func TestPublish_SaysAllThatWasAsked(t *testing.T) {
	t.Parallel()
	server := answering(t, http.StatusAccepted, `{"id":"evt_1","duplicate":true,"deliveries":0,"skipped":0}`)
	told := succeeds(t, server.with("publish", "a.b", "--tenant", "acme", "--data=-1", "--key", "kéy", "--coalesce-key", "order-17",
		"--entity-version", "v3", "--external-id", "x", "--occurred-at", "2026-03-01T12:00:00.25+01:00", "--endpoint", "whe_1", "--endpoint", "whe_2")...)
	require.Contains(t, told, "before")
	require.JSONEq(t, `{"type":"a.b","tenant":"acme","idempotency_key":"kéy","coalesce_key":"order-17","entity_version":"v3",
		"external_id":"x","occurred_at":"2026-03-01T11:00:00.25Z","endpoint_ids":["whe_1","whe_2"],"data":-1}`, server.seen()[0].body)
}

func TestPublish_EveryPublishHasAKeyOfItsOwn(t *testing.T) {
	t.Parallel()
	server := answering(t, http.StatusAccepted, publishedJSON)
	for range 2 {
		succeeds(t, server.with("publish", "a.b", "--data", "1")...)
	}
	first, second := field[string](t, server.seen()[0].body, "idempotency_key"), field[string](t, server.seen()[1].body, "idempotency_key")
	require.NotEmpty(t, first)
	require.NotEqual(t, first, second)
}

func TestPublish_SaysWhereJSONIsWrong(t *testing.T) {
	t.Parallel()
	for content, says := range map[string]string{
		"{\n  \"a\": 1,\n  \"b\": x\n}": "line 3, column 8",
		"{\"a\": 1} {\"b\": 2}":         "line 1, column 10",
		"":                              "not JSON",
		"\xef\xbb\xbf{}":                "byte order mark",
		"\"\xff\"":                      "--raw",
	} {
		server := answering(t, http.StatusAccepted, publishedJSON)
		name := file(t, "event.json", content)
		told := malote(t, server.with("publish", "a.b", name)...).fails(t, 1)
		require.Contains(t, told, says)
		require.Contains(t, told, name)
		require.Empty(t, server.seen(), "nothing was sent")
	}
}

// Whatever JSON there is, and whatever the other members are, the data is sent
// as it came and the whole stays JSON.
func TestPublish_BodyKeepsData(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.StringMatching(`[ -~]{0,20}`).Draw(rt, "text")
		space := rapid.StringMatching(`[ \t\n]{0,3}`).Draw(rt, "space")
		data := space + string(encoded(map[string]any{text: rapid.Int().Draw(rt, "n")})) + space
		f := publishCommand{Type: rapid.String().Draw(rt, "type"), CoalesceKey: rapid.String().Draw(rt, "key")}
		require.NoError(rt, checkJSON("it", []byte(data)))
		body, err := sentBody(f.event([]byte(data), "k"))
		require.NoError(rt, err)
		require.NoError(rt, checkJSON("body", []byte(body)))
		require.True(rt, strings.HasSuffix(body, `,"data":`+data+"}"), body)
	})
}

// sentBody is what an event's publication sends, to a server that takes all.
func sentBody(event client.NewEvent) (body string, _ error) {
	transport := roundTripper(func(r *http.Request) (*http.Response, error) {
		text, err := io.ReadAll(r.Body)
		body = string(text)
		return &http.Response{StatusCode: http.StatusAccepted, Body: io.NopCloser(strings.NewReader(publishedJSON))}, err
	})
	api, err := client.New("http://malote.example", "k", client.WithTransport(transport))
	if err == nil {
		_, err = api.Publish(context.Background(), event)
	}
	return body, err
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestInstant_TakesMomentsDaysAndAges(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"2026-03-01T12:00:00Z":      "2026-03-01T12:00:00Z",
		"2026-03-01T12:00:00+02:00": "2026-03-01T10:00:00Z",
		"2026-03-01":                "2026-03-01T00:00:00Z",
	} {
		var at instant
		require.NoError(t, at.UnmarshalText([]byte(text)))
		require.Equal(t, want, at.rfc3339())
	}
	var at instant
	require.NoError(t, at.UnmarshalText([]byte("2h")))
	require.WithinDuration(t, time.Now().Add(-2*time.Hour), at.Time, time.Minute)
	require.Error(t, at.UnmarshalText([]byte("-2h")), "the future has not happened")
	require.Empty(t, instant{}.rfc3339())
}
