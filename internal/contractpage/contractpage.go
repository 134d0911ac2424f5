package contractpage

import (
	"crypto/sha256"
	_ "embed" // the style sheet, the page and the texts
	"encoding/base64"
	"fmt"
	"slices"
	"time"

	"github.com/malotehq/malote/internal/policy"
)

// Language is what the page is written in.
type Language string

// The languages.
const (
	English    Language = "en"
	Portuguese Language = "pt" // of Brazil
	Persian    Language = "fa" // from right to left
)

// Languages lists every language, the default first.
var Languages = []Language{English, Portuguese, Persian}

// Format is how the page is written.
type Format string

// The formats. HTML is one file that loads nothing and runs nothing.
const (
	Markdown Format = "markdown"
	HTML     Format = "html"
)

// Formats lists every format, the default first.
var Formats = []Format{Markdown, HTML}

// ContentType is the media type to serve the format with.
func (f Format) ContentType() string {
	if f == HTML {
		return "text/html; charset=utf-8"
	}
	return "text/markdown; charset=utf-8"
}

// DefaultRetention is how long events are kept unless the operator chose
// otherwise (F16, R04).
const DefaultRetention = 30 * 24 * time.Hour

// Options say how the page is wanted. The zero value is the English Markdown
// page of an installation that keeps events for DefaultRetention.
type Options struct {
	Language Language
	Format   Format

	// Retention is how long events can be listed and resent; 0: DefaultRetention.
	Retention time.Duration
}

// UnknownLanguageError says that there is no page in the language.
type UnknownLanguageError struct{ Language Language }

// Error lists the languages that there are.
func (e *UnknownLanguageError) Error() string {
	return fmt.Sprintf("there is no contract page in the language %q: choose one of %q", e.Language, Languages)
}

// UnknownFormatError says that the page cannot be written so.
type UnknownFormatError struct{ Format Format }

// Error lists the formats that there are.
func (e *UnknownFormatError) Error() string {
	return fmt.Sprintf("there is no contract page in the format %q: choose one of %q", e.Format, Formats)
}

// NobodyVerifiesError says that a policy signs nothing: it is for chat services and
// mail, which nobody writes a receiver for.
type NobodyVerifiesError struct{ Policy string }

// Error says what the page would be for.
func (e *NobodyVerifiesError) Error() string {
	return fmt.Sprintf("the policy %s is for services that take messages as they are: there is nothing to write a receiver by", e.Policy)
}

// Render is the page of a policy. The errors are *UnknownLanguageError,
// *UnknownFormatError and *NobodyVerifiesError; any other one means that this
// build's texts are wrong, which the tests rule out.
func Render(p *policy.Policy, options Options) ([]byte, error) {
	if options.Language == "" {
		options.Language = Languages[0]
	}
	if options.Format == "" {
		options.Format = Formats[0]
	}
	if options.Retention <= 0 {
		options.Retention = DefaultRetention
	}
	switch {
	case !slices.Contains(Languages, options.Language):
		return nil, &UnknownLanguageError{options.Language}
	case !slices.Contains(Formats, options.Format):
		return nil, &UnknownFormatError{options.Format}
	case p.Signature.Scheme == policy.Unsigned:
		return nil, &NobodyVerifiesError{p.Name}
	}
	composed, err := compose(p, locales[options.Language], options.Retention)
	if err != nil {
		return nil, fmt.Errorf("composing the contract page of %s: %w", p.Name, err)
	}
	if options.Format == HTML {
		return writeHTML(composed)
	}
	return writeMarkdown(composed), nil
}

//go:embed page.css
var styleSheet string

// ContentSecurityPolicy lets a browser show the HTML page with the style sheet
// inside it, and load or run nothing else.
func ContentSecurityPolicy() string {
	sum := sha256.Sum256([]byte(styleSheet))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}
