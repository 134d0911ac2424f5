package contractrun

import (
	"testing"
	"time"

	"github.com/malotehq/malote/webhook"
)

// The scale leaves five days (S08) out of a run's reach, and half an hour of
// pause with its doublings (S09).
var standard = contract{
	preset: "standard",
	scale:  scale{schedule: 50_000, retryAfter: 100_000, circuit: 30, disable: 1000},
	others: retried, exhausted: dead("attempts_exhausted", 10),
	fates: map[string]fate{
		"200": delivered(1), "204": delivered(1), "big": delivered(1), "broken": delivered(1), "stalls after 70K": delivered(1),
		"410": dead("gone", 1).disabling("gone"),
	},
	scheme: webhook.SchemeStandard,
	headers: headerNames{
		id: "webhook-id", timestamp: "webhook-timestamp", signature: "webhook-signature",
		attempt: "webhook-attempt", trigger: "webhook-trigger",
	},
	body: standardBody,
}

func TestStandard_S01_S02_S03_S04_S05_S06_S07_S09_Live(t *testing.T) {
	t.Parallel()
	r := live(t, standard)
	t.Run("S01 success and what is read", func(t *testing.T) {
		r.requireFates(t, "200", "204", "big", "broken", "stalls after 10", "stalls after 5K", "stalls after 70K", "hang")
		r.requireNotFollowed(t)
		r.requireKept(t, 1024)
	})
	t.Run("S02 ten attempts", func(t *testing.T) {
		r.requireFates(t, "500", "reset", "refused", "tls", "dns")
		r.requireLeastWaits(t, leastOf(20, standard.scale, 5*time.Second, 5*time.Minute, 30*time.Minute, 2*time.Hour,
			5*time.Hour, 10*time.Hour, 14*time.Hour, 20*time.Hour, 24*time.Hour))
	})
	t.Run("S03 gone and asked for time", func(t *testing.T) {
		r.requireFates(t, "410", "400", "401", "404", "405", "408", "409", "413", "414", "415", "422", "429", "503")
		r.requireFloor(t, 24*time.Hour/standard.scale.retryAfter, "429", "503")
	})
	t.Run("S04 S05 S07 request", func(t *testing.T) {
		r.requireHeaders(t)
		r.requireSignatures(t)
	})
	t.Run("S06 payload", r.requireBytes)
	t.Run("S09 one probe", func(t *testing.T) {
		spell{scale: scale{schedule: 1_000_000, circuit: 30}, failures: 10, pause: 30 * time.Second / 30, probes: 1}.require(t, r)
	})
	t.Run("all", func(t *testing.T) { r.requireFates(t) })
}
