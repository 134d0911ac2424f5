package receiver_test

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/receiver"
	"github.com/malotehq/malote/webhook"
)

func TestReceiver_VerifiesAndRecognisesRepetitions(t *testing.T) {
	t.Parallel()
	f := newFixture(t, receiver.Options{})
	response, body := f.post("evt_1", `{"type":"invoice.paid"}`)
	require.Equal(t, http.StatusOK, response.StatusCode)
	require.JSONEq(t, `{"id":"evt_1","duplicate":false}`, body)
	_, body = f.post("evt_1", `{"type":"invoice.paid"}`)
	require.JSONEq(t, `{"id":"evt_1","duplicate":true}`, body)
	f.post("evt_2", `{}`)

	require.Equal(t, receiver.Counts{
		Requests: 3, Genuine: 3, Distinct: 2, Accepted: 2, Repeated: 1, Duplicates: 1, Bytes: 2*23 + 2,
	}, f.Counts())
	records := f.Records()
	require.Len(t, records, 2)
	require.Equal(t, "evt_1", records[0].ID)
	require.Equal(t, 2, records[0].Requests)
	require.Equal(t, sha256.Sum256([]byte(`{"type":"invoice.paid"}`)), records[0].Digest)
	require.True(t, records[0].Accepted)
	require.False(t, records[0].Differs)
}

func TestReceiver_NoticesOtherBytesUnderTheSameID(t *testing.T) {
	t.Parallel()
	f := newFixture(t, receiver.Options{})
	f.post("evt_1", `{"a":1.0}`)
	f.post("evt_1", `{"a":1}`)
	require.Equal(t, 1, f.Counts().Differing)
	require.True(t, f.Records()[0].Differs)
	require.Contains(t, f.out.String(), "OTHER BYTES")
}

func TestReceiver_RefusesWhatIsNotGenuine(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(*http.Request)
		status int
		says   string
		counts receiver.Counts
	}{
		"another's secret": {func(r *http.Request) {
			signature, _ := webhook.Sign("evt_1", time.Now(), []byte("{}"), webhook.GenerateSecret())
			r.Header.Set(webhook.HeaderSignature, signature)
		}, http.StatusUnauthorized, "", receiver.Counts{Requests: 1, Forged: 1, Bytes: 2}},
		"stale": {func(r *http.Request) {
			r.Header.Set(webhook.HeaderTimestamp, strconv.FormatInt(time.Now().Add(-time.Hour).Unix(), 10))
		}, http.StatusUnauthorized, "", receiver.Counts{Requests: 1, Forged: 1, Bytes: 2}},
		"no signature": {func(r *http.Request) {
			r.Header.Del(webhook.HeaderSignature)
		}, http.StatusBadRequest, "", receiver.Counts{Requests: 1, Forged: 1, Bytes: 2}},
		"not a POST": {func(r *http.Request) {
			r.Method = http.MethodPut
		}, http.StatusMethodNotAllowed, "POST", receiver.Counts{Requests: 1, Refused: 1}},
		"too large": {func(r *http.Request) {
			r.Body, r.ContentLength = io.NopCloser(strings.NewReader(strings.Repeat("x", 65))), -1
		}, http.StatusRequestEntityTooLarge, "", receiver.Counts{Requests: 1, Refused: 1, Bytes: 64}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, receiver.Options{MaxBody: 64, Manner: receiver.Status(http.StatusTeapot)})
			request := f.request("evt_1", "{}")
			test.change(request)
			response, body := f.send(request)
			require.Equal(t, test.status, response.StatusCode)
			require.Contains(t, body, test.says)
			require.Equal(t, test.counts, f.Counts())
			require.Empty(t, f.Records(), "a forger must not take an id")
		})
	}
}

func TestReceiver_TellsTheLatencyOfFirstArrivals(t *testing.T) {
	t.Parallel()
	var latencies []time.Duration // appended under the receiver's lock
	f := newFixture(t, receiver.Options{Observe: func(a *receiver.Arrival) { latencies = append(latencies, a.Latency) }})
	id := delivery.NewID(1, time.Now().Add(-time.Minute), rand.Reader).Format(delivery.EventPrefix)
	f.post(id, "{}")
	f.post(id, "{}")
	f.post("not-ours", "{}")
	require.Len(t, latencies, 3)
	require.InDelta(t, time.Minute, latencies[0], float64(30*time.Second))
	require.Equal(t, receiver.NoLatency, latencies[1])
	require.Equal(t, receiver.NoLatency, latencies[2])
}

func TestReceiver_ForgetsTheOldest(t *testing.T) {
	t.Parallel()
	f := newFixture(t, receiver.Options{Remember: 3})
	for i := range 20 {
		f.post("evt_"+strconv.Itoa(i), "{}")
	}
	records := f.Records()
	require.Len(t, records, 3)
	require.Equal(t, "evt_17", records[0].ID)
	require.Equal(t, "evt_19", records[2].ID)
	_, body := f.post("evt_19", "{}")
	require.Contains(t, body, `"duplicate":true`)
	_, body = f.post("evt_3", "{}")
	require.Contains(t, body, `"duplicate":false`)
}

func TestReceiver_PrintsALinePerArrival(t *testing.T) {
	t.Parallel()
	f := newFixture(t, receiver.Options{})
	f.post("evt_1", `{"type":"invoice.paid","data":"`+strings.Repeat("x", 2000)+`"}`)
	f.post("evt_1", `{"tipo":"pedido"}`)
	f.send(func() *http.Request { r := f.request("evt_2", "{}"); r.Header.Del(webhook.HeaderTimestamp); return r }())
	lines := strings.Split(f.out.String(), "\n")
	for i, wants := range [][]string{
		{"evt_1", "invoice.paid", "attempt 3", "verified", "2,033 B", "→ 200 OK"},
		{"evt_1", "pedido", "duplicate", "OTHER BYTES"},
		{"evt_2", "forged", "webhook-timestamp"},
	} {
		for _, want := range wants {
			require.Contains(t, strings.ToLower(lines[i]), strings.ToLower(want))
		}
	}
	require.NotContains(t, f.out.String(), "\x1b")
}

func TestReceiver_WithoutASecretSaysSoOnEveryLine(t *testing.T) {
	t.Parallel()
	f := newUnverified(t)
	f.post("evt_1", "not even JSON")
	anonymous := f.request("evt_1", "{}")
	anonymous.Header.Del(webhook.HeaderID)
	f.send(anonymous)
	for line := range strings.Lines(f.out.String()) {
		require.Contains(t, line, "unverified")
	}
	require.Contains(t, f.out.String(), "no webhook-id")
	require.Equal(t, 1, f.Counts().Distinct)
}

func TestReceiver_ShowsNothingThatATerminalObeys(t *testing.T) {
	t.Parallel()
	f := newUnverified(t)
	f.post("evt_1", `{"type":"\u001b]0;owned\u0007\u202e`+strings.Repeat("x", 1000)+`"}`)
	require.NotContains(t, f.out.String(), "\x1b")
	require.NotContains(t, f.out.String(), "\u202e")
	require.Less(t, len(f.out.String()), 600)
}

func TestReceiver_ServeGreetsAndStops(t *testing.T) {
	t.Parallel()
	out := &lockedBuffer{}
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- receiver.New(receiver.Options{Out: out}).Serve(ctx, "127.0.0.1:0") }()
	require.Eventually(t, func() bool { return strings.Contains(out.String(), "http://127.0.0.1:") }, 5*time.Second, time.Millisecond)
	require.Contains(t, out.String(), "NOT verified")
	cancel()
	require.NoError(t, <-served)

	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	require.ErrorContains(t, receiver.New(receiver.Options{}).Serve(t.Context(), taken.Addr().String()), taken.Addr().String())
}
