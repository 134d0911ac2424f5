package policy

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

func TestExplain(t *testing.T) {
	t.Parallel()
	interrupted := failedWith(delivery.InterruptedSend)
	for _, c := range []struct {
		policy  string
		attempt int
		outcome delivery.Outcome
		want    string
	}{
		{"standard", 1, answer(204), "Attempt 1 succeeded with HTTP 204 (success)."},
		{"standard", 2, answer(500), "Attempt 2 failed (HTTP 500): attempt 3 is due in 5m, by the schedule's 5m after failed attempt 2, ±20 % at random (schedule.jitter)."},
		{"standard", 1, askedToWait(429, "60"), "Attempt 1 failed (HTTP 429): attempt 2 is due in 1m, because the answer's Retry-After is a floor, obeyed up to 24h (retry_after.cap). The endpoint is slowed down (slow_down)."},
		{"standard", 1, answer(410), "Attempt 1 failed (HTTP 410): the delivery is dead (gone), because the policy does not retry 410 (failures). The endpoint is disabled (failures)."},
		{"standard", 10, failedWith(delivery.Timeout), "Attempt 10 failed (timeout): the delivery is dead (attempts_exhausted), because it has used up its 10 attempts (give_up.attempts)."},
		{"standard", 3, interrupted, "The worker of attempt 3 was lost before it recorded an outcome, so the delivery went back to the queue at once (lease: 1m)."},
		{"fair-queue", 1, answer(503), "Attempt 1 failed (HTTP 503): attempt 2 is due in 22.5s, by the schedule's 30s after failed attempt 1, half of it random (schedule.jitter)."},
		{"gateway", 1, answer(503), "Attempt 1 failed (HTTP 503): attempt 2 is due in 15s, by the schedule's 30s after failed attempt 1, all of it random (schedule.jitter)."},
		{"dracma", 1, answer(400), "Attempt 1 failed (HTTP 400): attempt 2 is due in 32s, by the schedule's 30s after failed attempt 1, counted from when that was due, plus up to 10 % at random (schedule.jitter)."},
	} {
		p := preset(t, c.policy)
		progress := Progress{CycleAttempt: c.attempt, CycleStartedAt: accepted, ScheduledAt: accepted}
		d := Decide(p, progress, c.outcome, accepted, always(0.5))
		require.Equal(t, c.want, Explain(p, progress, c.outcome, accepted, d))
	}
}

func TestExplain_Age(t *testing.T) {
	t.Parallel()
	for name, from := range map[string]string{"fair-queue": "acceptance", "dracma": "the first attempt"} {
		p, now := preset(t, name), accepted.Add(72*time.Hour)
		progress := Progress{CycleAttempt: 9, CycleStartedAt: accepted, FirstAttemptAt: accepted, ScheduledAt: now}
		d := Decide(p, progress, answer(500), now, always(0))
		require.Equal(t, "Attempt 9 failed (HTTP 500): the delivery is dead (too_old), because the next attempt would lie past 72h from "+from+" (give_up.age).",
			Explain(p, progress, answer(500), now, d))
	}
}

func TestExplain_A06_AtMostOnceOverrulesThePolicy(t *testing.T) {
	t.Parallel()
	p := preset(t, "standard")
	progress := Progress{CycleAttempt: 1, CycleStartedAt: accepted, ScheduledAt: accepted}
	claim := &delivery.Claim{Endpoint: &delivery.Endpoint{AtMostOnce: true}}
	d := Decide(p, progress, answer(500), accepted, always(0)).Bounded(claim, answer(500))
	require.Contains(t, Explain(p, progress, answer(500), accepted, d), "takes every event at most once")
}

func TestExplain_MinimumWait(t *testing.T) {
	t.Parallel()
	p := custom(t, "schedule: {kind: table, waits: [0s, 1m], minimum_wait: 2s}\n")
	progress := Progress{CycleAttempt: 1, CycleStartedAt: accepted, ScheduledAt: accepted}
	d := Decide(p, progress, answer(500), accepted, always(0))
	require.Equal(t, "Attempt 1 failed (HTTP 500): attempt 2 is due in 2s, because a retry never follows sooner than 2s (schedule.minimum_wait).",
		Explain(p, progress, answer(500), accepted, d))
}

func TestShort(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		0: "0s", time.Second: "1s", time.Minute: "1m", 10 * time.Minute: "10m", time.Hour: "1h", 90 * time.Minute: "1h30m",
		72 * time.Hour: "72h", time.Hour + time.Second: "1h0m1s", 100 * time.Millisecond: "100ms", 70 * time.Second: "1m10s",
	} {
		require.Equal(t, want, short(d))
	}
}
