package report

import (
	"fmt"
	"math"
	"slices"
)

// bars is a chart of horizontal bars that share one scale.
type bars struct {
	Title string
	Bars  []bar
}

type bar struct {
	Label string
	Value float64
	Text  string // the value, for people
	Group int    // 0…3: what is compared has the same colour
	Bad   bool
}

// Sizes of charts, in SVG's units.
const (
	chartWidth = 720
	labelWidth = 250
	textWidth  = 90 // behind the longest bar
	rowHeight  = 24
	barHeight  = 16
	axisHeight = 22
	plotWidth  = chartWidth - labelWidth - textWidth
)

// drawnBars is where everything is.
type drawnBars struct {
	Title         string
	Width, Height int
	Bars          []drawnBar
	Ticks         []tick
	Left, Bottom  int
}

type drawnBar struct {
	bar
	Y, TextY, Length, TextX int
}

type tick struct {
	At    int
	Label string
}

func (b bars) draw() drawnBars {
	most := 0.0
	for _, one := range b.Bars {
		most = max(most, one.Value)
	}
	steps := ticksUpTo(most)
	top := steps[len(steps)-1]
	d := drawnBars{Title: b.Title, Width: chartWidth, Height: len(b.Bars)*rowHeight + axisHeight, Left: labelWidth, Bottom: len(b.Bars) * rowHeight}
	for i, one := range b.Bars {
		length := scaled(one.Value, top, plotWidth)
		d.Bars = append(d.Bars, drawnBar{one, i*rowHeight + (rowHeight-barHeight)/2, i*rowHeight + rowHeight/2 + 4, length, labelWidth + length + 6})
	}
	for _, step := range steps {
		d.Ticks = append(d.Ticks, tick{labelWidth + scaled(step, top, plotWidth), short(step)})
	}
	return d
}

// scaled is a value's share of a length. What is there is seen.
func scaled(value, top float64, length int) int {
	if value <= 0 || top <= 0 {
		return 0
	}
	return max(1, int(math.Round(value/top*float64(length))))
}

// ticksUpTo are round numbers from 0 to one that is not less than most: at most
// seven, evenly apart.
func ticksUpTo(most float64) []float64 {
	if most <= 0 || math.IsInf(most, 0) || math.IsNaN(most) {
		return []float64{0, 1}
	}
	power := math.Pow(10, math.Floor(math.Log10(most/5)))
	step := 10 * power
	for _, factor := range []float64{1, 2, 5} {
		if factor*power*5 >= most {
			step = factor * power
			break
		}
	}
	var ticks []float64
	for i := 0; ; i++ {
		ticks = append(ticks, float64(i)*step)
		if float64(i)*step >= most {
			return ticks
		}
	}
}

// short is a tick's label.
func short(n float64) string {
	switch {
	case n >= 1e6:
		return fmt.Sprintf("%gM", n/1e6)
	case n >= 1e3:
		return fmt.Sprintf("%gk", n/1e3)
	default:
		return fmt.Sprintf("%.4g", n)
	}
}

// lines is a chart of lines over a logarithmic axis.
type lines struct {
	Title, Across string
	Lines         []line
}

type line struct {
	Label  string
	Points []point
}

type point struct{ X, Y float64 }

type drawnLines struct {
	Title, Across         string
	Width, Height         int
	Left, Right, Bottom   int
	Lines                 []drawnLine
	TicksAcross, TicksUp  []tick
	MiddleX, AcrossLabelY int
}

type drawnLine struct {
	Label          string
	Group          int
	Points         string // as SVG's polyline has them
	Dots           []dot
	LabelX, LabelY int
}

type dot struct {
	X, Y int
	Text string
}

const (
	lineHeight = 240
	lineLeft   = 60
	lineTop    = 16
	lineRight  = chartWidth - 170 // labels are behind the lines
)

func (l lines) draw() drawnLines {
	var most float64
	var across []float64
	for _, one := range l.Lines {
		for _, p := range one.Points {
			most, across = max(most, p.Y), append(across, p.X)
		}
	}
	slices.Sort(across)
	across = slices.Compact(across)
	ups := ticksUpTo(most)
	top := ups[len(ups)-1]
	d := drawnLines{Title: l.Title, Across: l.Across, Width: chartWidth, Height: lineTop + lineHeight + 2*axisHeight,
		Left: lineLeft, Right: lineRight, Bottom: lineTop + lineHeight, MiddleX: (lineLeft + lineRight) / 2, AcrossLabelY: lineTop + lineHeight + 2*axisHeight - 6}
	up := func(y float64) int { return lineTop + lineHeight - scaled(y, top, lineHeight) }
	for _, x := range across {
		d.TicksAcross = append(d.TicksAcross, tick{placed(x, across), short(x)})
	}
	for _, y := range ups {
		d.TicksUp = append(d.TicksUp, tick{up(y), short(y)})
	}
	for i, one := range l.Lines {
		drawn := drawnLine{Label: one.Label, Group: i % groups}
		for _, p := range one.Points {
			x, y := placed(p.X, across), up(p.Y)
			drawn.Points += fmt.Sprintf("%d,%d ", x, y)
			drawn.Dots = append(drawn.Dots, dot{x, y, millis(p.Y)})
			drawn.LabelX, drawn.LabelY = x+8, y+4
		}
		d.Lines = append(d.Lines, drawn)
	}
	spread(d.Lines)
	return d
}

// groups is how many colours there are.
const groups = 4

// placed is where a value lies on the logarithmic axis between the first and the
// last of a sorted list.
func placed(x float64, across []float64) int {
	first, last := math.Log10(across[0]), math.Log10(across[len(across)-1])
	if last == first {
		return (lineLeft + lineRight) / 2
	}
	return lineLeft + int(math.Round((math.Log10(x)-first)/(last-first)*float64(lineRight-lineLeft)))
}

// spread moves labels apart that would lie on each other.
func spread(list []drawnLine) {
	order := make([]*drawnLine, len(list))
	for i := range list {
		order[i] = &list[i]
	}
	slices.SortFunc(order, func(a, b *drawnLine) int { return a.LabelY - b.LabelY })
	for i := 1; i < len(order); i++ {
		order[i].LabelY = max(order[i].LabelY, order[i-1].LabelY+15)
	}
}
