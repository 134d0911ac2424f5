package page

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// longestShown is how much of a body a page shows, in bytes.
const longestShown = 64 << 10

// Readable is a body as text for people. The bytes themselves stay as they are.
type Readable struct {
	Text   string
	Size   int  // of the bytes
	Pretty bool // line breaks were put in
	Cut    bool // only the beginning is there
	Binary bool // these bytes are not text
}

// Read makes a body readable: JSON gets line breaks, and nothing else changes.
func Read(body []byte) Readable {
	shown := Readable{Size: len(body)}
	if !utf8.Valid(body) || bytes.IndexByte(body, 0) >= 0 {
		shown.Binary = true
		return shown
	}
	if len(body) > longestShown {
		shown.Cut, body = true, body[:longestShown]
		for !utf8.Valid(body) {
			body = body[:len(body)-1]
		}
		shown.Text = string(body)
		return shown
	}
	var indented bytes.Buffer
	// Indent changes white space alone: numbers and the order of members stay.
	if json.Indent(&indented, body, "", "  ") == nil && indented.Len() <= 4*longestShown {
		shown.Text, shown.Pretty = indented.String(), indented.Len() != len(body)
		return shown
	}
	shown.Text = string(body)
	return shown
}

// Instant takes what a field for a day and time gives without scripts, which is
// UTC then, for RFC 3339.
func Instant(text string) string {
	if len(text) == len("2026-03-01T12:00") {
		return text + ":00Z"
	}
	return text
}
