package egress

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxURLBytes bounds a URL: far above what receivers use, far below what would
// make a row or a request line troublesome.
const maxURLBytes = 4096

// checkCharacters refuses what parsers strip, reinterpret or cannot show. It
// looks at the whole text, since which part a character belongs to is exactly
// what such characters make parsers disagree about.
func checkCharacters(raw string) error {
	if len(raw) > maxURLBytes {
		return refuse(RuleTooLong, "the URL has %d bytes: use one of at most %d", len(raw), maxURLBytes)
	}
	for i, r := range raw {
		switch {
		case r == utf8.RuneError:
			return refuse(RuleEncoding, "byte %d of the URL is not valid UTF-8: copy the URL again", i+1)
		case r == '\\':
			return refuse(RuleBackslash, "the URL has a backslash, which some software reads as a slash: write / or %%5C")
		case unicode.IsControl(r):
			return refuse(RuleControlCharacter, "the URL has the control character %U at byte %d: remove it", r, i+1)
		case unicode.IsSpace(r):
			return refuse(RuleSpace, "the URL has a space (%U) at byte %d: remove it, or write %%20 if it belongs to the path", r, i+1)
		case unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector):
			return refuse(RuleInvisibleCharacter, "the URL has the invisible character %U at byte %d: remove it, or percent-encode it if it belongs to the path", r, i+1)
		}
	}
	return nil
}

// escapeRest percent-encodes what RFC 3986 does not allow in a path or query
// and keeps every other byte, existing escapes included: encoding by way of
// url.URL.Path would turn %2F into a slash as soon as one other byte needs it.
func escapeRest(rest string) string {
	const hexDigits = "0123456789ABCDEF"
	var out strings.Builder
	for i := range len(rest) {
		b := rest[i]
		if b > 0x20 && b < 0x7f && !strings.ContainsRune("\"<>^`{|}", rune(b)) {
			out.WriteByte(b)
			continue
		}
		out.WriteByte('%')
		out.WriteByte(hexDigits[b>>4])
		out.WriteByte(hexDigits[b&0x0f])
	}
	return out.String()
}
