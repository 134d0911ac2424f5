package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"github.com/malotehq/malote/client"
)

// table writes rows in columns. Its cells are made safe for a terminal.
type table struct{ columns *tabwriter.Writer }

func newTable(out io.Writer, head ...string) *table {
	t := &table{tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)}
	if len(head) > 0 {
		t.row(head...)
	}
	return t
}

func (t *table) row(cells ...string) {
	safe := make([]string, len(cells))
	for i, cell := range cells {
		safe[i] = clean(cell)
	}
	fmt.Fprintln(t.columns, strings.Join(safe, "\t"))
}

// field is a row of a name and a value; without a value there is none.
func (t *table) field(name, value string) {
	if value != "" && value != absent {
		t.row(name+":", value)
	}
}

func (t *table) flush() { _ = t.columns.Flush() } // a closed pipe ends the process by its signal

// clean replaces what could command a terminal: much of what is shown here was
// written by strangers.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}

// absent is shown where there is no value.
const absent = "–"

// stamp is an instant in UTC.
func stamp(at *time.Time) string {
	if at == nil {
		return absent
	}
	return at.UTC().Format("2006-01-02 15:04:05Z")
}

// moment is an instant in UTC and how far it is from now.
func moment(at *time.Time, now time.Time) string {
	if at == nil {
		return absent
	}
	if distance := at.Sub(now); distance > 0 {
		return fmt.Sprintf("%s (in %s)", stamp(at), brief(distance))
	}
	return fmt.Sprintf("%s (%s ago)", stamp(at), brief(now.Sub(*at)))
}

const day = 24 * time.Hour

// brief is a duration in its two largest units.
func brief(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%dms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%ds", d/time.Second)
	case d < time.Hour:
		return inUnits(d, time.Minute, "m", time.Second, "s")
	case d < 2*day:
		return inUnits(d, time.Hour, "h", time.Minute, "m")
	default:
		return inUnits(d, day, "d", time.Hour, "h")
	}
}

func inUnits(d, large time.Duration, largeName string, small time.Duration, smallName string) string {
	text := fmt.Sprintf("%d%s", d/large, largeName)
	if rest := d % large / small; rest > 0 {
		text += fmt.Sprintf("%d%s", rest, smallName)
	}
	return text
}

// orAbsent shows a value that may be missing.
func orAbsent[T any](value *T) string {
	if value == nil {
		return absent
	}
	return fmt.Sprint(*value)
}

// counted is "1 event" or "3 events".
func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	if stem, found := strings.CutSuffix(what, "y"); found {
		what = stem + "ie"
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// printAnswer prints an answer as it came, on one line.
func printAnswer(out io.Writer, got *client.Response) error {
	_, err := fmt.Fprintf(out, "%s\n", strings.TrimSpace(string(got.Body)))
	return err
}
