package contractpage

import (
	"embed"
	"fmt"
	"strconv"
	"strings"
	"sync"
)

//go:embed text/*.txt
var textFiles embed.FS

// locale is how a language writes.
type locale struct {
	language Language
	tag      string // BCP 47
	toLeft   bool   // written from right to left
	digits   []rune // nil: 0 to 9
	decimal  string

	comma, and, or string                    // between the parts of a list
	one            func(n float64) bool      // whether the singular goes with the number
	texts          func() map[string]message // by key
}

var locales = map[Language]*locale{
	English: {
		language: English, tag: "en", decimal: ".", comma: ", ", and: " and ", or: " or ",
		one: func(n float64) bool { return n == 1 }, texts: loader(English),
	},
	Portuguese: {
		language: Portuguese, tag: "pt-BR", decimal: ",", comma: ", ", and: " e ", or: " ou ",
		one: func(n float64) bool { return n < 2 }, texts: loader(Portuguese),
	},
	Persian: {
		language: Persian, tag: "fa", toLeft: true, digits: []rune("۰۱۲۳۴۵۶۷۸۹"), decimal: "٫",
		comma: "، ", and: " و ", or: " یا ",
		one:   func(float64) bool { return true }, // nouns stay singular after a number
		texts: loader(Persian),
	},
}

func loader(language Language) func() map[string]message {
	return sync.OnceValue(func() map[string]message { return load(language) })
}

// load panics only if a file of this very build is wrong, which the tests rule
// out.
func load(language Language) map[string]message {
	source, err := textFiles.ReadFile("text/" + string(language) + ".txt")
	if err != nil {
		panic(fmt.Sprintf("contractpage: the texts in %s are missing: %v", language, err))
	}
	texts, err := parseTexts(string(source))
	if err != nil {
		panic(fmt.Sprintf("contractpage: the texts in %s: %v", language, err))
	}
	return texts
}

// parseTexts reads lines of "key = text". A line that begins with a space goes
// on with the text above; empty lines and those that begin with # say nothing.
func parseTexts(source string) (map[string]message, error) {
	raw, keys := map[string]string{}, []string{""}
	for number, line := range strings.Split(source, "\n") {
		last := keys[len(keys)-1]
		if strings.HasPrefix(line, " ") && last != "" {
			raw[last] += " " + strings.TrimSpace(line)
			continue
		}
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		key, text, found := strings.Cut(line, " = ")
		if _, twice := raw[key]; !found || twice {
			return nil, fmt.Errorf("line %d is not of the form key = text, or repeats a key", number+1)
		}
		keys, raw[key] = append(keys, key), strings.TrimSpace(text)
	}
	texts := make(map[string]message, len(raw))
	for key, text := range raw {
		m, err := parseMessage(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		texts[key] = m
	}
	return texts, nil
}

// number writes a number with the language's digits.
func (l *locale) number(n float64) string {
	text := strings.Replace(strconv.FormatFloat(n, 'f', -1, 64), ".", l.decimal, 1)
	if l.digits == nil {
		return text
	}
	return strings.Map(func(c rune) rune {
		if c >= '0' && c <= '9' {
			return l.digits[c-'0']
		}
		return c
	}, text)
}

// list joins phrases with commas, and the last one with a word.
func (l *locale) list(parts []phrase, word string) phrase {
	var joined phrase
	for i, part := range parts {
		switch {
		case i == 0:
		case i == len(parts)-1:
			joined = append(joined, span{plain, word})
		default:
			joined = append(joined, span{plain, l.comma})
		}
		joined = append(joined, part...)
	}
	return joined
}
