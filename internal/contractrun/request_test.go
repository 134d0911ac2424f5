package contractrun

import (
	"net/http"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/webhook"
)

// What HTTP itself sends, whatever the contract.
var plainHeaders = []string{"Content-Length", "Content-Type", "User-Agent"}

// requireHeaders holds every request to the contract's header names, no more and
// no fewer, and to what stays and what changes between attempts.
func (r *run) requireHeaders(t *testing.T) {
	t.Helper()
	names := r.contract.headers
	want := slices.Clone(plainHeaders)
	for _, name := range []string{names.id, names.timestamp, names.signature, names.attempt, names.trigger, names.idempotencyKey} {
		if name != "" {
			want = append(want, http.CanonicalHeaderKey(name))
		}
	}
	keys := make(map[string]bool)
	for part, requests := range r.requests() {
		require.NotEmpty(t, requests, part)
		for i, got := range requests {
			var present []string
			for name := range got.header {
				present = append(present, name)
			}
			assert.ElementsMatch(t, want, present, part)
			assert.Equal(t, "application/json", got.header.Get("Content-Type"))
			assert.Equal(t, r.event.ID, got.header.Get(names.id), "the same on every attempt")
			r.requireTime(t, part, i, got)
			if names.attempt != "" {
				assert.Equal(t, strconv.Itoa(i+1), got.header.Get(names.attempt))
			}
			if names.trigger != "" {
				assert.Equal(t, "schedule", got.header.Get(names.trigger))
			}
			keys[got.header.Get(names.idempotencyKey)] = true
		}
	}
	assert.Len(t, keys, 1, "one event has one idempotency key")
}

// requireTime: the timestamp is this attempt's, not the event's.
func (r *run) requireTime(t *testing.T, part string, i int, got request) {
	t.Helper()
	seconds, err := strconv.ParseInt(got.header.Get(r.contract.headers.timestamp), 10, 64)
	require.NoError(t, err)
	if attempts := r.became[part].Attempts; i < len(attempts) {
		assert.Equal(t, attempts[i].StartedAt.Unix(), seconds, "%s, attempt %d", part, i+1)
	}
}

// requireSignatures verifies every request with package webhook, whose names for
// the headers are put in the place of the contract's.
func (r *run) requireSignatures(t *testing.T) {
	t.Helper()
	secrets := make(map[string]bool)
	for part, requests := range r.requests() {
		shown := r.endpoints[part].Secret
		secrets[shown] = true
		secret, err := webhook.ParseSecret(shown)
		require.NoError(t, err)
		verifier, err := webhook.NewVerifier([]webhook.Secret{secret}, webhook.WithScheme(r.contract.scheme))
		require.NoError(t, err)
		stranger, err := webhook.NewVerifier([]webhook.Secret{webhook.GenerateSecret()}, webhook.WithScheme(r.contract.scheme))
		require.NoError(t, err)
		for _, got := range requests {
			header := r.renamed(got.header)
			_, err := verifier.Verify(header, got.body)
			assert.NoError(t, err, part)
			_, err = stranger.Verify(header, got.body)
			assert.Error(t, err, part)
		}
	}
	assert.Len(t, secrets, len(r.requests()), "every endpoint has a secret of its own")
}

func (r *run) renamed(header http.Header) http.Header {
	names, renamed := r.contract.headers, make(http.Header)
	renamed.Set(webhook.HeaderID, header.Get(names.id))
	renamed.Set(webhook.HeaderTimestamp, header.Get(names.timestamp))
	renamed.Set(webhook.HeaderSignature, header.Get(names.signature))
	return renamed
}

// requireBytes: every attempt everywhere sent the contract's envelope around the
// publisher's bytes, untouched.
func (r *run) requireBytes(t *testing.T) {
	t.Helper()
	want := r.contract.body(r.event.ID)
	for part, requests := range r.requests() {
		for _, got := range requests {
			assert.Equal(t, want, string(got.body), part)
			assert.Equal(t, strconv.Itoa(len(want)), got.header.Get("Content-Length"), "never chunked")
		}
	}
}

// standardBody is the envelope of all contracts that do not name another.
func standardBody(string) string {
	return `{"type":"` + eventType + `","timestamp":"` + occurredAt + `","data":` + eventData + `}`
}

// requireNotFollowed: what answered 3xx pointed to a path that nobody called.
func (r *run) requireNotFollowed(t *testing.T) {
	t.Helper()
	r.requireFates(t, "301", "307")
	require.Empty(t, r.script.to("/elsewhere"))
}

// requireKept compares what is kept of a failed answer's body, and that nothing
// is of a success.
func (r *run) requireKept(t *testing.T, bytes int) {
	t.Helper()
	for _, a := range r.became["500"].Attempts {
		if bytes == 0 {
			assert.Nil(t, a.Response)
		} else if assert.NotNil(t, a.Response) {
			assert.Len(t, *a.Response, bytes)
		}
	}
	for _, name := range []string{"200", "big"} {
		for _, a := range r.became[name].Attempts {
			assert.Nil(t, a.Response, name)
		}
	}
}

// slack is what times lose that are shown in whole milliseconds.
const slack = 2 * time.Millisecond

// requireLeastWaits: the pause after failed attempt n, from its end to when the
// next one was due, was never shorter than least says.
func (r *run) requireLeastWaits(t *testing.T, least func(n int) time.Duration) {
	t.Helper()
	for name, became := range r.became {
		for i := 1; i < len(became.Attempts); i++ {
			before, after := became.Attempts[i-1], became.Attempts[i]
			assert.GreaterOrEqual(t, after.ScheduledAt.Sub(before.endedAt()), least(i)-slack, "%s, after attempt %d", name, i)
			assert.False(t, after.StartedAt.Before(after.ScheduledAt.Add(-slack)), "%s, attempt %d came early", name, i+1)
		}
	}
}

// requireFloor: Retry-After put every wait at its cap at least.
func (r *run) requireFloor(t *testing.T, floor time.Duration, names ...string) {
	t.Helper()
	for _, name := range names {
		attempts := r.became[name].Attempts
		require.Greater(t, len(attempts), 1, name)
		for i := 1; i < len(attempts); i++ {
			assert.GreaterOrEqual(t, attempts[i].ScheduledAt.Sub(attempts[i-1].endedAt()), floor-slack, name)
		}
	}
}
