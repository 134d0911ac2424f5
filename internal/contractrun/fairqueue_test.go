package contractrun

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/webhook"
)

// The scale leaves five days, and the lease of a minute (F12), out of reach, and
// 72 hours of age, which have a policy of their own below.
var fairQueue = contract{
	preset: "fair-queue",
	scale:  scale{schedule: 100_000, retryAfter: 20_000, age: 1000, circuit: 60, disable: 1000},
	others: retried, exhausted: dead("attempts_exhausted", 20),
	fates: map[string]fate{
		"200": delivered(1), "204": delivered(1), "big": delivered(1), "broken": delivered(1),
		"stalls after 10": delivered(1), "stalls after 5K": delivered(1), "stalls after 70K": delivered(1),
		"410": dead("gone", 1).disabling("gone"),
		"413": dead("too_large", 1),
	},
	scheme:  webhook.SchemeHex,
	headers: headerNames{id: "webhook-id", timestamp: "webhook-timestamp", signature: "webhook-signature"},
	body: func(event string) string {
		return `{"id":"` + event + `","tipo":"` + eventType + `","criado_em":"` + occurredAt + `","dados":` + eventData + `}`
	},
}

func TestFairQueue_F01_F02_F07_F08_F09_F10_F11_Live(t *testing.T) {
	t.Parallel()
	r := live(t, fairQueue)
	t.Run("F01 a 2xx in time, its body unread", func(t *testing.T) {
		r.requireFates(t, "200", "204", "big", "broken", "stalls after 10", "stalls after 5K", "stalls after 70K", "hang", "400")
		r.requireKept(t, 0)
		require.GreaterOrEqual(t, r.became["hang"].Attempts[0].DurationMS, int64(5000), "all of five seconds")
	})
	t.Run("F02 no redirect", r.requireNotFollowed)
	t.Run("F07 waits", func(t *testing.T) {
		r.requireLeastWaits(t, func(n int) time.Duration {
			return min(30*time.Second<<(n-1), 6*time.Hour) / 2 / fairQueue.scale.schedule
		})
		r.requireFloor(t, 6*time.Hour/fairQueue.scale.retryAfter, "429", "503")
	})
	t.Run("F08 twenty attempts", func(t *testing.T) { r.requireFates(t, "500", "reset", "refused", "tls", "dns") })
	t.Run("F08 72 hours", r.requireAge)
	t.Run("F09 what is final", func(t *testing.T) {
		r.requireFates(t, "410", "413")
		r.requireFates(t, "400", "401", "404", "405", "408", "409", "414", "415", "422", "429", "503")
	})
	t.Run("F10 request", func(t *testing.T) {
		r.requireHeaders(t)
		r.requireSignatures(t)
		r.requireBytes(t)
		r.requireHex(t)
	})
	t.Run("F11 pause and probes", func(t *testing.T) {
		spell{scale: scale{schedule: 1_000_000, circuit: 60}, failures: 20, pause: time.Minute / 60, probes: 4}.require(t, r)
	})
	t.Run("all", func(t *testing.T) { r.requireFates(t) })
}

// requireAge: asked for so much time that twenty attempts would take too long, a
// delivery is dead of its age before.
func (r *run) requireAge(t *testing.T) {
	s := scale{schedule: 100_000, retryAfter: 50_000, age: 100_000}
	name := r.malote.on(t).publishPolicy("fair-queue", "aging", s)
	made := r.malote.on(t).makeEndpoint(r.script.play("/aging", askingForTime(429, inSeconds)), name, nil)
	became := r.malote.on(t).awaitOne(r.malote.on(t).publish(made.ID))
	require.Equal(t, "dead", became.State)
	require.Equal(t, "too_old", became.DeadReason)
	age, wait := 72*time.Hour/s.age, 6*time.Hour/s.retryAfter
	require.LessOrEqual(t, became.AttemptCount, int(age/wait)+1)
	for _, a := range became.Attempts {
		require.LessOrEqual(t, a.ScheduledAt.Sub(became.CreatedAt), age+slack)
	}
}

// requireHex computes the signature from the contract's own words.
func (r *run) requireHex(t *testing.T) {
	t.Helper()
	for part, requests := range r.requests() {
		secret, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(r.endpoints[part].Secret, "whsec_"))
		require.NoError(t, err)
		for _, got := range requests {
			mac := hmac.New(sha256.New, secret)
			mac.Write([]byte(got.header.Get("webhook-timestamp") + "." + string(got.body)))
			require.Equal(t, "v1="+hex.EncodeToString(mac.Sum(nil)), got.header.Get("webhook-signature"))
		}
	}
}
