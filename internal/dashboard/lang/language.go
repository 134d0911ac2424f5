package lang

import (
	"context"

	"golang.org/x/text/language"
)

// Language is one of those that there are texts in; its text is the tag that
// HTML wants.
type Language string

// The languages. English is for whoever wants none of them.
const (
	English    Language = "en"
	Portuguese Language = "pt-BR"
)

// Languages lists all, with their names for themselves.
var Languages = []struct {
	Language Language
	Name     string
}{
	{English, "English"},
	{Portuguese, "Português"},
}

var matcher = language.NewMatcher([]language.Tag{language.English, language.BrazilianPortuguese})

// Choose finds the language for what somebody chose earlier ("": nothing), or
// else for a request's Accept-Language.
func Choose(chosen, acceptLanguage string) Language {
	for _, l := range Languages {
		if string(l.Language) == chosen {
			return l.Language
		}
	}
	wanted, _, err := language.ParseAcceptLanguage(acceptLanguage)
	if err != nil {
		return English
	}
	if _, index, confidence := matcher.Match(wanted...); confidence > language.No {
		return Languages[index].Language
	}
	return English
}

type contextKey struct{}

// With makes a context whose reader reads the language.
func With(ctx context.Context, l Language) context.Context {
	return context.WithValue(ctx, contextKey{}, l)
}

// From is the reader's language.
func From(ctx context.Context) Language {
	if l, ok := ctx.Value(contextKey{}).(Language); ok {
		return l
	}
	return English
}
