package policy

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestParseRetryAfter(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]time.Duration{
		"":                               0,
		"0":                              0,
		"120":                            2 * time.Minute,
		" \t120 ":                        2 * time.Minute,
		"007":                            7 * time.Second,
		"-1":                             0,
		"+1":                             0,
		"1.5":                            0,
		"1e3":                            0,
		"0x10":                           0,
		"１２":                             0,
		"1 2":                            0,
		"9223372036854775807":            longestRetryAfter,
		"99999999999999999999999999":     longestRetryAfter,
		"Sun, 01 Mar 2026 12:01:00 GMT":  time.Minute,
		"Sunday, 01-Mar-26 12:01:00 GMT": time.Minute,
		"Sun Mar  1 12:01:00 2026":       time.Minute,
		"Sun, 01 Mar 2026 12:00:00 GMT":  0,
		"Sun, 01 Mar 2026 11:59:00 GMT":  0,
		"Sat, 01 Jan 9999 00:00:00 GMT":  longestRetryAfter,
		"Sun, 01 Mar 2026 12:01:00 CET":  0,
		"Sun, 31 Feb 2026 12:01:00 GMT":  0,
		"Mon, 01 Jan 0001 00:00:00 GMT":  0,
		"2026-03-01T12:01:00Z":           0,
	} {
		require.Equal(t, want, parseRetryAfter(header, accepted), "%q", header)
	}
}

func FuzzParseRetryAfter(f *testing.F) {
	for _, seed := range []string{"120", "-1", "99999999999999999999", "Sun, 01 Mar 2026 12:01:00 GMT", "Sun Mar  1 12:01:00 2026"} {
		f.Add(seed, int64(0))
	}
	p := preset(f, "fair-queue")
	f.Fuzz(func(t *testing.T, header string, offset int64) {
		now := accepted.Add(time.Duration(offset))
		wait := parseRetryAfter(header, now)
		require.GreaterOrEqual(t, wait, time.Duration(0))
		require.LessOrEqual(t, wait, longestRetryAfter)

		d := Decide(p, Progress{CycleAttempt: 1, CycleStartedAt: now, ScheduledAt: now}, askedToWait(503, header), now, always(0))
		require.GreaterOrEqual(t, d.NextAttemptAt.Sub(now), max(15*time.Second, min(wait, 6*time.Hour)))
		require.LessOrEqual(t, d.NextAttemptAt.Sub(now), 6*time.Hour)
	})
}
