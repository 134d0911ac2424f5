package contractpage

import (
	"fmt"
	"math"
	"time"

	"github.com/malotehq/malote/internal/policy"
)

// The picture's measures, in units of its view box.
const (
	pictureWidth = 720
	pictureLeft  = 44  // where the first attempt stands
	pictureRight = 700 // where the last one does at the latest
	rowHeight    = 18
	topMargin    = 10
	tickDistance = 70 // so that their labels do not touch
)

// picture is the timetable drawn: time runs from left to right on a scale that
// shows seconds and days at once.
type picture struct {
	Title, Description phrase
	Width, Height      int
	Floor              int // where the axis is
	LabelAt, NumberAt  int // baseline of the ticks' labels; right end of the rows' numbers
	Marks              []mark
	Ticks              []tick
}

// mark is one attempt: a bar from its earliest to its latest instant, and a dot
// where it is without jitter.
type mark struct {
	Number      string
	Y, Baseline int
	From, Width string
	HasBar      bool
	Dot         string
	HasDot      bool
	Label       string
}

type tick struct{ X, Label string }

// picture is nil for a timetable that is too long to be drawn.
func (c *composer) picture() *picture {
	scale := newScale(c.timetable)
	if len(c.timetable) > mostRows || scale.last == 0 {
		return nil
	}
	floor := topMargin + len(c.timetable)*rowHeight
	p := &picture{
		Title: c.say("picture.title", nil), Description: c.say("picture.description."+c.jitterForm(), args{
			"attempts": c.between(c.fewest, c.most), "end": c.duration(scale.last),
		}),
		Width: pictureWidth, Height: floor + 26, Floor: floor, LabelAt: floor + 18, NumberAt: pictureLeft - 14,
		Ticks: c.ticks(scale),
	}
	for i, row := range c.timetable {
		y := topMargin + i*rowHeight
		m := mark{Number: c.number(float64(row.Attempt)), Y: y + 3, Baseline: y + rowHeight - 5, Label: c.brief(row.Without)}
		if row.Without != policy.Never {
			m.Dot, m.HasDot = at(scale.x(row.Without)), true
		}
		if c.hasJitter() && row.Least != policy.Never {
			from, to := scale.x(row.Least), scale.x(row.Most)
			if row.Most == policy.Never { // with much jitter there is no such attempt
				to = pictureRight
			}
			m.From, m.Width, m.HasBar = at(from), at(max(to-from, 1)), true
		}
		p.Marks = append(p.Marks, m)
	}
	return p
}

func (c *composer) jitterForm() string {
	if c.hasJitter() {
		return "random"
	}
	return "exact"
}

func at(x float64) string { return fmt.Sprintf("%.1f", x) }

// scale is logarithmic, and begins at zero all the same.
type scale struct {
	base, last time.Duration
}

func newScale(timetable []policy.Instant) scale {
	s := scale{base: math.MaxInt64}
	for _, row := range timetable {
		for _, instant := range []time.Duration{row.Without, row.Least, row.Most} {
			s.last = max(s.last, instant)
			if instant > 0 {
				s.base = min(s.base, instant)
			}
		}
	}
	return s
}

func (s scale) x(instant time.Duration) float64 {
	distance := func(d time.Duration) float64 { return math.Log1p(3 * float64(d) / float64(s.base)) }
	return pictureLeft + (pictureRight-pictureLeft)*distance(instant)/distance(s.last)
}

// ticks are round times, as many as there is room for.
func (c *composer) ticks(s scale) []tick {
	ticks, before := []tick{{at(s.x(0)), c.number(0)}}, s.x(0)
	for _, round := range []time.Duration{
		time.Second, 10 * time.Second, time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 3 * time.Hour,
		6 * time.Hour, 12 * time.Hour, day, 2 * day, 3 * day, 7 * day, 14 * day, 30 * day, 90 * day, 365 * day,
	} {
		x := s.x(round)
		if round > s.last || x-before < tickDistance || pictureRight-x < tickDistance/3 {
			continue
		}
		ticks, before = append(ticks, tick{at(x), c.brief(round)}), x
	}
	return ticks
}
