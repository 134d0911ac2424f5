package lang

import (
	"context"
	"math"
	"strconv"
	"strings"
	"time"
)

// Number writes a whole number with its thousands apart.
func Number(ctx context.Context, n int) string {
	separator := byte(',')
	if From(ctx) == Portuguese {
		separator = '.'
	}
	digits := strconv.Itoa(n)
	sign := ""
	if digits[0] == '-' {
		sign, digits = "-", digits[1:]
	}
	var b strings.Builder
	b.WriteString(sign)
	for i, digit := range []byte(digits) {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(separator)
		}
		b.WriteByte(digit)
	}
	return b.String()
}

// Decimal writes a number with so many digits behind the point.
func Decimal(ctx context.Context, x float64, digits int) string {
	whole, fraction, _ := strings.Cut(strconv.FormatFloat(math.Abs(x), 'f', digits, 64), ".")
	n, err := strconv.Atoi(whole)
	if err != nil { // infinite, no number, or more than anybody counts
		return "–"
	}
	text := Number(ctx, n)
	if fraction != "" {
		point := "."
		if From(ctx) == Portuguese {
			point = ","
		}
		text += point + fraction
	}
	if x < 0 {
		text = "-" + text
	}
	return text
}

// Percent writes a share, from 0 to 1; 100 % is kept for what is whole.
func Percent(ctx context.Context, share float64) string {
	tenths := math.Floor(share*1000) / 10
	if share < 1 && share > 0.999 {
		tenths = 99.9
	}
	if tenths == math.Trunc(tenths) {
		return Decimal(ctx, tenths, 0) + " %"
	}
	return Decimal(ctx, tenths, 1) + " %"
}

// Bytes writes a size.
func Bytes(ctx context.Context, n int) string {
	switch {
	case n < 1<<10:
		return Number(ctx, n) + " B"
	case n < 1<<20:
		return Decimal(ctx, float64(n)/(1<<10), 1) + " KiB"
	default:
		return Decimal(ctx, float64(n)/(1<<20), 1) + " MiB"
	}
}

var (
	days    = Count{One: Text{"%s day", "%s dia"}, Many: Text{"%s days", "%s dias"}}
	hours   = Text{"%s h", "%s h"}
	minutes = Text{"%s min", "%s min"}
	seconds = Text{"%s s", "%s s"}
	millis  = Text{"%s ms", "%s ms"}
	ago     = Text{"%s ago", "há %s"}
	ahead   = Text{"in %s", "em %s"}
	justNow = Text{"just now", "agora"}
)

// Duration writes a length of time with at most two of its units.
func Duration(ctx context.Context, d time.Duration) string {
	if d < 0 {
		d = -d
	}
	switch {
	case d < time.Second:
		return millis.In(ctx, Number(ctx, int(d.Round(time.Millisecond)/time.Millisecond)))
	case d < 10*time.Second:
		return seconds.In(ctx, strings.TrimSuffix(strings.TrimSuffix(Decimal(ctx, d.Seconds(), 1), ".0"), ",0"))
	case d < time.Minute:
		return seconds.In(ctx, Number(ctx, int(d.Seconds())))
	case d < time.Hour:
		return joined(minutes.In(ctx, whole(d/time.Minute)), d%time.Minute/time.Second, seconds.In(ctx, whole(d%time.Minute/time.Second)))
	case d < 24*time.Hour:
		return joined(hours.In(ctx, whole(d/time.Hour)), d%time.Hour/time.Minute, minutes.In(ctx, whole(d%time.Hour/time.Minute)))
	default:
		day := 24 * time.Hour
		return joined(days.In(ctx, int(d/day)), d%day/time.Hour, hours.In(ctx, whole(d%day/time.Hour)))
	}
}

func whole(n time.Duration) string { return strconv.Itoa(int(n)) }

func joined(first string, rest time.Duration, second string) string {
	if rest == 0 {
		return first
	}
	return first + " " + second
}

// Relative writes an instant as seen from now: "3 min ago", "in 2 h".
func Relative(ctx context.Context, at, now time.Time) string {
	d := now.Sub(at)
	switch {
	case d >= time.Second:
		return ago.In(ctx, Duration(ctx, coarse(d)))
	case d > -time.Second:
		return justNow.In(ctx)
	default:
		return ahead.In(ctx, Duration(ctx, coarse(-d)))
	}
}

// coarse drops what nobody reads of a time that passes meanwhile.
func coarse(d time.Duration) time.Duration {
	switch {
	case d < time.Minute:
		return d.Truncate(time.Second)
	case d < time.Hour:
		return d.Truncate(time.Minute)
	case d < 24*time.Hour:
		return d.Truncate(time.Minute)
	default:
		return d.Truncate(time.Hour)
	}
}
