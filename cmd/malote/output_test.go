package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestBrief(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		0: "0ms", 250 * time.Millisecond: "250ms", 59 * time.Second: "59s", time.Minute: "1m",
		61 * time.Second: "1m1s", time.Hour: "1h", 90 * time.Minute: "1h30m", 47 * time.Hour: "47h",
		48 * time.Hour: "2d", 75*time.Hour + 35*time.Minute: "3d3h",
	} {
		require.Equal(t, want, brief(d))
	}
}

func TestMoment_IsUTCAndRelative(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 13, 0, 0, 0, time.FixedZone("", 3600))
	require.Equal(t, "2026-03-01 12:00:00Z (5m ago)", moment(&at, at.Add(5*time.Minute)))
	require.Equal(t, "2026-03-01 12:00:00Z (in 2h)", moment(&at, at.Add(-2*time.Hour)))
	require.Equal(t, absent, moment(nil, at))
}

func TestCounted(t *testing.T) {
	t.Parallel()
	require.Equal(t, "1 delivery", counted(1, "delivery"))
	require.Equal(t, "2 deliveries", counted(2, "delivery"))
	require.Equal(t, "0 attempts", counted(0, "attempt"))
}

func TestOneLine(t *testing.T) {
	t.Parallel()
	require.Equal(t, "a b c", oneLine("a\n\tb\r\nc "))
	require.NotContains(t, oneLine("x\x1b[2J\u202e"), "\x1b")
}

func TestCommandsTerminal(t *testing.T) {
	t.Parallel()
	require.False(t, commandsTerminal([]byte("{\n\t\"a\": \"é🎉\"\r\n}")))
	for _, text := range []string{"\x1b[2J", "\x00", "\xff", "\u202e"} {
		require.True(t, commandsTerminal([]byte(text)), "%q", text)
	}
}

func TestExact_IsAsPoliciesWriteIt(t *testing.T) {
	t.Parallel()
	for text := range strings.FieldsSeq("30s 5m 72h 1h30m 75h35m5s 0s") {
		d, err := time.ParseDuration(text)
		require.NoError(t, err)
		require.Equal(t, text, exact(d))
	}
}
