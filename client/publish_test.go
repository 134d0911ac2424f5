package client_test

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/client"
)

// awkward is JSON that any decoding and encoding would change.
const awkward = `{ "b":1.0,"a":"\u0000\ud83e\uddf5<&>",	"big":12345678901234567890.10e+5,"b":2 }`

func TestPublish_KeepsTheBytes(t *testing.T) {
	t.Parallel()
	c, w := over(t, always(202, `{"id":"evt_1","duplicate":false,"deliveries":2,"skipped":1}`))
	published, err := c.Publish(t.Context(), client.NewEvent{
		Tenant: "acme", Type: "invoice.paid", Data: json.RawMessage(awkward), IdempotencyKey: "k <1>", CoalesceKey: "c", EntityVersion: "7",
		ExternalID: "x", OccurredAt: time.Date(2026, 3, 1, 13, 0, 0, 5e6, time.FixedZone("", 3600)), EndpointIDs: []string{"whe_1", "whe_2"},
	})
	require.NoError(t, err)
	require.Equal(t, client.Published{ID: "evt_1", Deliveries: 2, Skipped: 1}, published)
	request := w.seen()[0]
	require.Equal(t, []string{"POST", "/api/v1/events", ""}, []string{request.method, request.path, request.query})
	require.Contains(t, request.body, `"data":`+awkward+`}`)
	require.Equal(t, `{"type":"invoice.paid","tenant":"acme","idempotency_key":"k \u003c1\u003e","coalesce_key":"c","entity_version":"7",`+
		`"external_id":"x","occurred_at":"2026-03-01T12:00:00.005Z","endpoint_ids":["whe_1","whe_2"],"data":`+awkward+`}`, request.body)

	own := "\x00\xff not JSON at all"
	_, err = c.Publish(t.Context(), client.NewEvent{Type: "a.b", Body: []byte(own), ContentType: "application/x-odd", IdempotencyKey: "k"})
	require.NoError(t, err)
	require.Equal(t, `{"type":"a.b","content_type":"application/x-odd","idempotency_key":"k","body_base64":"`+
		base64.StdEncoding.EncodeToString([]byte(own))+`"}`, w.seen()[1].body)
	_, err = c.Publish(t.Context(), client.NewEvent{Type: "a.b", Body: []byte{}, IdempotencyKey: "k"})
	require.NoError(t, err)
	require.Contains(t, w.seen()[2].body, `"body_base64":""`, "an empty body is one")
}

func TestPublish_RefusesWhatWouldBecomeAnother(t *testing.T) {
	t.Parallel()
	c, w := over(t, always(202, `{}`))
	for argument, event := range map[string]client.NewEvent{
		"Data is missing":             {Type: "a.b"},
		"Data and Body":               {Type: "a.b", Data: []byte("1"), Body: []byte("1")},
		"Data is not one":             {Type: "a.b", Data: []byte(`1,"tenant":"globex"`)},
		"Data is not one JSON":        {Type: "a.b", Data: []byte(`1} {"data":2`)},
		"Data is not one JSON value":  {Type: "a.b", Data: []byte{}},
		"Data is not one JSON value ": {Type: "a.b", Data: []byte("\"\xff\"")},
		"IdempotencyKey is not UTF-8": {Type: "a.b", Data: []byte(`1`), IdempotencyKey: "\xff\xfe"},
		"CoalesceKey is not UTF-8":    {Type: "a.b", Data: []byte(`1`), CoalesceKey: "a\x80"},
	} {
		_, err := c.Publish(t.Context(), event)
		var wrong *client.ArgumentError
		require.ErrorAs(t, err, &wrong, argument)
		require.Contains(t, err.Error(), argument)
		_, err = c.PublishBatch(t.Context(), []client.NewEvent{{Type: "a.b", Data: []byte("1")}, event})
		require.ErrorContains(t, err, "events[1]."+argument)
	}
	_, err := c.PublishBatch(t.Context(), nil)
	require.ErrorContains(t, err, "1 to 1000")
	_, err = c.PublishBatch(t.Context(), make([]client.NewEvent, client.MaxBatch+1))
	require.ErrorContains(t, err, "1001")
	require.Empty(t, w.seen(), "nothing was sent")
}

// ledger is a Malote that loses its first answers after it has done the work.
type ledger struct {
	lose int
	ids  map[string]string // by idempotency key
}

func (l *ledger) answer(n int, r sent) (*http.Response, error) {
	var batch struct {
		Events []json.RawMessage
	}
	if err := json.Unmarshal([]byte(r.body), &batch); err != nil {
		return nil, err
	}
	if batch.Events == nil {
		batch.Events = []json.RawMessage{json.RawMessage(r.body)}
	}
	results := make([]client.Published, len(batch.Events))
	for i, text := range batch.Events {
		var event struct {
			Key string `json:"idempotency_key"`
		}
		if err := json.Unmarshal(text, &event); err != nil {
			return nil, err
		}
		id, known := l.ids[event.Key]
		if !known {
			id = "evt_" + event.Key
			l.ids[event.Key] = id
		}
		results[i] = client.Published{ID: id, Duplicate: known}
	}
	if n <= l.lose {
		return nil, errReset
	}
	if strings.HasSuffix(r.path, "/batch") {
		text, err := json.Marshal(client.Page[client.Published]{Data: results})
		return answer(202, string(text)), err
	}
	text, err := json.Marshal(results[0])
	return answer(202, string(text)), err
}

func TestPublish_ALostAnswerMakesNoSecondEvent(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"", "invoice-42"} {
		synctest.Test(t, func(t *testing.T) {
			server := &ledger{lose: 2, ids: map[string]string{}}
			c, w := over(t, server.answer)
			event := client.NewEvent{Type: "a.b", Data: []byte(`1`), IdempotencyKey: key}
			published, err := c.Publish(t.Context(), event)
			require.NoError(t, err)
			require.True(t, published.Duplicate)
			require.Len(t, server.ids, 1)
			requests := w.seen()
			require.Len(t, requests, 3)
			require.Equal(t, requests[0].body, requests[2].body)
			require.Contains(t, published.ID, key)

			_, err = c.Publish(t.Context(), event)
			require.NoError(t, err)
			want := 1
			if key == "" {
				want = 2 // each call is an event of its own
			}
			require.Len(t, server.ids, want)
		})
	}
}

// Refused after an answer that got lost is not the same as refused.
func TestPublish_SaysWhenItMayBeIn(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		first     int // its status; 0: it got lost
		then      int
		uncertain bool
	}{{0, 429, true}, {0, 401, true}, {503, 429, true}, {503, 503, true}, {429, 400, false}, {429, 429, false}, {400, 0, false}, {500, 0, true}} {
		synctest.Test(t, func(t *testing.T) {
			c, _ := over(t, func(n int, _ sent) (*http.Response, error) {
				switch status := test.first; {
				case n > 1:
					return answer(test.then, `{"code":"x"}`), nil
				case status == 0:
					return nil, errReset
				default:
					return answer(status, `{"code":"x"}`), nil
				}
			})
			_, err := c.Publish(t.Context(), client.NewEvent{Type: "a.b", Data: []byte(`1`)})
			var failed *client.Error
			require.ErrorAs(t, err, &failed)
			require.Equal(t, test.uncertain, failed.Uncertain, "%+v", test)

			reading, _ := over(t, always(503, unavailable))
			_, err = reading.Event(t.Context(), "evt_1")
			require.ErrorAs(t, err, &failed)
			require.False(t, failed.Uncertain, "reading has no effect")
		})
	}
}

func TestPublishBatch_ALostAnswerMakesNoSecondEvents(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := &ledger{lose: 1, ids: map[string]string{}}
		c, w := over(t, server.answer)
		results, err := c.PublishBatch(t.Context(), []client.NewEvent{
			{Type: "a.b", Data: []byte(awkward)}, {Type: "a.b", Data: []byte(`2`), IdempotencyKey: "mine"}, {Type: "a.b", Body: []byte("x")},
		})
		require.NoError(t, err)
		require.Len(t, results, 3)
		require.Len(t, server.ids, 3)
		require.Equal(t, client.Published{ID: "evt_mine", Duplicate: true}, results[1])
		require.Contains(t, w.seen()[0].body, `"data":`+awkward+`},{`)
		require.Equal(t, "/api/v1/events/batch", w.seen()[0].path)
	})
	short, _ := over(t, always(202, `{"data":[]}`))
	_, err := short.PublishBatch(t.Context(), []client.NewEvent{{Type: "a.b", Data: []byte(`1`)}})
	var unusable *client.AnswerError
	require.ErrorAs(t, err, &unusable)
}
