package contractrun

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/webhook"
)

var axxos = contract{
	preset: "axxos",
	scale:  scale{schedule: 30_000, retryAfter: 100_000},
	others: dead("rejected", 1), exhausted: dead("attempts_exhausted", 9),
	fates: map[string]fate{
		"200": delivered(1), "204": delivered(1), "big": delivered(1), "broken": delivered(1), "stalls after 70K": delivered(1),
		"408": retried, "429": retried, "500": retried, "503": retried,
		"reset": retried, "refused": retried, "tls": retried, "dns": retried,
		"hang": retried, "stalls after 10": retried, "stalls after 5K": retried,
	},
	scheme: webhook.SchemeStandard,
	headers: headerNames{
		id: "webhook-id", timestamp: "webhook-timestamp", signature: "webhook-signature",
		attempt: "webhook-attempt", trigger: "webhook-trigger", idempotencyKey: "Idempotency-Key",
	},
	body: standardBody,
}

func TestAxxos_A03_A04_A05_A07_A08_Live(t *testing.T) {
	t.Parallel()
	r := live(t, axxos)
	t.Run("A03 eight retries", func(t *testing.T) {
		r.requireFates(t, "500")
		r.requireLeastWaits(t, leastOf(20, axxos.scale, 30*time.Second, time.Minute, 2*time.Minute, 5*time.Minute,
			15*time.Minute, time.Hour, 6*time.Hour, 24*time.Hour))
		r.requireFloor(t, 24*time.Hour/axxos.scale.retryAfter, "429", "503")
	})
	t.Run("A04 what is retried", func(t *testing.T) {
		r.requireFates(t, "408", "429", "500", "503", "reset", "refused", "tls", "hang", "dns", "stalls after 10")
		r.requireFates(t, "301", "400", "401", "404", "405", "409", "410", "413", "414", "415", "422")
	})
	t.Run("A05 one random key", func(t *testing.T) {
		r.requireHeaders(t)
		require.Regexp(t, `^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`,
			r.script.to("/500")[0].header.Get("Idempotency-Key"))
	})
	t.Run("A07 dead letters", func(t *testing.T) {
		r.requireBytes(t)
		r.requireKept(t, 1024)
		r.requireResent(t)
	})
	t.Run("A08 signed", r.requireSignatures)
	t.Run("all", func(t *testing.T) { r.requireFates(t) })
}

// requireResent puts a dead letter back into the queue: the same event, under
// the same key.
func (r *run) requireResent(t *testing.T) {
	t.Helper()
	before := r.script.to("/500")
	r.script.play("/500", status(200))
	id := r.became["500"].ID
	r.malote.on(t).must(202, "POST", "/v1/webhook_deliveries/"+id+"/replay", nil, nil)
	require.Equal(t, "delivered", r.malote.on(t).awaitDelivery(id).State)
	last := r.script.to("/500")[len(before)]
	require.Equal(t, "10", last.header.Get("webhook-attempt"))
	require.Equal(t, "replay", last.header.Get("webhook-trigger"))
	for _, name := range []string{"webhook-id", "Idempotency-Key"} {
		require.Equal(t, before[0].header.Get(name), last.header.Get(name))
	}
	require.Equal(t, before[0].body, last.body)
	delete(r.parts, "500") // its fate is another now
}

// leastOf gives the shortest waits of a table with so many percent of jitter.
func leastOf(percent time.Duration, s scale, waits ...time.Duration) func(n int) time.Duration {
	return func(n int) time.Duration { return waits[n-1] / s.schedule * (100 - percent) / 100 }
}
