package contractpage

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/circuit"
	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
)

// mutations change one thing each, and say whether the policy has it.
var mutations = map[string]func(p *policy.Policy) bool{
	"deadline":      func(p *policy.Policy) bool { p.Deadline += time.Second; return true },
	"lease":         func(p *policy.Policy) bool { p.Lease += time.Second; return true },
	"max_in_flight": func(p *policy.Policy) bool { p.MaxInFlight++; return true },
	"rate_limit":    func(p *policy.Policy) bool { p.RateLimit += 7; return true },
	"fifo":          func(p *policy.Policy) bool { p.FIFO = !p.FIFO; return true },
	"success":       func(p *policy.Policy) bool { p.Success = []policy.Condition{"204"}; return true },
	"read_limit":    func(p *policy.Policy) bool { p.Response.ReadLimit += 1 << 10; return true },
	"keep_failed": func(p *policy.Policy) bool {
		p.Response.KeepFailed++
		return p.Response.ReadLimit > 0
	},
	"broken_body": func(p *policy.Policy) bool {
		p.Response.BrokenBodyFails = !p.Response.BrokenBodyFails
		return p.Response.ReadLimit > 0
	},
	"waits": func(p *policy.Policy) bool {
		p.Schedule.Waits = slices.Clone(p.Schedule.Waits)
		if len(p.Schedule.Waits) > 0 {
			p.Schedule.Waits[len(p.Schedule.Waits)-1] += time.Second
		}
		return p.Schedule.Kind == policy.Table
	},
	"base": func(p *policy.Policy) bool {
		p.Schedule.Base += time.Second
		return p.Schedule.Kind == policy.Exponential
	},
	"factor": func(p *policy.Policy) bool { p.Schedule.Factor += 0.1; return p.Schedule.Kind == policy.Exponential },
	"cap":    func(p *policy.Policy) bool { p.Schedule.Cap /= 2; return p.Schedule.Kind == policy.Exponential },
	"jitter": func(p *policy.Policy) bool {
		p.Schedule.Jitter = policy.Jitter{}
		p.Schedule.Jitter.Kind = policy.NoJitter
		return true
	},
	"percent":      func(p *policy.Policy) bool { p.Schedule.Jitter.Percent++; return p.Schedule.Jitter.Percent > 1 },
	"first_delay":  func(p *policy.Policy) bool { p.Schedule.FirstDelay += time.Minute; return true },
	"minimum_wait": func(p *policy.Policy) bool { p.Schedule.MinimumWait = time.Hour; return true },
	"anchor": func(p *policy.Policy) bool {
		p.Schedule.Anchor = map[policy.Anchor]policy.Anchor{policy.Finished: policy.Scheduled, policy.Scheduled: policy.Finished}[p.Schedule.Anchor]
		return true
	},
	"retry_after on":  func(p *policy.Policy) bool { p.RetryAfter.On = nil; return p.RetryAfter.Cap > 0 },
	"retry_after cap": func(p *policy.Policy) bool { p.RetryAfter.Cap += time.Minute; return len(p.RetryAfter.On) > 0 },
	"attempts":        func(p *policy.Policy) bool { p.GiveUp.Attempts = 5; return true },
	"age":             func(p *policy.Policy) bool { p.GiveUp.Age += 100 * time.Hour; return true },
	"age_from": func(p *policy.Policy) bool {
		p.GiveUp.AgeFrom = map[policy.AgeFrom]policy.AgeFrom{policy.FromAccepted: policy.FromFirstAttempt, policy.FromFirstAttempt: policy.FromAccepted}[p.GiveUp.AgeFrom]
		return p.GiveUp.Age > 0
	},
	"failures": func(p *policy.Policy) bool {
		p.Failures = append([]policy.Rule{{On: []policy.Condition{"451"}, Dead: true, Reason: delivery.Rejected}}, p.Failures...)
		return p.Name != "axxos" // whose other rules say so already
	},
	"reason": func(p *policy.Policy) bool {
		p.Failures = slices.Clone(p.Failures)
		for i := range p.Failures {
			p.Failures[i].Reason = "mutated"
		}
		return slices.ContainsFunc(p.Failures, func(r policy.Rule) bool { return r.Dead })
	},
	"circuit failures": func(p *policy.Policy) bool { p.Circuit.Failures++; return p.Circuit.Kind != circuit.None },
	"pause":            func(p *policy.Policy) bool { p.Circuit.Pause += time.Second; return p.Circuit.Kind != circuit.None },
	"max_pause":        func(p *policy.Policy) bool { p.Circuit.MaxPause += time.Hour; return p.Circuit.Kind != circuit.None },
	"restore_after": func(p *policy.Policy) bool {
		p.Circuit.SlowDown.RestoreAfter++
		return p.Circuit.SlowDown.RestoreAfter > 1
	},
	"slower_than": func(p *policy.Policy) bool {
		p.Circuit.SlowDown.SlowerThan += time.Second
		return p.Circuit.SlowDown.InARow > 0
	},
	"in_a_row":             func(p *policy.Policy) bool { p.Circuit.SlowDown.InARow++; return p.Circuit.SlowDown.RestoreAfter > 0 },
	"disable failures":     func(p *policy.Policy) bool { p.Circuit.Disable.Failures++; return true },
	"disable after":        func(p *policy.Policy) bool { p.Circuit.Disable.After += time.Hour; return true },
	"disable min_attempts": func(p *policy.Policy) bool { p.Circuit.Disable.MinAttempts++; return p.Circuit.Disable.After > 0 },
	"disable warn_after": func(p *policy.Policy) bool {
		p.Circuit.Disable.Warn = []time.Duration{time.Minute}
		return p.Circuit.Disable.After > 0
	},
	"header id":         func(p *policy.Policy) bool { p.Headers.ID = "x-mutated"; return true },
	"header timestamp":  func(p *policy.Policy) bool { p.Headers.Timestamp = "x-mutated"; return true },
	"header signature":  func(p *policy.Policy) bool { p.Headers.Signature = "x-mutated"; return true },
	"header trace":      func(p *policy.Policy) bool { p.Headers.Trace = "traceparent"; return true },
	"header event_type": func(p *policy.Policy) bool { p.Headers.EventType = "x-mutated"; return true },
	"header extra":      func(p *policy.Policy) bool { p.Headers.Extra = []policy.Header{{Name: "x", Value: "y"}}; return true },
	"idempotency_key":   func(p *policy.Policy) bool { p.Headers.IdempotencyKey = "x-mutated"; return true },
	"idempotency_key_from": func(p *policy.Policy) bool {
		from := map[policy.KeySource]policy.KeySource{policy.KeyFromEventID: policy.KeyAsUUID4, policy.KeyAsUUID4: policy.KeyFromEventID}
		p.Headers.IdempotencyKeyFrom = from[p.Headers.IdempotencyKeyFrom]
		return p.Headers.IdempotencyKey != ""
	},
	"scheme": func(p *policy.Policy) bool {
		p.Signature.Scheme = map[policy.Scheme]policy.Scheme{policy.StandardWebhooks: policy.TimestampHex, policy.TimestampHex: policy.StandardWebhooks}[p.Signature.Scheme]
		return true
	},
	"envelope": func(p *policy.Policy) bool {
		p.Envelope.Members = append(slices.Clone(p.Envelope.Members), policy.Member{Name: "mutated", Value: policy.AcceptedAt})
		return true
	},
	"redeliver":        func(p *policy.Policy) bool { p.Redeliver = []delivery.State{delivery.Superseded}; return true },
	"replay_on_enable": func(p *policy.Policy) bool { p.ReplayOnEnable = !p.ReplayOnEnable; return true },
	"record_skipped":   func(p *policy.Policy) bool { p.RecordSkips = nil; return true },
	"name":             func(p *policy.Policy) bool { p.Name = "mutated"; return true },
	"description":      func(p *policy.Policy) bool { p.Description = "mutated"; return true },
}

// Whatever of a policy is changed, its page says so. One language is enough for
// each: all show the same values.
func TestPage_F16_ChangesWithThePolicy(t *testing.T) {
	t.Parallel()
	for i, p := range presets(t) {
		options := Options{Language: Languages[i%len(Languages)]}
		before := rendered(t, p, options)
		for name, mutate := range mutations {
			mutated := *p
			if mutate(&mutated) {
				require.False(t, before == rendered(t, &mutated, options), "%s of %s shows nowhere", name, p.Name)
			}
		}
		require.True(t, before == rendered(t, p, options), "a mutation reached the preset itself")
	}
}
