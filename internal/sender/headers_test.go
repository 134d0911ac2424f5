package sender

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
)

// deliverOne sends one claim and returns the request as it arrived.
func deliverOne(t testing.TB, claim *delivery.Claim, p *policy.Policy, now time.Time) request {
	t.Helper()
	receiver := serve(t, once(ok))
	claim.Endpoint.URL = receiver.url()
	outcome := newSender(t, Options{Version: "1.2.3"}).Send(t.Context(), claim, p, now)
	require.Equal(t, 200, outcome.Status, "%+v", outcome)
	return receiver.request(t, 0)
}

func TestSend_S04_S07_WhatGoesOut(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 999_999_999)
	claim := claimFor("")
	claim.Attempt, claim.Trigger = 3, delivery.TriggerReplay
	got := deliverOne(t, claim, standard(patient), now)

	id := claim.Event.ID.Format(delivery.EventPrefix)
	require.Equal(t, "POST /hook HTTP/1.1", got.line)
	require.Equal(t, claim.Event.Body, got.body)
	for _, field := range []string{
		"User-Agent: Malote/1.2.3",
		"Content-Type: application/json",
		"Content-Length: " + strconv.Itoa(len(claim.Event.Body)),
		"webhook-id: " + id,
		"webhook-timestamp: 1800000000",
		"webhook-attempt: 3",
		"webhook-trigger: replay",
	} {
		require.Contains(t, got.fields, field)
	}
	require.NotContains(t, id, ".")
	require.Len(t, got.fields, 9, "nothing else but Host and the signature: %q", got.fields)
	for _, absent := range []string{"Transfer-Encoding", "Accept-Encoding", "Expect", "Connection", "Cookie"} {
		require.Empty(t, got.header.Get(absent))
	}
}

func TestSend_D12_NamesAreThePolicys(t *testing.T) {
	t.Parallel()
	p := standard(patient)
	p.Headers = policy.Headers{
		ID: "Dracma-Event-Id", Timestamp: "Dracma-Timestamp", Signature: "Dracma-Signature", EventType: "Dracma-Event-Type",
		Extra: []policy.Header{{Name: "X-Contract", Value: "2"}},
	}
	claim := claimFor("")
	got := deliverOne(t, claim, p, time.Now())
	require.Contains(t, got.fields, "Dracma-Event-Id: "+claim.Event.ID.Format(delivery.EventPrefix))
	require.Contains(t, got.fields, "Dracma-Event-Type: invoice.paid")
	require.Contains(t, got.fields, "X-Contract: 2")
	require.NotEmpty(t, got.header.Get("Dracma-Signature"))
	require.Empty(t, got.header.Get("webhook-id"))
}

func TestSend_A05_G03_IdempotencyKeyIsStable(t *testing.T) {
	t.Parallel()
	for _, source := range []policy.KeySource{policy.KeyFromEventID, policy.KeyAsUUID4} {
		p := standard(patient)
		p.Headers.IdempotencyKey, p.Headers.IdempotencyKeyFrom = "Idempotency-Key", source
		claim := claimFor("")
		first := deliverOne(t, claim, p, time.Now())
		claim.Attempt, claim.Trigger = 2, delivery.TriggerReplay
		second := deliverOne(t, claim, p, time.Now().Add(time.Hour))

		key := first.header.Get("Idempotency-Key")
		require.Equal(t, p.Headers.IdempotencyValue(&claim.Event), key)
		require.Equal(t, key, second.header.Get("Idempotency-Key"))
		require.Equal(t, "2", second.header.Get("webhook-attempt"))
	}
}

// S04: the timestamp is this attempt's. With the event's, every retry would be
// too old for its receiver.
func TestSend_S04_F10_TimestampIsTheAttempts(t *testing.T) {
	t.Parallel()
	claim := claimFor("")
	first := deliverOne(t, claim, standard(patient), time.Unix(1_800_000_000, 0))
	second := deliverOne(t, claim, standard(patient), time.Unix(1_800_000_300, 0))
	require.Equal(t, "1800000000", first.header.Get("webhook-timestamp"))
	require.Equal(t, "1800000300", second.header.Get("webhook-timestamp"))
	require.Equal(t, first.header.Get("webhook-id"), second.header.Get("webhook-id"))
	require.NotEqual(t, first.header.Get("webhook-signature"), second.header.Get("webhook-signature"))
}

func TestSend_EndpointsOwnHeaders(t *testing.T) {
	t.Parallel()
	claim := claimFor("")
	claim.Endpoint.Headers = map[string]string{
		"Authorization": "Bearer abc", "x-ODD-Case": "kept",
		"WEBHOOK-ID": "forged", "Webhook-Signature": "v1,forged", "user-agent": "forged", "content-TYPE": "text/forged",
		"host": "forged", "Content-Length": "1", "content-length": "2", "Transfer-Encoding": "chunked", "Connection": "close",
		"Upgrade": "h2c", "TE": "trailers", "Trailer": "X", "Expect": "100-continue", "Keep-Alive": "x", "Proxy-Authorization": "x",
		"Bad Name": "x", "X-Split": "a\r\nX-Injected: b", "X-Null": "\x00", "": "x",
	}
	got := deliverOne(t, claim, standard(patient), time.Now())
	require.Contains(t, got.fields, "Authorization: Bearer abc")
	require.Contains(t, got.fields, "x-ODD-Case: kept")
	require.Len(t, got.fields, 9+2, "%q", got.fields)
	require.NotContains(t, strings.Join(got.fields, "\n"), "forged")
}

// What a provider's webhook brought goes on, behind everything else, and the
// consumer sees which source it came in by, and when.
func TestSend_PassesOnWhatAProviderSent(t *testing.T) {
	t.Parallel()
	claim := claimFor("")
	claim.Event.SourceID = delivery.NewID(claim.Event.ID.Shard(), time.Now(), rand.Reader)
	claim.Event.AcceptedAt = time.Date(2026, 3, 1, 12, 0, 0, 5e6, time.UTC)
	claim.Endpoint.Headers = map[string]string{"X-Team": "one"}
	claim.Event.Headers = []delivery.Header{
		{Name: "X-GitHub-Event", Value: "push"}, {Name: "x-team", Value: "two"}, {Name: "webhook-id", Value: "forged"},
		{Name: "Host", Value: "forged"}, {Name: "Webhook-Source", Value: "forged"}, {Name: "X-Split", Value: "a\r\nX-Injected: b"},
	}
	got := deliverOne(t, claim, standard(patient), time.Now())
	require.Equal(t, "push", got.header.Get("X-GitHub-Event"))
	require.Equal(t, []string{"one"}, got.header.Values("X-Team"))
	require.Equal(t, claim.Event.SourceID.Format(delivery.SourcePrefix), got.header.Get("webhook-source"))
	require.Equal(t, "2026-03-01T12:00:00.005Z", got.header.Get("webhook-received-at"))
	require.NotContains(t, strings.Join(got.fields, "\n"), "forged")
	require.NotContains(t, strings.Join(got.fields, "\n"), "Injected")
}

// Whatever an endpoint's headers are, the request is well-formed and
// Malote's own headers say what they should.
func TestHeaders_NothingOverridesOurs(t *testing.T) {
	t.Parallel()
	sender := newSender(t, Options{Version: "1"})
	name := rapid.OneOf(rapid.String(), rapid.StringMatching(`[A-Za-z-]{1,12}`), rapid.SampledFrom([]string{
		"webhook-id", "Webhook-Id", "wEBHOOK-tIMESTAMP", "idempotency-key", "Idempotency-Key", "X-Idempotency-Key",
		"content-length", "Transfer-encoding", "HOST", "User-Agent", "Content-Type", "webhook-signature", "trailer",
	}))
	rapid.Check(t, func(t *rapid.T) {
		claim, p := claimFor("http://127.0.0.1:1/hook"), standard(patient)
		p.Headers.IdempotencyKey = "Idempotency-Key"
		claim.Endpoint.Headers = rapid.MapOfN(name, rapid.String(), 0, 8).Draw(t, "headers")
		built, refused := sender.request(claim, p, time.Unix(1_800_000_000, 0))
		require.Nil(t, refused)

		var wire bytes.Buffer
		require.NoError(t, built.Write(&wire))
		got, err := http.ReadRequest(bufio.NewReader(&wire))
		require.NoError(t, err)
		body, err := io.ReadAll(got.Body)
		require.NoError(t, err)
		require.Equal(t, claim.Event.Body, body)
		require.Empty(t, got.TransferEncoding)
		require.Equal(t, "127.0.0.1:1", got.Host)
		for name, want := range map[string]string{
			"Webhook-Id": claim.Event.ID.Format(delivery.EventPrefix), "Webhook-Timestamp": "1800000000", "Webhook-Attempt": "1",
			"User-Agent": "Malote/1", "Content-Type": "application/json",
			"Idempotency-Key": claim.Event.ID.Format(delivery.EventPrefix),
		} {
			require.Equal(t, []string{want}, got.Header[name])
		}
		require.Len(t, got.Header["Webhook-Signature"], 1)
		require.False(t, slices.ContainsFunc([]string{"Idempotency-Key", "X-Idempotency-Key"}, func(key string) bool {
			return built.Header[key] != nil
		}), "net/http would take the request for repeatable")
	})
}
