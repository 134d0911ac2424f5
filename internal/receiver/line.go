package receiver

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// The colours of a terminal (ECMA-48).
const (
	plain  = "\x1b[0m"
	red    = "\x1b[31m"
	green  = "\x1b[32m"
	yellow = "\x1b[33m"
)

// line is what is shown of an arrival: when, id, type, attempt, verdict, size,
// whether it came before, and the reaction.
func (a *Arrival) line(color bool) string {
	attempt := "attempt –"
	if a.Attempt > 0 {
		attempt = "attempt " + strconv.Itoa(a.Attempt)
	}
	text := fmt.Sprintf("%s  %-30s  %-20s  %-10s  %s  %9s%s\n",
		a.At.Format("15:04:05.000"), shown(a.ID, "no webhook-id"), shown(a.Type, "–"), attempt,
		a.verdict(color), grouped(a.Size)+" B", a.remarks(color))
	return text
}

func (a *Arrival) verdict(color bool) string {
	text := fmt.Sprintf("%-10s", a.Verdict)
	switch a.Verdict {
	case Verified:
		return paint(color, green, text)
	case Unverified:
		return paint(color, yellow, text)
	default:
		return paint(color, red, text)
	}
}

func (a *Arrival) remarks(color bool) string {
	if !a.Verdict.Genuine() {
		return "  " + paint(color, red, shown(a.Err.Error(), ""))
	}
	var text strings.Builder
	switch {
	case a.Duplicate:
		text.WriteString("  " + paint(color, yellow, "duplicate"))
	case a.Repeated:
		text.WriteString("  again")
	}
	if a.Differs {
		text.WriteString("  " + paint(color, red, "OTHER BYTES THAN BEFORE"))
	}
	if a.Latency != NoLatency {
		fmt.Fprintf(&text, "  after %s", a.Latency.Round(time.Millisecond))
	}
	text.WriteString("  " + paint(color && !a.Reaction.Accepts(), yellow, a.Reaction.describe()))
	return text.String()
}

// describe says what the sender gets.
func (r Reaction) describe() string {
	var text string
	switch r.Ending {
	case Reset:
		text = "reset"
	case Hang:
		text = "no answer"
	default:
		text = strings.TrimSpace(strconv.Itoa(r.StatusCode()) + " " + http.StatusText(r.StatusCode()))
	}
	switch r.Ending {
	case BreakOff:
		text += ", broken off"
	case Drip:
		text += ", dripping"
	}
	if r.Delay > 0 {
		text += " in " + r.Delay.Round(time.Millisecond).String()
	}
	return "→ " + text
}

func paint(color bool, with, text string) string {
	if !color {
		return text
	}
	return with + text + plain
}

// maxShown bounds what a stranger's request can put on a line, in characters.
const maxShown = 300

// shown makes a stranger's text safe for a terminal.
func shown(text, instead string) string {
	if text == "" {
		return instead
	}
	if runes := []rune(text); len(runes) > maxShown {
		text = string(runes[:maxShown]) + "…"
	}
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}

// grouped writes 1234567 as 1,234,567.
func grouped(n int) string {
	digits := strconv.Itoa(n)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}
