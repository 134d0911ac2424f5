package demo

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

const (
	barWidth     = 24
	smallest     = 40 // columns; a narrower window gets cut lines
	fewestShown  = 3  // healthy endpoints, when there is no room for all
	fixedLines   = 7  // head, trouble, blank lines, heading, two sums
	shortestView = fixedLines + fewestShown
)

// view draws the board for a window. No line is longer than width characters,
// and there are at most height lines.
type view struct {
	width, height int
	palette
}

func (v view) lines(b *board) []string {
	v.width = max(v.width, smallest)
	lines := []string{v.head(b)}
	if b.trouble != "" {
		lines = append(lines, v.cut(b.trouble, bad))
	}
	if len(b.rows) == 0 {
		return lines
	}
	room := max(v.height, shortestView) - fixedLines
	lines = append(lines, "", v.paint(faint, v.cells(headings, v.nameWidth())))
	shown, hidden := choose(b.rows, room)
	for _, r := range shown {
		lines = append(lines, v.row(r))
	}
	if len(hidden) > 0 {
		lines = append(lines, v.row(total(fmt.Sprintf("… and %d more", len(hidden)), hidden)))
	}
	healthy := b.healthyRows()
	return append(lines, "",
		v.row(total(fmt.Sprintf("%d healthy endpoints", len(healthy)), healthy)),
		v.paint(strong, v.plainRow(total(fmt.Sprintf("all %d endpoints", len(b.rows)), b.rows))))
}

// choose takes as many rows as there is room for, with one line less if some are
// left out. They come by attention, so that healthy ones are left out first; but
// a few of those are always shown, for comparison.
func choose(rows []row, room int) (shown, hidden []row) {
	if len(rows) <= room {
		return rows, nil
	}
	room = max(room-1, 0)
	firstHealthy := slices.IndexFunc(rows, func(r row) bool { return r.expect == healthy })
	if firstHealthy < 0 {
		firstHealthy = len(rows)
	}
	few := min(fewestShown, len(rows)-firstHealthy, room)
	others := min(firstHealthy, room-few)
	few = room - others // more of them where there is room
	hidden = slices.Concat(rows[others:firstHealthy], rows[firstHealthy+few:])
	return slices.Concat(rows[:others], rows[firstHealthy:firstHealthy+few]), hidden
}

func (v view) head(b *board) string {
	filled := min(max(int(b.part*barWidth), 0), barWidth)
	bar := strings.Repeat("█", filled) + strings.Repeat("░", barWidth-filled)
	text := fmt.Sprintf("%-10s  %s  %s", b.phase, bar, b.words)
	return v.cut(text, strong)
}

func (v view) cut(text string, t tone) string { return v.paint(t, fit(text, v.width)) }

// The columns after the name, all of them numbers but the first.
var (
	headings     = []string{"ENDPOINT", "STATE", "PENDING", "IN FLIGHT", "DELIVERED", "DEAD", "OLDEST", "P99"}
	columnWidths = []int{0, 12, 7, 9, 9, 5, 6, 6}
)

func (v view) nameWidth() int {
	width := v.width
	for _, w := range columnWidths[1:] {
		width -= w + 1
	}
	return max(width, 16)
}

func (v view) plainRow(r row) string { return v.cells(v.texts(r), v.nameWidth()) }

// row is plainRow with the state in its colour.
func (v view) row(r row) string {
	name := v.nameWidth()
	line := []rune(v.plainRow(r))
	from, to := min(name+1, len(line)), min(name+1+columnWidths[1], len(line))
	return string(line[:from]) + v.paint(r.tone, string(line[from:to])) + string(line[to:])
}

func (v view) texts(r row) []string {
	oldest := short(r.oldest)
	if r.oldest >= 0 && r.oldest < time.Second {
		oldest = "0 s" // the API tells whole seconds
	}
	return []string{r.title, r.state, grouped(r.pending), grouped(r.inFlight), grouped(r.delivered), grouped(r.dead),
		oldest, short(quantile(r.latencies, 0.99))}
}

func (v view) cells(texts []string, name int) string {
	var line strings.Builder
	line.WriteString(pad(fit(texts[0], name), name, false))
	for i, text := range texts[1:] {
		width := columnWidths[i+1]
		line.WriteByte(' ')
		line.WriteString(pad(fit(text, width), width, i > 0))
	}
	return fit(line.String(), v.width)
}
