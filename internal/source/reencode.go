package source

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"iter"
	"unicode/utf16"
	"unicode/utf8"
)

// originals are the bodies that may have been signed if this one is what a
// parser or a proxy made of it, each with what was done. The order of members
// and the form of numbers cannot be brought back.
func originals(body []byte) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		unix := bytes.ReplaceAll(body, []byte("\r\n"), []byte("\n"))
		mark := []byte("\ufeff")
		plain := []struct {
			what string
			body []byte
		}{
			{"a line break at its end was added", bytes.TrimRight(body, "\r\n")},
			{"the line break at its end was removed", append(bytes.Clone(body), '\n')},
			{"the line break at its end was removed", append(bytes.Clone(body), "\r\n"...)},
			{"line breaks became CR LF", unix},
			{"line breaks lost their CR", bytes.ReplaceAll(unix, []byte("\n"), []byte("\r\n"))},
			{"a byte order mark was added", bytes.TrimPrefix(body, mark)},
			{"the byte order mark was removed", append(bytes.Clone(mark), body...)},
		}
		for _, p := range plain {
			if !yield(p.what, p.body) {
				return
			}
		}
		if json.Valid(body) {
			originalJSON(bytes.TrimSpace(body), yield)
		} else if bytes.ContainsAny(body, "%+") {
			originalForm(body, yield)
		}
	}
}

// originalJSON varies the two things in which writers of JSON differ most:
// white space, and what they escape.
func originalJSON(body []byte, yield func(string, []byte) bool) {
	spacings := []func([]byte) []byte{bytes.Clone, compacted, spaced}
	if isIndentable(body) {
		for _, step := range []string{"  ", "    ", "\t"} {
			spacings = append(spacings, func(text []byte) []byte { return indented(text, step) })
		}
	}
	for i, space := range spacings {
		what := "white space in the JSON changed"
		if i == 0 {
			what = "escapes in the JSON changed"
		}
		text := space(body)
		plain := unescaped(text)
		var html bytes.Buffer
		json.HTMLEscape(&html, plain)
		for _, written := range [][]byte{text, plain, escaped(plain, ""), escaped(plain, "/"), html.Bytes()} {
			if !yield(what, written) || !yield(what, append(written, '\n')) {
				return
			}
		}
	}
}

func compacted(text []byte) []byte {
	var out bytes.Buffer
	_ = json.Compact(&out, text) // it is valid
	return out.Bytes()
}

func indented(text []byte, by string) []byte {
	var out bytes.Buffer
	_ = json.Indent(&out, text, "", by) // it is valid
	return out.Bytes()
}

// isIndentable says whether indenting a JSON text by four makes it no more than
// eight times as long. Depth costs by its square: a forged body of nothing but
// brackets would take seconds, and no sender ever indented it.
func isIndentable(text []byte) bool {
	size, depth := 0, 0
	inString, isEscaped := false, false
	for _, c := range text {
		size++
		switch {
		case isEscaped:
			isEscaped = false
		case inString && c == '\\':
			isEscaped = true
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			depth++
			size += 1 + 4*depth
		case c == '}' || c == ']':
			depth--
			size += 1 + 4*depth
		case c == ',':
			size += 1 + 4*depth
		}
	}
	return size <= 8*len(text)+4096
}

// spaced has a space after each comma and colon, as Python writes.
func spaced(text []byte) []byte {
	out := make([]byte, 0, len(text)+len(text)/8)
	text = compacted(text)
	for at := 0; at < len(text); {
		end := at + 1
		if text[at] == '"' {
			end = skipString(text, at)
		}
		out = append(out, text[at:end]...)
		if text[at] == ',' || text[at] == ':' {
			out = append(out, ' ')
		}
		at = end
	}
	return out
}

// unescaped writes what need not be escaped as itself.
func unescaped(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for len(text) > 0 {
		at := bytes.IndexByte(text, '\\')
		if at < 0 {
			return append(out, text...)
		}
		out, text = append(out, text[:at]...), text[at:]
		length, r := escape(text)
		if r >= ' ' && r != '"' && r != '\\' {
			out = utf8.AppendRune(out, r)
		} else {
			out = append(out, text[:length]...)
		}
		text = text[length:]
	}
	return out
}

// escape reads the one that a text begins with: its length, and the character
// that it stands for, or -1 when it must stay.
func escape(text []byte) (length int, r rune) {
	switch text[1] {
	case '/':
		return 2, '/'
	case 'u':
	default:
		return 2, -1
	}
	r = codeUnit(text)
	if !utf16.IsSurrogate(r) {
		return 6, r
	}
	if len(text) >= 12 && text[6] == '\\' && text[7] == 'u' {
		if pair := utf16.DecodeRune(r, codeUnit(text[6:])); pair != utf8.RuneError {
			return 12, pair
		}
	}
	return 6, -1
}

func codeUnit(text []byte) rune {
	var unit [2]byte
	_, _ = hex.Decode(unit[:], text[2:6]) // valid JSON has four digits there
	return rune(unit[0])<<8 | rune(unit[1])
}

// escaped writes all that is not ASCII as \uXXXX, and the also after a backslash.
func escaped(text []byte, also string) []byte {
	out := make([]byte, 0, len(text)+len(text)/2)
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		switch {
		case also != "" && text[0] == also[0]:
			out = append(out, '\\', text[0])
		case r < utf8.RuneSelf, r == utf8.RuneError && size == 1:
			out = append(out, text[:size]...)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			out = appendUnit(appendUnit(out, high), low)
		default:
			out = appendUnit(out, r)
		}
		text = text[size:]
	}
	return out
}

func appendUnit(out []byte, unit rune) []byte {
	const digits = "0123456789abcdef"
	return append(out, '\\', 'u', digits[unit>>12&15], digits[unit>>8&15], digits[unit>>4&15], digits[unit&15])
}

// originalForm varies how a form is escaped.
func originalForm(body []byte, yield func(string, []byte) bool) {
	const what = "escapes in the form changed"
	upper, lower := bytes.Clone(body), bytes.Clone(body)
	for at := 0; at+2 < len(body); at++ {
		if body[at] == '%' {
			copy(upper[at:], bytes.ToUpper(body[at:at+3]))
			copy(lower[at:], bytes.ToLower(body[at:at+3]))
			at += 2
		}
	}
	for _, text := range [][]byte{upper, lower} {
		if !yield(what, text) ||
			!yield(what, bytes.ReplaceAll(text, []byte("+"), []byte("%20"))) ||
			!yield(what, bytes.ReplaceAll(text, []byte("%20"), []byte("+"))) {
			return
		}
	}
}
