package lang

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestChoose(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		chosen, accepts string
		want            Language
	}{
		{"", "", English},
		{"", "pt-BR,pt;q=0.9,en;q=0.8", Portuguese},
		{"", "pt-PT", Portuguese},
		{"", "de, pt;q=0.5, en;q=0.1", Portuguese},
		{"", "de,fr", English},
		{"", "en-GB", English},
		{"", "not a language; q=", English},
		{"pt-BR", "en", Portuguese},
		{"en", "pt-BR", English},
		{"xx", "pt-BR", Portuguese},
	} {
		require.Equal(t, test.want, Choose(test.chosen, test.accepts), "%q %q", test.chosen, test.accepts)
	}
}

func TestFigures(t *testing.T) {
	t.Parallel()
	english, portuguese := t.Context(), With(t.Context(), Portuguese)
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -12345: "-12,345"} {
		require.Equal(t, want, Number(english, n))
	}
	require.Equal(t, "1.234.567", Number(portuguese, 1234567))
	require.Equal(t, "1,234.50", Decimal(english, 1234.5, 2))
	require.Equal(t, "1.234,5", Decimal(portuguese, 1234.5, 1))
	for share, want := range map[float64]string{1: "100 %", 0.9999: "99.9 %", 0.5: "50 %", 0: "0 %", 0.1234: "12.3 %"} {
		require.Equal(t, want, Percent(english, share))
	}
	require.Equal(t, "1.5 KiB", Bytes(english, 1536))
	require.Equal(t, "–", Decimal(english, 1e300, 0), "more than anybody counts")
}

func TestDuration(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		0: "0 ms", 340 * time.Millisecond: "340 ms", 1500 * time.Millisecond: "1.5 s", 2 * time.Second: "2 s", 59 * time.Second: "59 s",
		90 * time.Second: "1 min 30 s", time.Hour: "1 h", 61 * time.Minute: "1 h 1 min", 24 * time.Hour: "1 day", 49 * time.Hour: "2 days 1 h",
	} {
		require.Equal(t, want, Duration(t.Context(), d))
	}
	require.Equal(t, "2 dias 1 h", Duration(With(t.Context(), Portuguese), 49*time.Hour))
}

func TestRelative(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for d, want := range map[time.Duration]string{
		0: "just now", -time.Minute: "1 min ago", 90 * time.Second: "in 1 min", -50 * time.Hour: "2 days 2 h ago",
	} {
		require.Equal(t, want, Relative(t.Context(), now.Add(d), now))
	}
	require.Equal(t, "há 1 min", Relative(With(t.Context(), Portuguese), now.Add(-time.Minute), now))
}

func TestCountAndWords(t *testing.T) {
	t.Parallel()
	files := Count{One: Text{EN: "%s file", PT: "%s arquivo"}, Many: Text{EN: "%s files", PT: "%s arquivos"}}
	require.Equal(t, "1 file", files.In(t.Context(), 1))
	require.Equal(t, "0 files", files.In(t.Context(), 0))
	require.Equal(t, "1,000 files", files.In(t.Context(), 1000))
	words := Words{"a": {EN: "A", PT: "Á"}}
	require.Equal(t, "Á", words.In(With(t.Context(), Portuguese), "a"))
	require.Equal(t, "new", words.In(t.Context(), "new"), "what is not known is shown as it is")
}
