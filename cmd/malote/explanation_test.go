package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/policy"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// after is so long after noon.
func after(d time.Duration) *time.Time {
	at := noon.Add(d)
	return &at
}

func ptr[T any](value T) *T { return &value }

// attempt failed with the status (0: a time-out), took a second, and was due
// and made so long after noon.
func attempt(n int, trigger string, at time.Duration, status int) attemptView {
	a := attemptView{Number: n, Trigger: trigger, ScheduledAt: after(at), StartedAt: after(at), DurationMS: 1000}
	switch {
	case status == 0:
		a.ErrorCode = ptr("timeout")
	case status < 200 || status > 299:
		a.ResponseStatus, a.ErrorCode = &status, ptr("http_status")
	default:
		a.ResponseStatus = &status
	}
	return a
}

func preset(t testing.TB, name string) *policy.Policy {
	p, known := policy.Preset(name)
	require.True(t, known)
	return p
}

func TestExplanation(t *testing.T) {
	t.Parallel()
	active := &endpointView{Status: "active"}
	first := []attemptView{attempt(1, "schedule", 0, 500)}
	for name, test := range map[string]struct {
		policy   string
		delivery deliveryView
		target   *endpointView
		says     []string
	}{
		"not tried yet": {"standard", deliveryView{State: "pending", NextAttemptAt: after(0)}, active, []string{"Attempt 1 is due now."}},
		"waits by schedule": {"standard", deliveryView{State: "pending", Trigger: "schedule", AttemptCount: 1, NextAttemptAt: after(6 * time.Second), Attempts: first}, active,
			[]string{"HTTP 500", "attempt 2 is due in 3s", "schedule's 5s"}},
		"waits for Retry-After": {"standard", deliveryView{State: "pending", Trigger: "schedule", AttemptCount: 1, NextAttemptAt: after(time.Hour), Attempts: first}, active,
			[]string{"Retry-After", "retry_after.cap"}},
		"earlier than the schedule has it": {"standard", deliveryView{
			State: "pending", Trigger: "schedule", AttemptCount: 2, NextAttemptAt: after(20 * time.Second),
			Attempts: []attemptView{attempt(1, "schedule", 0, 500), attempt(2, "schedule", 6*time.Second, 500)},
		}, active, []string{"Attempt 3 is due in 17s."}},
		"replayed": {"standard", deliveryView{
			State: "pending", Trigger: "replay", AttemptCount: 1, NextAttemptAt: after(0), Attempts: first,
		}, active, []string{"Attempt 2 is due now."}},
		"lost worker": {"standard", deliveryView{
			State: "pending", Trigger: "schedule", AttemptCount: 1, NextAttemptAt: after(time.Minute),
			Attempts: []attemptView{{Number: 1, Trigger: "schedule", ScheduledAt: after(0), StartedAt: after(0), ErrorCode: ptr("interrupted")}},
		}, active, []string{"worker of attempt 1 was lost", "lease: 1m"}},
		"paused endpoint":   {"standard", deliveryView{State: "pending", NextAttemptAt: after(0)}, &endpointView{Status: "paused"}, []string{"due now", "endpoints resume"}},
		"disabled endpoint": {"standard", deliveryView{State: "pending", NextAttemptAt: after(0)}, &endpointView{Status: "disabled_by_system"}, []string{"endpoints enable"}},
		"open circuit": {"standard", deliveryView{State: "pending", NextAttemptAt: after(0)},
			&endpointView{Status: "active", ConsecutiveFailures: 12, PausedUntil: after(33 * time.Second)}, []string{"12 times in a row", "30s", "circuit"}},
		"being sent": {"standard", deliveryView{State: "sending", AttemptCount: 3}, active, []string{"Attempt 3 is being made right now."}},
		"delivered": {"standard", deliveryView{State: "delivered", Attempts: []attemptView{attempt(1, "schedule", 0, 204)}}, active,
			[]string{"Attempt 1 succeeded with HTTP 204"}},
		"gone": {"standard", deliveryView{ID: "whd_1", State: "dead", DeadReason: ptr("gone"), Attempts: []attemptView{attempt(1, "schedule", 0, 410)}}, active,
			[]string{"HTTP 410", "dead (gone)", "disabled", "malote replay whd_1"}},
		"at most once": {"standard", deliveryView{
			ID: "whd_1", State: "dead", DeadReason: ptr("attempts_exhausted"), Attempts: []attemptView{attempt(1, "schedule", 0, 0)},
		}, &endpointView{Status: "active", AtMostOnce: true}, []string{"timeout", "at most once", "malote replay whd_1"}},
		"a test":           {"standard", deliveryView{State: "dead", DeadReason: ptr("attempts_exhausted"), Attempts: []attemptView{attempt(1, "test", 0, 500)}}, active, []string{"a test gets one attempt"}},
		"of another time":  {"standard", deliveryView{State: "dead", DeadReason: ptr("rejected"), Attempts: first}, active, []string{"dead (rejected)", "at that time"}},
		"endpoint deleted": {"", deliveryView{State: "dead", DeadReason: ptr("endpoint_deleted")}, nil, []string{"endpoint was deleted"}},
		"nobody there":     {"", deliveryView{State: "skipped", SkipReason: ptr("no_endpoint")}, nil, []string{"no endpoint", "nothing old"}},
		"disabled then":    {"", deliveryView{State: "skipped", SkipReason: ptr("endpoint_disabled")}, active, []string{"was disabled"}},
		"replaced":         {"", deliveryView{State: "superseded"}, active, []string{"newer event"}},
		"resolved":         {"", deliveryView{State: "resolved"}, active, []string{"resolved"}},
		"discarded":        {"", deliveryView{State: "discarded"}, active, []string{"discarded"}},
		"from the future":  {"", deliveryView{State: "levitating"}, active, []string{"levitating"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := explanation{delivery: test.delivery, target: test.target}
			if test.policy != "" {
				x.policy = preset(t, test.policy)
			}
			said := x.sentence(noon.Add(3 * time.Second))
			for _, part := range test.says {
				require.Contains(t, said, part)
			}
			x.policy = nil
			require.NotEmpty(t, x.sentence(noon), "without a policy there is still something to say")
		})
	}
}

// Attempts are numbered over the whole life, the schedule counts in cycles.
func TestExplanation_D10_CountsAnewAfterAReplay(t *testing.T) {
	t.Parallel()
	dead := attempt(1, "schedule", 0, 410)
	x := explanation{policy: preset(t, "standard"), delivery: deliveryView{CreatedAt: after(-time.Second), Attempts: []attemptView{
		dead, attempt(2, "replay", time.Hour, 410), // dead again, and replayed again
		attempt(3, "replay", 2*time.Hour, 500), attempt(4, "replay", 2*time.Hour+6*time.Second, 500),
	}}}
	steps := x.life().Steps()
	require.Len(t, steps, 4)
	require.Equal(t, policy.Progress{
		CycleAttempt: 2, CycleStartedAt: *after(2 * time.Hour), FirstAttemptAt: *after(2 * time.Hour), ScheduledAt: *after(2*time.Hour + 6*time.Second),
	}, steps[3].Progress)

	x.delivery.Attempts = []attemptView{dead}
	require.Equal(t, *after(-time.Second), x.life().Steps()[0].Progress.CycleStartedAt, "age begins at acceptance")
}

func TestExplanation_F08_SaysThatItIsTooOld(t *testing.T) {
	t.Parallel()
	x := explanation{policy: preset(t, "fair-queue"), delivery: deliveryView{
		State: "dead", DeadReason: ptr("too_old"), CreatedAt: after(-71 * time.Hour),
		Attempts: []attemptView{
			attempt(1, "schedule", -71*time.Hour, 500), attempt(2, "schedule", 0, 500), attempt(3, "schedule", 59*time.Minute+58*time.Second, 500),
		},
	}}
	said := x.sentence(noon.Add(2 * time.Hour))
	require.Contains(t, said, "give_up.age")
}
