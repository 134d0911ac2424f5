package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// absent is shown where there is no value.
const absent = "–"

// whole is a number without decimals, its thousands apart.
func whole(n float64) string {
	digits := strconv.FormatFloat(math.Round(math.Abs(n)), 'f', 0, 64)
	var text strings.Builder
	if math.Round(n) < 0 {
		text.WriteByte('-')
	}
	for i, digit := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			text.WriteByte(',')
		}
		text.WriteRune(digit)
	}
	return text.String()
}

// millis is a time with two or three digits that mean something.
func millis(ms float64) string {
	switch {
	case ms == 0:
		return absent
	case ms < 10:
		return fmt.Sprintf("%.1f ms", ms)
	case ms < 10_000:
		return whole(ms) + " ms"
	default:
		return fmt.Sprintf("%.1f s", ms/1000)
	}
}

func yes(is bool) string {
	if is {
		return "yes"
	}
	return "no"
}

func micros(us float64) string { return whole(us) + " µs" }

// seconds are told to hundredths, without what that leaves of binary fractions.
func seconds(s float64) string { return strconv.FormatFloat(math.Round(s*100)/100, 'f', -1, 64) + " s" }

func rate(perSecond float64) string { return strconv.FormatFloat(perSecond, 'f', -1, 64) + "/s" }

func kilobytes(bytes float64) string { return fmt.Sprintf("%.1f KB", bytes/1000) }

func megabytes(bytes int64) string { return whole(float64(bytes)/(1<<20)) + " MB" }

func gigabytes(bytes int64) string { return whole(float64(bytes)/(1<<30)) + " GB" }

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func rates(all []float64) string {
	texts := make([]string, len(all))
	for i, one := range all {
		texts[i] = whole(one)
	}
	return strings.Join(texts, " ")
}
