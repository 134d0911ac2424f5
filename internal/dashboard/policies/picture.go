package policies

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/malotehq/malote/internal/dashboard/lang"
	"github.com/malotehq/malote/internal/policy"
)

// The picture's measures, in units of its view box.
const (
	pictureWidth = 720
	pictureLeft  = 40
	pictureRight = 696
	rowHeight    = 20
	topMargin    = 12
	tickDistance = 76 // so that their labels do not touch
	mostRows     = 60
)

// picture is the timetable drawn: time runs from left to right, on a scale that
// shows seconds and days at once.
type picture struct {
	Box         string
	Floor       string // where the axis is
	LabelAt     string // baseline of its labels
	Left, Right string
	Marks       []mark
	Ticks       []tick
	Description string
}

// mark is one attempt: a bar from its earliest to its latest instant, and a dot
// where it is without jitter.
type mark struct {
	Number        string
	Y, Baseline   string
	BarY          string
	From, Width   string // "": no jitter
	Dot           string // "": without jitter there is no such attempt
	NumberAt      string
	Bar, HasPoint bool
	Label         string
}

type tick struct{ X, Label string }

// pictureOf is nil where nothing is to be drawn: there is no second attempt, or
// there are too many.
func pictureOf(ctx context.Context, table []policy.Instant) *picture {
	s := newScale(table)
	if len(table) < 2 || len(table) > mostRows || s.last == 0 {
		return nil
	}
	floor := topMargin + len(table)*rowHeight
	p := &picture{
		Box:   fmt.Sprintf("0 0 %d %d", pictureWidth, floor+26),
		Floor: strconv.Itoa(floor), LabelAt: strconv.Itoa(floor + 18), Left: strconv.Itoa(pictureLeft), Right: strconv.Itoa(pictureRight),
		Description: pictureText.In(ctx, len(table), lang.Duration(ctx, s.last)),
	}
	for i, row := range table {
		p.Marks = append(p.Marks, markOf(ctx, s, i, row))
	}
	p.Ticks = s.ticks(ctx)
	return p
}

func markOf(ctx context.Context, s scale, i int, row policy.Instant) mark {
	y := topMargin + i*rowHeight + rowHeight/2
	m := mark{
		Number: strconv.Itoa(row.Attempt), NumberAt: strconv.Itoa(pictureLeft - 14), Y: strconv.Itoa(y), BarY: strconv.Itoa(y - 4),
		Baseline: strconv.Itoa(y + 4), Label: attemptLabel.In(ctx, row.Attempt, spread(ctx, row)),
	}
	if row.Without != policy.Never {
		m.HasPoint, m.Dot = true, units(s.x(row.Without))
	}
	if row.Least != policy.Never && row.Least != row.Most {
		from, to := s.x(row.Least), float64(pictureRight)
		if row.Most != policy.Never { // with much jitter there may be no such attempt
			to = s.x(row.Most)
		}
		from = min(from, to-1) // what lies close together is still seen
		m.Bar, m.From, m.Width = true, units(from), units(to-from)
	}
	return m
}

func units(x float64) string { return fmt.Sprintf("%.1f", x) }

// scale is logarithmic, and begins at zero all the same.
type scale struct {
	base, last time.Duration
}

func newScale(table []policy.Instant) scale {
	s := scale{base: math.MaxInt64}
	for _, row := range table {
		for _, instant := range []time.Duration{row.Without, row.Least, row.Most} {
			if instant == policy.Never {
				continue
			}
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

const day = 24 * time.Hour

// ticks are round times, as many as there is room for.
func (s scale) ticks(ctx context.Context) []tick {
	ticks, before := []tick{{units(s.x(0)), "0"}}, s.x(0)
	for _, round := range []time.Duration{
		time.Second, 10 * time.Second, time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 3 * time.Hour,
		6 * time.Hour, 12 * time.Hour, day, 2 * day, 3 * day, 7 * day, 14 * day, 30 * day, 90 * day, 365 * day,
	} {
		x := s.x(round)
		if round > s.last || x-before < tickDistance || pictureRight-x < tickDistance/4 {
			continue
		}
		ticks, before = append(ticks, tick{units(x), lang.Duration(ctx, round)}), x
	}
	return ticks
}
