package contractpage

import (
	"strings"
	"unicode"
)

// style is what a piece of text is, which the formats show in their own ways.
type style string

const (
	plain  style = "plain"  // our words
	strong style = "strong" // our words, stressed
	code   style = "code"   // names, statuses and paths: left to right in every language
	quoted style = "quoted" // a policy author's words, in whatever direction they run
)

type span struct {
	Style style
	Text  string
}

// phrase is text within a line.
type phrase []span

// String is the text alone.
func (p phrase) String() string {
	var text strings.Builder
	for _, s := range p {
		text.WriteString(s.Text)
	}
	return text.String()
}

// value is what a message's placeholder stands for. count chooses between
// singular and plural.
type value struct {
	phrase phrase
	count  float64
}

type args map[string]value

func words(text string) value { return value{phrase: phrase{{plain, text}}} }

func token(text string) value { return value{phrase: phrase{{code, printable(text)}}} }

func quote(text string) value { return value{phrase: phrase{{quoted, printable(text)}}} }

// printable keeps control characters, line breaks included, out of a line, and
// what would reverse the direction of the text after it.
func printable(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(c rune) bool {
		return unicode.IsSpace(c) || unicode.IsControl(c) || unicode.Is(unicode.Bidi_Control, c) || c == unicode.ReplacementChar
	}), " ")
}
