package webhook

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"iter"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

var byteOrderMark = []byte("\ufeff")

// originals yields the bodies that a sender may have signed if body is what is
// left of it after something on the way parsed it and wrote it anew, each with
// what was done. Key order and numbers cannot be brought back and are not tried.
func originals(body []byte) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		lines := bytes.ReplaceAll(body, []byte("\r\n"), []byte("\n"))
		ok := yield("a line break was added at its end", bytes.TrimRight(body, "\r\n")) &&
			yield("the line break at its end was removed", append(bytes.Clone(body), '\n')) &&
			yield("the line break at its end was removed", append(bytes.Clone(body), "\r\n"...)) &&
			yield("a byte order mark was added", bytes.TrimPrefix(body, byteOrderMark)) &&
			yield("the byte order mark was removed", append(bytes.Clone(byteOrderMark), body...)) &&
			yield("line breaks became CR LF", lines) &&
			yield("line breaks lost their CR", bytes.ReplaceAll(lines, []byte("\n"), []byte("\r\n")))
		if ok && json.Valid(body) {
			originalJSON(body, yield)
		}
	}
}

// originalJSON varies the white space and the escapes of a JSON text, the two
// things in which encoders differ most.
func originalJSON(body []byte, yield func(string, []byte) bool) {
	const white = "white space in the JSON changed"
	var compact bytes.Buffer
	_ = json.Compact(&compact, body) // it is valid
	if isIndentable(body) {
		for _, step := range []string{"  ", "    "} {
			var indented bytes.Buffer
			_ = json.Indent(&indented, body, "", step)
			if !yield(white, indented.Bytes()) {
				return
			}
		}
	}
	for i, spaced := range [][]byte{body, compact.Bytes(), spaceJSON(compact.Bytes())} {
		what := "escapes in the JSON changed"
		if i > 0 {
			what = white
		}
		plain := unescapeJSON(spaced)
		ascii := escapeNonASCII(plain)
		var html bytes.Buffer
		json.HTMLEscape(&html, plain)
		ok := yield(what, spaced) && yield(what, plain) && yield(what, ascii) && yield(what, html.Bytes()) &&
			yield(what, bytes.ReplaceAll(ascii, []byte("/"), []byte(`\/`)))
		if !ok {
			return
		}
	}
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

// spaceJSON puts a space after every comma and colon of compact JSON, as
// Python's json.dumps does.
func spaceJSON(compact []byte) []byte {
	out := make([]byte, 0, len(compact)+len(compact)/8)
	inString, escaped := false, false
	for _, c := range compact {
		out = append(out, c)
		switch {
		case escaped:
			escaped = false
		case inString && c == '\\':
			escaped = true
		case c == '"':
			inString = !inString
		case !inString && (c == ',' || c == ':'):
			out = append(out, ' ')
		}
	}
	return out
}

// unescapeJSON replaces the escapes that JSON does not require by what they
// stand for. In valid JSON escapes are found in strings only.
func unescapeJSON(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); {
		if text[i] != '\\' {
			out = append(out, text[i])
			i++
			continue
		}
		n, r := readEscape(text[i:])
		if r >= ' ' && r != '"' && r != '\\' {
			out = utf8.AppendRune(out, r)
		} else {
			out = append(out, text[i:i+n]...)
		}
		i += n
	}
	return out
}

// readEscape returns the length of the escape that text begins with, and the
// character it stands for: -1 when it has to stay an escape.
func readEscape(text []byte) (length int, r rune) {
	if text[1] == '/' {
		return 2, '/'
	}
	if text[1] != 'u' {
		return 2, -1
	}
	r = hexRune(text)
	if !utf16.IsSurrogate(r) {
		return 6, r
	}
	if len(text) >= 12 && text[6] == '\\' && text[7] == 'u' {
		if pair := utf16.DecodeRune(r, hexRune(text[6:])); pair != utf8.RuneError {
			return 12, pair
		}
	}
	return 6, -1
}

// hexRune reads the four digits of \uXXXX.
func hexRune(text []byte) rune {
	value, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	if err != nil {
		return -1
	}
	return rune(value)
}

func escapeNonASCII(text []byte) []byte {
	out := make([]byte, 0, len(text)+len(text)/2)
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		switch {
		case r < utf8.RuneSelf, r == utf8.RuneError && size == 1:
			out = append(out, text[:size]...)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			out = appendEscape(appendEscape(out, high), low)
		default:
			out = appendEscape(out, r)
		}
		text = text[size:]
	}
	return out
}

// appendEscape writes \uXXXX. Package fmt would take most of the time that a
// forged request can cost.
func appendEscape(out []byte, r rune) []byte {
	return hex.AppendEncode(append(out, '\\', 'u'), []byte{byte(r >> 8), byte(r)})
}
