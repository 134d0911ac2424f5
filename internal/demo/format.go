package demo

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// grouped writes 1234567 as 1,234,567.
func grouped[T int | int64](n T) string {
	digits := strconv.FormatInt(int64(n), 10)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return grouped(n) + " " + noun + "s"
}

// short writes a duration with as many digits as people read: 7 ms, 1.3 s, 2 min.
func short(d time.Duration) string {
	switch {
	case d < 0:
		return "–"
	case d < time.Millisecond:
		return "<1 ms"
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < 2*time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	default:
		return fmt.Sprintf("%.0f min", d.Minutes())
	}
}

// ms is short for what Summary has in milliseconds.
func ms(milliseconds float64) string {
	return short(time.Duration(milliseconds * float64(time.Millisecond)))
}

func bytesShown(n int64) string {
	if n < 1<<20 {
		return fmt.Sprintf("%.1f KB", float64(n)/1024)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
}

// fit cuts text to a width in characters.
func fit(text string, width int) string {
	if utf8.RuneCountInString(text) <= width {
		return text
	}
	if width <= 1 {
		return strings.Repeat("…", max(width, 0))
	}
	return string([]rune(text)[:width-1]) + "…"
}

// pad fills text up to a width in characters: on the right, or with right on
// the left.
func pad(text string, width int, right bool) string {
	space := strings.Repeat(" ", max(width-utf8.RuneCountInString(text), 0))
	if right {
		return space + text
	}
	return text + space
}

// table aligns rows of cells. The first row is the heading; numbers, which
// stand right, are the columns listed.
func table(rows [][]string, numbers ...int) []string {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	isNumber := make(map[int]bool)
	for _, column := range numbers {
		isNumber[column] = true
	}
	lines := make([]string, len(rows))
	for r, row := range rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = pad(cell, widths[i], isNumber[i])
		}
		lines[r] = strings.TrimRight(strings.Join(cells, "  "), " ")
	}
	return lines
}
