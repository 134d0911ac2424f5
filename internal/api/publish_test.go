package api

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/publish"
)

func TestPublish_AnswersWhatWasCommitted(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	answer := r.call("POST", "/v1/events", publishKey, `{"type":"a.b","data":{"z":1, "a":2}}`)
	object := answer.object(t, http.StatusAccepted)
	require.Equal(t, "application/json", answer.Header().Get("Content-Type"))
	require.Equal(t, strconv.Itoa(answer.Body.Len()), answer.Header().Get("Content-Length"))
	_, err := delivery.ParseID(delivery.EventPrefix, object["id"].(string))
	require.NoError(t, err)
	delete(object, "id")
	require.Equal(t, map[string]any{"duplicate": false, "deliveries": 2.0, "skipped": 1.0}, object)

	require.Len(t, r.published, 1)
	require.Equal(t, []publish.Request{{Tenant: "acme", Type: "a.b", Data: []byte(`{"z":1, "a":2}`)}}, r.published[0],
		"a tenant's key need not name its tenant")
}

func TestPublish_TakesWhatCurlSends(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for _, contentType := range []string{
		"", "application/json", "application/json; charset=utf-8", "application/cloudevents+json", "application/x-www-form-urlencoded",
	} {
		r.call("POST", "/v1/events", publishKey, `{"type":"a","data":1}`, "Content-Type", contentType).object(t, http.StatusAccepted)
	}
	for _, header := range [][]string{
		{"Content-Type", "text/plain"}, {"Content-Type", "application/json; charset=latin1"}, {"Content-Type", ";"},
		{"Content-Type", "application/json", "Content-Encoding", "gzip"},
	} {
		r.call("POST", "/v1/events", publishKey, `{"type":"a","data":1}`, header...).problem(t, UnsupportedMediaType)
	}
}

func TestPublish_TheHeaderIsTheMember(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	const without, with = `{"type":"a","data":1}`, `{"type":"a","data":1,"idempotency_key":"k"}`
	r.call("POST", "/v1/events", publishKey, without, "Idempotency-Key", "k").object(t, http.StatusAccepted)
	r.call("POST", "/v1/events", publishKey, with, "Idempotency-Key", "k").object(t, http.StatusAccepted)
	r.call("POST", "/v1/events", publishKey, with).object(t, http.StatusAccepted)
	for _, requests := range r.published {
		require.Equal(t, "k", requests[0].IdempotencyKey)
	}
	p := r.call("POST", "/v1/events", publishKey, with, "Idempotency-Key", "other").problem(t, InvalidRequest)
	require.Equal(t, "Idempotency-Key", p.Errors[0].Field)
	r.call("POST", "/v1/events/batch", publishKey, `{"events":[`+without+`]}`, "Idempotency-Key", "k").problem(t, InvalidRequest)
	require.Len(t, r.published, 3)
}

func TestPublishBatch(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	object := r.call("POST", "/v1/events/batch", adminKey,
		`{"events":[{"tenant":"acme","type":"a","data":1},{"tenant":"globex","type":"b","body_base64":"AA=="}]}`).object(t, http.StatusAccepted)
	require.Len(t, object["data"], 2)
	require.Len(t, r.published, 1, "one call, so that it is all or nothing")
	require.Equal(t, []byte{0}, r.published[0][1].Body)

	whole := `{"events":[` + strings.Repeat(`{"type":"a","data":1},`, MaxBatch-1) + `{"type":"a","data":1}]}`
	require.Len(t, r.call("POST", "/v1/events/batch", publishKey, whole).object(t, http.StatusAccepted)["data"], MaxBatch)
}

func TestPublish_MapsEveryRefusal(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for _, c := range []struct {
		err   error
		code  Code
		field string // as a single event has it
	}{
		{&publish.InvalidError{Index: 1, Field: "type", Reason: "must be dotted"}, InvalidRequest, "type"},
		{&publish.TooLargeError{Index: 1, Size: 5000, Limit: 4096}, BodyTooLarge, ""},
		{&publish.RefusedError{Index: 1, Err: delivery.ErrUnknownTenant}, UnknownTenant, ""},
		{&publish.RefusedError{Index: 1, Err: delivery.ErrUnknownEndpoint}, UnknownEndpoint, ""},
		{&publish.RefusedError{Index: 1, Err: delivery.ErrKeyReused}, IdempotencyKeyReused, ""},
		{publish.ErrStopped, Unavailable, ""},
		{context.DeadlineExceeded, Unavailable, ""},
		{&publish.RefusedError{Index: 1, Err: errors.New("?")}, Internal, ""},
		{errors.New("column does not exist"), Internal, ""},
	} {
		r.publishErr = c.err
		single := r.call("POST", "/v1/events", publishKey, `{"type":"a","data":1}`).problem(t, c.code)
		require.Nil(t, single.Index, "there is only one event")
		batch := r.call("POST", "/v1/events/batch", publishKey, `{"events":[{"type":"a","data":1},{"type":"a","data":1}]}`).problem(t, c.code)
		if refused := c.code != Unavailable && c.code != Internal; refused {
			require.Equal(t, 1, *batch.Index)
		}
		if c.field != "" {
			require.Equal(t, c.field, single.Errors[0].Field)
			require.Equal(t, "events[1]."+c.field, batch.Errors[0].Field)
			require.Equal(t, "events[1].type: must be dotted.", batch.Detail)
		}
		require.NotContains(t, single.Detail+batch.Detail, "column", "internals are for the log")
	}
}

func TestPublish_UnavailableSaysWhenToRetry(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.broken = context.DeadlineExceeded
	answer := r.call("POST", "/v1/events", adminKey, `{"tenant":"acme","type":"a","data":1}`)
	answer.problem(t, Unavailable)
	require.Equal(t, "2", answer.Header().Get("Retry-After"))
	r.call("POST", "/v1/events", publishKey, `{"type":"a","data":1}`).problem(t, Unavailable) // not 401: nobody knows
	require.Empty(t, r.published)
}

func TestPublish_LimitsHowMuchIsRead(t *testing.T) {
	t.Parallel()
	r := newRig(t) // 4 KiB for an event's body
	limit := limitsFor(4096)
	for path, most := range map[string]int{"/v1/events": limit.publish, "/v1/events/batch": limit.batch, "/v1/keys": limit.other} {
		source := &countingReader{}
		request := httptest.NewRequest("POST", path, source)
		request.ContentLength = -1
		request.Header.Set("Authorization", "Bearer "+adminKey)
		recorder := httptest.NewRecorder()
		r.handler.ServeHTTP(recorder, request)
		reply{recorder}.problem(t, BodyTooLarge)
		require.Equal(t, "close", recorder.Header().Get("Connection"))
		require.LessOrEqual(t, source.read, 2*most+4096, "%s: a body without end was read on and on", path)

		announced := httptest.NewRequest("POST", path, &forbiddenReader{t})
		announced.ContentLength = int64(most) + 1
		announced.Header.Set("Authorization", "Bearer "+adminKey)
		recorder = httptest.NewRecorder()
		r.handler.ServeHTTP(recorder, announced)
		reply{recorder}.problem(t, BodyTooLarge)
	}
	// The largest body that is allowed also fits as base64, beside other members.
	body := `{"type":"a","external_id":"x","body_base64":"` + strings.Repeat("AAAA", 4096/3+1) + `"}`
	r.call("POST", "/v1/events", publishKey, body).object(t, http.StatusAccepted)
}

func TestPublish_ReadsNobodysBodyUnknown(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for _, key := range []string{"", "mlt_wrong", readKey} {
		request := httptest.NewRequest("POST", "/v1/events", &forbiddenReader{t})
		request.Header.Set("Authorization", "Bearer "+key)
		recorder := httptest.NewRecorder()
		r.handler.ServeHTTP(recorder, request)
		require.Contains(t, []int{401, 403}, recorder.Code)
	}
}

// TestPublish_BytesAreNeverReused holds what a publisher may hold: a client
// that goes away leaves its event to be committed, so that its bytes must not
// be another request's by then.
func TestPublish_BytesAreNeverReused(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for i := range 50 {
		data := `"` + strings.Repeat(strconv.Itoa(i%10), 300) + `"`
		r.call("POST", "/v1/events", publishKey, `{"type":"a","data":`+data+`}`).object(t, http.StatusAccepted)
	}
	for i, requests := range r.published {
		require.Equal(t, `"`+strings.Repeat(strconv.Itoa(i%10), 300)+`"`, string(requests[0].Data))
	}
}

func TestPublish_ABodyThatBreaksOff(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	request := httptest.NewRequest("POST", "/v1/events", io.MultiReader(strings.NewReader(`{"type":`), brokenReader{}))
	request.Header.Set("Authorization", "Bearer "+publishKey)
	recorder := httptest.NewRecorder()
	r.handler.ServeHTTP(recorder, request)
	reply{recorder}.problem(t, BodyIncomplete)
}

// countingReader is a body without end.
type countingReader struct{ read int }

func (c *countingReader) Read(p []byte) (int, error) {
	c.read += len(p)
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

type forbiddenReader struct{ t *testing.T }

func (f *forbiddenReader) Read([]byte) (int, error) {
	f.t.Error("the body was read")
	return 0, io.EOF
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }
