package policies

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/policy"
)

// TestPicture_KeepsInsideAndInOrder of every preset.
func TestPicture_KeepsInsideAndInOrder(t *testing.T) {
	t.Parallel()
	at := func(text string) float64 {
		x, err := strconv.ParseFloat(text, 64)
		require.NoError(t, err)
		require.GreaterOrEqual(t, x, float64(pictureLeft))
		require.LessOrEqual(t, x, float64(pictureRight))
		return x
	}
	for _, name := range policy.AllPresetNames() {
		preset, _ := policy.Preset(name)
		table := policy.Schedule(preset)
		p := pictureOf(t.Context(), table)
		require.NotNil(t, p, name)
		require.Len(t, p.Marks, len(table))
		before := 0.0
		for i, m := range p.Marks {
			if m.Bar {
				from, width := at(m.From), m.Width
				w, err := strconv.ParseFloat(width, 64)
				require.NoError(t, err)
				require.Positive(t, w)
				require.LessOrEqual(t, from+w, float64(pictureRight)+0.2)
			}
			if m.HasPoint {
				x := at(m.Dot)
				require.Greater(t, x, before, "%s: attempt %d", name, i+1)
				before = x
			}
		}
		before = 0
		for _, tick := range p.Ticks {
			x := at(tick.X)
			require.Greater(t, x, before)
			before = x
		}
	}
	once, err := policy.Parse([]byte("name: once\ndeadline: 5s\nschedule: {kind: table, waits: [1m], then: end}\ngive_up: {attempts: 1}\n"))
	require.NoError(t, err)
	require.Nil(t, pictureOf(t.Context(), policy.Schedule(once)))
}

func TestLines_MarksTheWrongOne(t *testing.T) {
	t.Parallel()
	require.Equal(t, []numbered{{"1", "a: 1", false}, {"2", "", false}, {"3", "b: 2", true}}, lines("a: 1\n\nb: 2\n", 3))
}

func TestGuidePolicy_KeepsWhoMayFrameUs(t *testing.T) {
	t.Parallel()
	require.Regexp(t, `^default-src 'none'; style-src 'sha256-.*; frame-ancestors https://shop\.example$`,
		guidePolicy("default-src 'none'; frame-ancestors https://shop.example"))
	require.Regexp(t, `frame-ancestors 'none'$`, guidePolicy(""))
}
