package contractpage

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/malotehq/malote/internal/policy"
)

// fataler is what testing.TB and rapid.T have in common.
type fataler interface {
	require.TestingT
	Helper()
}

func presets(t fataler) []*policy.Policy {
	t.Helper()
	var all []*policy.Policy
	for _, name := range policy.PresetNames() {
		p, known := policy.Preset(name)
		require.True(t, known, name)
		all = append(all, p)
	}
	return all
}

func custom(t fataler, source string) *policy.Policy {
	t.Helper()
	p, err := policy.Parse([]byte(source))
	require.NoError(t, err, source)
	return p
}

func rendered(t fataler, p *policy.Policy, options Options) string {
	t.Helper()
	written, err := Render(p, options)
	require.NoError(t, err)
	return string(written)
}

// everyPage runs the test for every policy that comes with Malote, in every
// language.
func everyPage(t *testing.T, test func(t *testing.T, p *policy.Policy, l Language)) {
	t.Helper()
	for _, p := range presets(t) {
		for _, l := range Languages {
			t.Run(p.Name+"/"+string(l), func(t *testing.T) {
				t.Parallel()
				test(t, p, l)
			})
		}
	}
}

// randomPolicy draws a policy of any user's: whatever Parse lets pass.
func randomPolicy(t *rapid.T) *policy.Policy {
	for range 100 {
		if p, err := policy.Parse([]byte(randomSource(t))); err == nil {
			return p
		}
	}
	t.Skip("no policy came out right")
	return nil
}

func randomSource(t *rapid.T) string {
	pick := func(label string, from ...string) string { return rapid.SampledFrom(from).Draw(t, label) }
	number := func(label string, least, most int) int { return rapid.IntRange(least, most).Draw(t, label) }
	some := func(label string, from ...string) string {
		return strings.Join(rapid.SliceOfNDistinct(rapid.SampledFrom(from), 1, len(from), rapid.ID).Draw(t, label), ", ")
	}
	var y strings.Builder
	line := func(format string, arguments ...any) { fmt.Fprintf(&y, format+"\n", arguments...) }
	maybe := func(label, format string, arguments ...any) {
		if rapid.Bool().Draw(t, label) {
			line(format, arguments...)
		}
	}
	line("name: drawn-%d", number("name", 0, 99))
	line("deadline: %s", pick("deadline", "100ms", "2500ms", "1s", "7s", "1m30s", "2m"))
	line("lease: %s", pick("lease", "3m", "10m", "1h"))
	line("max_in_flight: %d", number("in flight", 1, 50))
	maybe("fifo", "fifo: true")
	maybe("rate", "rate_limit: %s", pick("rate limit", "0.5", "2.5", "100"))
	maybe("success", "success: [%s]", some("successes", "200", "2xx", "202", "404"))
	maybe("response", "response: {read_limit: %s, keep_failed: %s, broken_body: %s}",
		pick("read", "0", "512", "4KiB", "1MiB"), pick("keep", "0", "100", "1KiB"), pick("broken", "success", "failure"))
	if rapid.Bool().Draw(t, "table") {
		waits := rapid.SliceOfN(rapid.SampledFrom([]string{"0s", "1s", "1500ms", "7s", "1m", "10m", "3h", "24h"}), 1, 70).Draw(t, "waits")
		line("schedule: {kind: table, waits: [%s], then: %s, jitter: %s, anchor: %s, first_delay: %s}", strings.Join(waits, ", "),
			pick("then", "end", "repeat"), randomJitter(t), pick("anchor", "finished", "scheduled"), pick("delay", "0s", "90s"))
	} else {
		line("schedule: {kind: exponential, base: %s, factor: %s, cap: %s, jitter: %s, minimum_wait: %s}", pick("base", "1s", "30s", "5m"),
			pick("factor", "1", "1.7", "2", "3"), pick("cap", "5m", "6h", "48h"), randomJitter(t), pick("minimum", "0s", "3s"))
	}
	maybe("pauses", "retry_after: {on: [%s], cap: %s}", some("obeyed", "429", "503", "5xx", "any"), pick("cap", "1s", "30m", "24h"))
	line("give_up: {attempts: %d, age: %s, age_from: %s}", number("attempts", 1, 60), pick("age", "1h", "72h", "2000h"), pick("from", "accepted", "first_attempt"))
	maybe("failures", "failures:\n  - {on: [%s], then: %s, disable_endpoint: %t}", some("final", "400", "410", "413", "3xx", "418", "419", "420", "421", "timeout", "tls"),
		pick("verdict", "dead, reason: gone", "dead", "dead, reason: too_large", "retry"), rapid.Bool().Draw(t, "disables"))
	maybe("circuit", "circuit: {kind: %s, failures: %d, pause: %s, max_pause: %s}", pick("kind", "escalating", "half_open"),
		number("failures", 1, 30), pick("pause", "1s", "30s", "10m"), pick("longest", "10m", "20m", "6h"))
	maybe("slow", "slow_down: {restore_after: %d, slower_than: 50ms, in_a_row: %d}", number("restore", 1, 9), number("in a row", 1, 9))
	maybe("disable", "disable_endpoint: {failures: %d, after: 72h, min_attempts: %d, warn_after: [%s]}",
		number("many", 1, 200), number("least", 1, 30), pick("warnings", "", "12h", "12h, 24h, 48h"))
	maybe("headers", "headers: {id: \"%s\", event_type: X-Type, idempotency_key: Idempotency-Key, extra: {X-From: \"a|b `c` <d>\"}}", pick("id", "X-Id", "x'y|z`", "a`b$c"))
	line("signature: {scheme: %s}", pick("scheme", "standard-webhooks", "timestamp-hex"))
	maybe("envelope", "envelope: {%s: id, \"<b>|`\": data, at: accepted_at}", pick("member", "id", "\"a|b\""))
	line("redeliver: [%s]", pick("states", "", "dead", "dead, delivered, skipped"))
	line("record_skipped: [%s]", pick("skips", "", "endpoint_disabled"))
	return y.String()
}

func randomJitter(t *rapid.T) string {
	return rapid.SampledFrom([]string{
		"{kind: none}", "{kind: equal}", "{kind: full}", "{kind: percent, percent: 33}", "{kind: additive, percent: 12.5}", "{kind: percent, percent: 100}",
	}).Draw(t, "jitter")
}
