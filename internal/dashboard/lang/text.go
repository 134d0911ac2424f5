package lang

import (
	"context"
	"fmt"
)

// Text is something that people read, in every language. Both may hold the same
// verbs of package fmt, in any order if they are numbered: %[1]s.
type Text struct {
	EN string
	PT string // Brazilian Portuguese
}

// In is the text in the reader's language, with its verbs filled in.
func (t Text) In(ctx context.Context, args ...any) string {
	return t.Of(From(ctx), args...)
}

// Of is the text in one language.
func (t Text) Of(language Language, args ...any) string {
	text := t.EN
	if language == Portuguese {
		text = t.PT
	}
	if len(args) == 0 {
		return text
	}
	return fmt.Sprintf(text, args...)
}

// IsZero says whether there is no text.
func (t Text) IsZero() bool { return t == Text{} }

// Verbatim is what has no translation: a name, or what somebody wrote.
func Verbatim(text string) Text { return Text{EN: text, PT: text} }

// Count is a text that depends on a number: One is for 1, Many for all others.
// Each has one verb for the number, %s.
type Count struct {
	One  Text
	Many Text
}

// In is the text for n, with n written as the reader writes numbers.
func (c Count) In(ctx context.Context, n int) string {
	if n == 1 {
		return c.One.In(ctx, Number(ctx, n))
	}
	return c.Many.In(ctx, Number(ctx, n))
}

// Words are the texts for the values of an enumeration, by value.
type Words map[string]Text

// In is the text for a value; a value that is new here is shown as it is.
func (w Words) In(ctx context.Context, value string) string {
	if text, known := w[value]; known {
		return text.In(ctx)
	}
	return value
}
