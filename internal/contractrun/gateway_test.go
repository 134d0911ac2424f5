package contractrun

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/webhook"
)

// Half an hour of pause (G07) and its doublings are out of a run's reach.
var gateway = contract{
	preset: "gateway",
	scale:  scale{schedule: 2000, retryAfter: 100_000, circuit: 30},
	others: retried, exhausted: dead("attempts_exhausted", 8),
	fates: map[string]fate{
		"200": delivered(1), "204": delivered(1), "big": delivered(1), "broken": delivered(1), "stalls after 70K": delivered(1),
		"400": refusal, "405": refusal, "414": refusal, "415": refusal, "422": refusal,
		"410": dead("gone", 1), "413": dead("too_large", 1),
	},
	scheme: webhook.SchemeStandard,
	headers: headerNames{
		id: "webhook-id", timestamp: "webhook-timestamp", signature: "webhook-signature",
		attempt: "webhook-attempt", trigger: "webhook-trigger", idempotencyKey: "Idempotency-Key",
	},
	body: standardBody,
}

var refusal = dead("rejected", 1)

func TestGateway_G03_G04_G05_G06_G07_G09_Live(t *testing.T) {
	t.Parallel()
	r := live(t, gateway)
	t.Run("G03 key and number", func(t *testing.T) {
		r.requireHeaders(t)
		r.requireSignatures(t)
		r.requireBytes(t)
		for i, got := range r.script.to("/500") {
			require.Equal(t, r.event.ID, got.header.Get("Idempotency-Key"), "attempt %d", i+1)
		}
	})
	t.Run("G04 what is final", func(t *testing.T) {
		r.requireFates(t, "400", "405", "410", "413", "414", "415", "422")
		r.requireFates(t, "301", "401", "404", "408", "409", "429", "500", "503", "reset", "refused", "tls", "hang", "dns")
	})
	t.Run("G05 asked for time", func(t *testing.T) { r.requireFloor(t, 24*time.Hour/gateway.scale.retryAfter, "429") })
	t.Run("G06 eight attempts", func(t *testing.T) {
		r.requireFates(t, "500")
		r.requireLeastWaits(t, func(int) time.Duration { return 0 })
		r.requireKept(t, 1024)
	})
	t.Run("G07 one probe", func(t *testing.T) {
		spell{scale: scale{schedule: 1_000_000, circuit: 30}, failures: 10, pause: 30 * time.Second / 30, probes: 1}.require(t, r)
	})
	t.Run("all", func(t *testing.T) { r.requireFates(t) })
}
