package policy

import (
	"errors"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/malotehq/malote/internal/circuit"
	"github.com/malotehq/malote/internal/delivery"
)

func TestParse_EveryField(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("testdata/every-field.yaml")
	require.NoError(t, err)
	p, err := Parse(source)
	require.NoError(t, err)
	want := &Policy{
		Name: "my-own-9", Description: "Two lines\nof text.",
		Deadline: 2500 * time.Millisecond, Lease: 90 * time.Second, MaxInFlight: 7,
		RateLimit: 2.5, FIFO: true,
		Success:  []Condition{"200", "202"},
		Response: Response{ReadLimit: 2048, KeepFailed: 100, BrokenBodyFails: true},
		Schedule: Backoff{
			Kind: Exponential, Base: 2 * time.Second, Factor: 1.5, Cap: 10 * time.Minute,
			Jitter: Jitter{Kind: AdditiveJitter, Percent: 12.5}, Anchor: Scheduled,
			FirstDelay: 3 * time.Second, MinimumWait: 4 * time.Second,
		},
		RetryAfter: RetryAfter{On: []Condition{"429", "5xx"}, Cap: 20 * time.Minute},
		GiveUp:     GiveUp{Attempts: 12, Age: 48 * time.Hour, AgeFrom: FromFirstAttempt},
		Failures: []Rule{
			{On: []Condition{"413"}, Dead: true, Reason: delivery.TooLarge, DisableEndpoint: true},
			{On: []Condition{"timeout", "4xx", AnyError}, SlowDown: true},
		},
		Circuit: circuit.Settings{
			Kind: circuit.Escalating, Failures: 3, Pause: 2 * time.Minute, MaxPause: 20 * time.Minute,
			SlowDown: circuit.SlowDown{RestoreAfter: 5, SlowerThan: time.Second, InARow: 6},
			Disable: circuit.Disable{
				Failures: 50, After: 24 * time.Hour, MinAttempts: 9,
				Warn: []time.Duration{6 * time.Hour, 12 * time.Hour},
			},
		},
		Headers: Headers{
			ID: "X-Id", Timestamp: "X-Time", Signature: "X-Sig", Attempt: "X-Attempt", Trigger: "X-Trigger",
			EventType: "X-Type", Trace: "traceparent", IdempotencyKey: "Idempotency-Key", IdempotencyKeyFrom: KeyAsUUID4,
			Extra: []Header{{"X-From", "malote, of course"}, {"X-Number", "12"}},
		},
		Signature: Signature{Scheme: TimestampHex},
		Envelope:  Envelope{Members: []Member{{"kind", EventType}, {"body", Data}, {"when", AcceptedAt}}},
		Redeliver: []delivery.State{delivery.Dead, delivery.Discarded}, ReplayOnEnable: true,
		RecordSkips: []delivery.Reason{delivery.TypeNotSubscribed, delivery.Filtered},
	}
	require.Empty(t, cmp.Diff(want, p))
}

const smallest = "name: tiny\ndeadline: 5s\nschedule: {kind: table, waits: [5s, 1m]}\n"

func TestParse_Defaults(t *testing.T) {
	t.Parallel()
	p, err := Parse([]byte(smallest))
	require.NoError(t, err)
	standard := preset(t, "standard")
	require.Equal(t, standard.Headers, p.Headers)
	require.Equal(t, standard.Signature, p.Signature)
	require.Equal(t, standard.Envelope, p.Envelope)
	require.Equal(t, standard.Response, p.Response)
	require.Equal(t, standard.Success, p.Success)
	require.Equal(t, time.Minute, p.Lease)
	require.Equal(t, 10, p.MaxInFlight)
	require.Zero(t, p.RateLimit)
	require.False(t, p.FIFO)
	require.False(t, p.ReplayOnEnable)
	require.False(t, p.RecordsSkip(delivery.Filtered))
	require.Equal(t, 3, p.MostAttempts(), "the table's end is the end")
	require.Equal(t, circuit.Settings{Kind: circuit.None}, p.Circuit)
	require.Equal(t, []delivery.State{delivery.Dead}, p.Redeliver)
}

// refusals each change one thing in a policy that is fine; what is refused must
// be refused there and for that reason.
var refusals = []struct {
	old, new string
	field    string
	reason   string
}{
	{"name: my-own-9", "name: My_Own", "name", "1 to 64 characters"},
	{"name: my-own-9", "description: x", "description", "already defined"},
	{"name: my-own-9", "name: [a]", "name", "one value"},
	{"name: my-own-9", "name:", "name", "one value"},
	{"name: my-own-9", "name: &x a", "name", "one value"},
	{"name: my-own-9", "nam: x", "nam", "is not a field; there are name"},
	{"deadline: 2500ms", "deadline: 2500", "deadline", "must be a duration such as 30s"},
	{"deadline: 2500ms", "deadline: -1s", "deadline", "between 0s and"},
	{"deadline: 2500ms", "deadline: 6m", "deadline", "between 100ms and 5m"},
	{"deadline: 2500ms", "deadline: 80s", "lease", "longer than the deadline and 10s (1m30s)"},
	{"lease: 90s", "lease: 12500ms", "lease", "longer than the deadline"},
	{"lease: 90s", "lease: 60500ms", "lease", "whole seconds"},
	{"lease: 90s", "lease: 2h", "lease", "at most 1h"},
	{"max_in_flight: 7", "max_in_flight: 0", "max_in_flight", "from 1 to 1000"},
	{"max_in_flight: 7", "max_in_flight: 7.5", "max_in_flight", "whole number"},
	{"rate_limit: 2.5", "rate_limit: 0", "rate_limit", "above 0, at most 10000"},
	{"rate_limit: 2.5", "rate_limit: 10000.5", "rate_limit", "above 0, at most 10000"},
	{"rate_limit: 2.5", "rate_limit: 1e-15", "rate_limit", "at least 0.001"},
	{"rate_limit: 2.5", "rate_limit: 5/s", "rate_limit", "must be a number"},
	{"fifo: true", "fifo: strictly", "fifo", "true or false"},
	{"replay_on_enable: true", "replay_on_enable: 1", "replay_on_enable", "true or false"},
	{"redeliver: [dead, discarded]", "redeliver: [discarded]", "replay_on_enable", "redeliver does not allow"},
	{"[200, 202]", "[200, 302]", "success", "302 cannot be a success"},
	{"[200, 202]", "[2xx, timeout]", "success[1]", "nothing that can be matched"},
	{"[200, 202]", "[600]", "success[0]", "nothing that can be matched"},
	{"[200, 202]", "[]", "success", "names no status"},
	{"[200, 202]", "200", "success", "must be a list"},
	{"read_limit: 2KiB", "read_limit: 2KB", "response.read_limit", "such as 0, 512 or 64KiB"},
	{"read_limit: 2KiB", "read_limit: 2MiB", "response.read_limit", "from 0 to 1MiB"},
	{"read_limit: 2KiB", "read_limit: 64", "response.keep_failed", "more than read_limit reads"},
	{"keep_failed: 100", "keep_faild: 100", "response.keep_faild", "is not a field"},
	{"read_limit: 2KiB\n  keep_failed: 100", "read_limit: 0", "response.broken_body", "cannot be noticed"},
	{"broken_body: failure", "broken_body: maybe", "response.broken_body", "one of success, failure"},
	{"kind: exponential", "kind: linear", "schedule.kind", "one of table, exponential"},
	{"kind: exponential", "waits: [1s]", "schedule.kind", "is missing"},
	{"kind: exponential", "kind: table", "schedule.base", "means nothing in a table"},
	{"cap: 10m", "waits: [1s]\n  cap: 10m", "schedule.waits", "means nothing in an exponential"},
	{"cap: 10m", "cap: 1s", "schedule.cap", "is below base (2s)"},
	{"base: 2s", "base: 0s", "schedule.base", "more than 0s"},
	{"factor: 1.5", "factor: 0.5", "schedule.factor", "at least 1"},
	{"factor: 1.5", "factor: .nan", "schedule.factor", "one value"},
	{"factor: 1.5", "factor: \"NaN\"", "schedule.factor", "above 0"},
	{"kind: additive", "kind: full", "schedule.jitter.percent", "means nothing"},
	{"percent: 12.5", "percent: 101", "schedule.jitter.percent", "at most 100"},
	{"    percent: 12.5\n", "", "schedule.jitter.percent", "is missing"},
	{"anchor: scheduled", "anchor: started", "schedule.anchor", "one of finished, scheduled"},
	{"minimum_wait: 4s", "minimum_wait: 11m", "schedule.minimum_wait", "longest wait (10m)"},
	{"on: [429, 5xx]", "on: [timeout]", "retry_after.on[0]", "nothing that can be matched"},
	{"cap: 20m", "cap: 0s", "retry_after.cap", "more than 0s"},
	{"on: [429, 5xx]", "on: []", "retry_after.cap", "means nothing where no answer"},
	{"attempts: 12", "attempts: 0", "give_up.attempts", "from 1 to 1000"},
	{"age: 48h", "age: 0s", "give_up.age", "more than 0s"},
	{"  age: 48h\n", "", "give_up.age_from", "means nothing without an age"},
	{"age: 48h", "age: 3s", "give_up.age", "no time for a second attempt"},
	{"then: dead", "then: drop", "failures[0].then", "one of retry, dead"},
	{"reason: too_large", "reason: too_old", "failures[0].reason", "one of rejected, gone, too_large"},
	{"then: retry", "then: retry, reason: gone", "failures[1].reason", "means nothing where the delivery is retried"},
	{"on: [413]", "on: [200]", "failures[0].on", "200 is a success"},
	{"on: [413]", "on: []", "failures[0].on", "names nothing"},
	{"on: [413]", "on: [timeout]", "failures[1].on", "already named by a rule above"},
	{"on: [413]", "on: [any]", "failures[1].on", "already named by a rule above"},
	{"on: [413]", "on: [interrupted]", "failures[0].on[0]", "nothing that can be matched"},
	{"- {on:", "- [{on:", "failures", "not YAML"},
	{"disable_endpoint: true", "disable_endpoint: yes", "failures[0].disable_endpoint", "true or false"},
	{"slow_down:\n  restore_after: 5\n  slower_than: 1s\n  in_a_row: 6\n", "", "failures", "rule 2 slows endpoints down"},
	{"kind: escalating", "kind: none", "circuit.failures", "means nothing without a circuit"},
	{"failures: 3", "failures: 0", "circuit.failures", "from 1 to 1000"},
	{"pause: 2m", "pause: 10ms", "circuit.pause", "at least 1s"},
	{"max_pause: 20m", "max_pause: 1m", "circuit.max_pause", "is below pause (2m)"},
	{"slower_than: 1s", "slower_than: 3s", "slow_down.slower_than", "less than the deadline (2.5s)"},
	{"  slower_than: 1s\n", "", "slow_down.in_a_row", "means nothing without slower_than"},
	{"  failures: 50\n  after: 24h\n", "", "disable_endpoint.after", "nothing would disable"},
	{"  after: 24h\n", "", "disable_endpoint.min_attempts", "means nothing without after"},
	{"[6h, 12h]", "[12h, 6h]", "disable_endpoint.warn_after", "ascending"},
	{"[6h, 12h]", "[6h, 24h]", "disable_endpoint.warn_after", "less than after (24h)"},
	{"id: X-Id", "id: X Id", "headers.id", "not a header name"},
	{"id: X-Id", "id: \"\"", "headers.id", "not a header name"},
	{"id: X-Id", "id: Host", "headers.id", "not a policy's to set"},
	{"trigger: X-Trigger", "trigger: x-id", "headers.trigger", "used twice"},
	{"X-Number: 12", "content-TYPE: 12", "headers.extra", "not a policy's to set"},
	{"X-Number: 12", "X-Number: \"a\\nb\"", "headers.extra.X-Number", "printable"},
	{"  idempotency_key: Idempotency-Key\n", "", "headers.idempotency_key_from", "means nothing without"},
	{"scheme: timestamp-hex", "scheme: md5", "signature.scheme", "one of standard-webhooks"},
	{"body: data", "body: payload", "envelope.body", "one of id, type"},
	{"body: data", "body: type", "envelope", "exactly one member with the value data, text or mrkdwn, not 0"},
	{"when: accepted_at", "when: data", "envelope", "not 2"},
	{"envelope:\n", "envelope: x\nz:\n", "z", "is not a field"},
	{"[dead, discarded]", "[pending]", "redeliver[0]", "one of delivered, dead"},
	{"[dead, discarded]", "[dead, dead]", "redeliver[1]", "is given twice"},
	{"[type_not_subscribed, filtered]", "[gone]", "record_skipped[0]", "one of no_endpoint"},
}

func TestParse_RefusesWithLineAndReason(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("testdata/every-field.yaml")
	require.NoError(t, err)
	fine := string(source)
	for _, c := range refusals {
		require.Equal(t, 1, strings.Count(fine, c.old), "the case changes one place: %q", c.old)
		changed := strings.Replace(fine, c.old, c.new, 1)
		_, err := Parse([]byte(changed))
		var refused *ParseError
		require.ErrorAs(t, err, &refused, "%q → %q", c.old, c.new)
		if !strings.Contains(refused.Reason, "YAML") {
			require.Equal(t, c.field, refused.Field, "%q → %q: %v", c.old, c.new, err)
		}
		require.Contains(t, refused.Reason, c.reason, "%q → %q", c.old, c.new)
	}
}

func TestParse_PointsAtThePlace(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"":                                    "line 1, column 1: a policy is a mapping that begins with its name",
		"- a\n- b\n":                          "line 1, column 1: a policy is a mapping that begins with its name",
		"deadline: 5s\n":                      "line 1, column 1: name: is missing",
		"name: x\n\n\ndeadlin: 5s\n":          "line 4, column 1: deadlin: is not a field",
		"name: x\ndeadline:   6h\n":           "line 2, column 13: deadline: must be between",
		smallest + "success:\n  - 2xx\n  - x": "line 6, column 5: success[1]: \"x\" is nothing that can be matched",
		smallest + "circuit:\n  kind: none\n  pause: 1s\n":                            "line 6, column 10: circuit.pause: means nothing",
		smallest + "name: again\n":                                                    "line 4, column 1: this is not YAML: mapping key \"name\" already defined",
		smallest + "---\n" + smallest:                                                 "line 1, column 1: a file holds one policy, not 2 YAML documents",
		"name: x\ndeadline: 5s\nschedule: {kind: table, waits: [1s], then: repeat}\n": "line 1, column 1: give_up.attempts: or age is missing",
		strings.Repeat("#", MaxSourceBytes+1):                                         "line 1, column 1: a policy is at most 32 KiB long",
		strings.Repeat("[", 5000):                                                     "line 1, column 1: this is too long for a policy",
		strings.Replace(smallest, "waits: [5s, 1m]", "waits: [0s], then: repeat", 1) + "give_up: {age: 1h}\n": "line 4, column 1: give_up.attempts: is missing: the schedule would lead to 1000 attempts",
		smallest + "failures:\n  - on: [any]\n": "line 5, column 5: failures[0].then: is missing",
		smallest + "give_up: {attempts: 4}\n":   "line 4, column 21: give_up.attempts: is more than the 3",
	} {
		_, err := Parse([]byte(source))
		require.Error(t, err, source)
		require.True(t, strings.HasPrefix(err.Error(), want), "got %q, want %q…", err, want)
	}
}

func TestParse_ReturnsNoPolicyWithAnError(t *testing.T) {
	t.Parallel()
	p, err := Parse([]byte("name: X"))
	require.Nil(t, p)
	var refused *ParseError
	require.True(t, errors.As(err, &refused))
}

// Mistakes are seldom random bytes: words in the wrong place, lines missing,
// repeated, or moved in and out.
func TestParse_SurvivesClumsyEditing(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("testdata/every-field.yaml")
	require.NoError(t, err)
	words := regexp.MustCompile(`[^\s,:\[\]{}]+|[\[\]{}:,]`).FindAllString(string(source), -1)
	words = append(words, "", "&a", "*a", "!!binary", "<<", "|", ">", "?", "-", "~", ".inf", "0x1F", "'", "\"")
	rapid.Check(t, func(t *rapid.T) {
		lines := strings.SplitAfter(string(source), "\n")
		for range rapid.IntRange(1, 4).Draw(t, "edits") {
			i := rapid.IntRange(0, len(lines)-1).Draw(t, "line")
			switch rapid.IntRange(0, 4).Draw(t, "edit") {
			case 0:
				lines = slices.Delete(lines, i, i+1)
			case 1:
				lines = slices.Insert(lines, i, lines[i])
			case 2:
				lines[i] = strings.TrimLeft(lines[i], " ")
			default:
				line := strings.Split(lines[i], " ")
				line[rapid.IntRange(0, len(line)-1).Draw(t, "word")] = rapid.SampledFrom(words).Draw(t, "new")
				lines[i] = strings.Join(line, " ")
			}
		}
		p, err := Parse([]byte(strings.Join(lines, "")))
		require.Equal(t, err == nil, p != nil)
		if p != nil {
			require.Equal(t, delivery.Dead, live(t, p, 0, always(0), func(int) delivery.Outcome { return answer(599) }).last.State)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, name := range presetNames {
		source, _ := PresetSource(name)
		f.Add(string(source))
	}
	everyField, err := os.ReadFile("testdata/every-field.yaml")
	require.NoError(f, err)
	f.Add(string(everyField))
	f.Add(smallest)
	f.Add("a: &a [*a, *a]\nb: !!binary x\n<<: *a\n? [x]\n: y\n")
	f.Fuzz(func(t *testing.T, source string) {
		p, err := Parse([]byte(source))
		if err != nil {
			var refused *ParseError
			require.ErrorAs(t, err, &refused)
			require.Positive(t, refused.Line)
			require.Positive(t, refused.Column)
			require.NotEmpty(t, refused.Reason)
			return
		}
		require.Regexp(t, "^[a-z0-9-]{1,64}$", p.Name)
		require.Greater(t, p.Lease, p.Deadline+10*time.Second)
		l := live(t, p, 0, always(0), func(int) delivery.Outcome { return failedWith(delivery.Timeout) })
		require.Equal(t, delivery.Dead, l.last.State, "every policy ends")
		require.NotPanics(t, func() { p.Envelope.Render(Fields{}, []byte("1")) })
	})
}
