package api

import (
	"encoding/json"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestTimestamp_IsUTCWithMilliseconds(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("", -3*3600)
	for at, want := range map[time.Time]string{
		time.Date(2026, 3, 1, 23, 59, 59, 999_999_999, zone): `"2026-03-02T02:59:59.999Z"`,
		time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC):          `"2026-03-01T00:00:00.000Z"`,
		{}: "null",
	} {
		text, err := json.Marshal(timestamp{at})
		require.NoError(t, err)
		require.Equal(t, want, string(text))
	}
	for _, text := range []string{"2026-03-01T12:00:00Z", "2026-03-01T09:00:00-03:00", "2026-03-01T12:00:00.000000000Z"} {
		var at timestamp
		require.NoError(t, at.UnmarshalText([]byte(text)))
		require.Equal(t, time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), at.Time)
	}
	for _, text := range []string{"", "2026-03-01", "2026-03-01 12:00:00Z", "2026-03-01T12:00:00", "2026-02-30T00:00:00Z", "1969-12-31T23:59:59Z", "0001-01-01T00:00:00Z"} {
		require.Error(t, (&timestamp{}).UnmarshalText([]byte(text)), text)
	}
}

func TestSpan_SaysWhatPeopleWrite(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		"30s": 30 * time.Second, "2m": 2 * time.Minute, "72h": 72 * time.Hour, "1h30m": 90 * time.Minute, "1h0m5s": time.Hour + 5*time.Second,
		"1.5s": 1500 * time.Millisecond, "0s": 0, "10m": 10 * time.Minute, "20h": 20 * time.Hour,
	} {
		require.Equal(t, text, span(want).String())
	}
	pattern := regexp.MustCompile(spanPattern)
	rapid.Check(t, func(t *rapid.T) {
		d := span(rapid.Int64Range(0, 1<<62).Draw(t, "d"))
		require.Regexp(t, pattern, d.String())
		var back span
		require.NoError(t, back.UnmarshalText([]byte(d.String())))
		require.Equal(t, d, back)
	})
	for _, text := range []string{"", "5", "1d", "s", "1h 5m", "-"} {
		require.Error(t, new(span).UnmarshalText([]byte(text)), text)
	}
}
