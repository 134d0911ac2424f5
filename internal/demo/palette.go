package demo

import "os"

// palette paints text for a terminal, or leaves it as it is.
type palette struct{ on bool }

// paletteFor paints on terminals only, and not where NO_COLOR is set
// (no-color.org).
func paletteFor(terminal bool) palette {
	return palette{on: terminal && os.Getenv("NO_COLOR") == ""}
}

// tone is a colour of the terminal (ECMA-48).
type tone string

const (
	neutral tone = ""
	strong  tone = "\x1b[1m"
	faint   tone = "\x1b[2m"
	bad     tone = "\x1b[31m"
	good    tone = "\x1b[32m"
	careful tone = "\x1b[33m"

	untoned = "\x1b[0m"
)

func (p palette) paint(t tone, text string) string {
	if !p.on || t == neutral || text == "" {
		return text
	}
	return string(t) + text + untoned
}
