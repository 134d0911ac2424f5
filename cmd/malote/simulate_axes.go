package main

import (
	"fmt"
	"math"
	"time"
)

// logAxis maps times to heights of a plot, equal factors to equal distances.
type logAxis struct {
	low, high   time.Duration
	top, bottom float64
}

// roundTimes are where an axis may begin, end and be labelled.
var roundTimes = []time.Duration{
	time.Microsecond, 10 * time.Microsecond, 100 * time.Microsecond,
	time.Millisecond, 10 * time.Millisecond, 100 * time.Millisecond, time.Second, 10 * time.Second,
	time.Minute, 10 * time.Minute, time.Hour, 10 * time.Hour, 4 * day, 40 * day,
}

// newLogAxis covers the times between round ones.
func newLogAxis(least, most time.Duration, top, bottom float64) logAxis {
	axis := logAxis{low: roundTimes[0], high: roundTimes[len(roundTimes)-1], top: top, bottom: bottom}
	for i, at := range roundTimes {
		if at <= least {
			axis.low = at
		}
		if last := len(roundTimes) - 1 - i; roundTimes[last] >= most {
			axis.high = roundTimes[last]
		}
	}
	if axis.high <= axis.low {
		axis.high = 10 * axis.low
	}
	return axis
}

func (a logAxis) y(d time.Duration) float64 {
	d = min(max(d, a.low), a.high)
	share := math.Log(float64(d)/float64(a.low)) / math.Log(float64(a.high)/float64(a.low))
	return a.bottom - share*(a.bottom-a.top)
}

// ticks are the round times on the axis.
func (a logAxis) ticks() []time.Duration {
	var ticks []time.Duration
	for _, at := range roundTimes {
		if a.low <= at && at <= a.high {
			ticks = append(ticks, at)
		}
	}
	return ticks
}

// tickLabel is a round time as people say it.
func tickLabel(d time.Duration) string {
	for _, unit := range []struct {
		length time.Duration
		name   string
	}{{day, "d"}, {time.Hour, "h"}, {time.Minute, "min"}, {time.Second, "s"}, {time.Millisecond, "ms"}} {
		if d >= unit.length {
			return fmt.Sprintf("%d %s", d/unit.length, unit.name)
		}
	}
	return fmt.Sprintf("%d µs", d/time.Microsecond)
}

// timeAxis maps the time of publishing to the width of a plot.
type timeAxis struct {
	duration    time.Duration
	left, right float64
}

func (a timeAxis) x(at time.Duration) float64 {
	return a.left + float64(at)/float64(a.duration)*(a.right-a.left)
}

// ticks are a dozen at most, at round distances.
func (a timeAxis) ticks() []time.Duration {
	step := a.duration
	for _, distance := range []time.Duration{
		100 * time.Millisecond, time.Second, 5 * time.Second, 15 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute,
		15 * time.Minute, time.Hour, 3 * time.Hour, 6 * time.Hour, day,
	} {
		if a.duration/distance <= 12 {
			step = distance
			break
		}
	}
	var ticks []time.Duration
	for at := time.Duration(0); at <= a.duration; at += step {
		ticks = append(ticks, at)
	}
	return ticks
}
