package report

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestTicks(t *testing.T) {
	t.Parallel()
	for most, want := range map[float64][]float64{
		0:          {0, 1},
		-1:         {0, 1},
		math.NaN(): {0, 1},
		1:          {0, .2, .4, .6000000000000001, .8, 1},
		4:          {0, 1, 2, 3, 4},
		7:          {0, 2, 4, 6, 8},
		12:         {0, 5, 10, 15},
		2400:       {0, 500, 1000, 1500, 2000, 2500},
	} {
		require.Equal(t, want, ticksUpTo(most), most)
	}
}

func TestTicks_ReachAndAreFew(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.Float64Range(1e-6, 1e12).Draw(t, "most")
		ticks := ticksUpTo(most)
		top := ticks[len(ticks)-1]
		require.GreaterOrEqual(t, top, most)
		require.LessOrEqual(t, len(ticks), 7)
		require.Less(t, ticks[len(ticks)-2], most, "none is in vain")
	})
}

func TestScaled(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		value, top float64
		want       int
	}{{0, 10, 0}, {5, 10, 50}, {10, 10, 100}, {.0001, 10, 1}, {5, 0, 0}, {-1, 10, 0}} {
		require.Equal(t, c.want, scaled(c.value, c.top, 100), "%v of %v", c.value, c.top)
	}
}

func TestBars_ShareAScale(t *testing.T) {
	t.Parallel()
	d := bars{"x", []bar{{Label: "a", Value: 10}, {Label: "b", Value: 5}, {Label: "c"}}}.draw()
	require.Equal(t, []int{plotWidth, plotWidth / 2, 0}, []int{d.Bars[0].Length, d.Bars[1].Length, d.Bars[2].Length})
	require.Equal(t, labelWidth, d.Ticks[0].At)
	require.Equal(t, chartWidth-textWidth, d.Ticks[len(d.Ticks)-1].At)
}

func TestLines_AreLogarithmicAcross(t *testing.T) {
	t.Parallel()
	d := lines{"x", "y", []line{{"a", []point{{1e3, 10}, {1e5, 10}, {1e7, 10}}}, {"b", []point{{1e3, 10}}}}}.draw()
	require.Equal(t, []tick{{lineLeft, "1k"}, {(lineLeft + lineRight) / 2, "100k"}, {lineRight, "10M"}}, d.TicksAcross)
	require.Equal(t, lineTop, d.Lines[0].Dots[0].Y, "the greatest is at the top")
	require.GreaterOrEqual(t, d.Lines[1].LabelY-d.Lines[0].LabelY, 15, "labels do not lie on each other")
	one := lines{Lines: []line{{"a", []point{{5, 1}}}}}.draw()
	require.Equal(t, (lineLeft+lineRight)/2, one.Lines[0].Dots[0].X)
}
