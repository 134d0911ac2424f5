package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math"
	"strconv"
	"unicode/utf8"
)

// checkText says whether a body is one JSON value in UTF-8 with nothing after
// it. What the functions below are given has passed it.
func checkText(body []byte) error {
	if !utf8.Valid(body) {
		return problem(InvalidJSON, "The body is not valid UTF-8, so it is not JSON: put bytes of another kind into body_base64.")
	}
	if json.Valid(body) {
		return nil
	}
	if len(bytes.TrimSpace(body)) == 0 {
		return problem(InvalidJSON, "The body is empty: send a JSON object.")
	}
	var whole json.RawMessage
	err := json.Unmarshal(body, &whole)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return problem(InvalidJSON, "The body is not valid JSON at byte %d: %v.", syntax.Offset, syntax)
	}
	return problem(InvalidJSON, "")
}

// checkMembers refuses what encoding/json would quietly change: members named
// twice, strings that text columns and other programs cannot hold, and numbers that
// may be rounded: of an event's data, which does not come here, nothing is. depth is how many levels there may be.
func checkMembers(value []byte, path string, depth int) error {
	if depth == 0 {
		return fault("body", "is nested too deeply")
	}
	switch value[0] {
	case '{':
		seen := map[string]bool{}
		for rawName, inner := range members(value) {
			name, err := text(rawName)
			if err != nil {
				return fault(pathOr(path), "has a member whose name %v", err)
			}
			field := joinPath(path, name)
			if seen[name] {
				return fault(field, "is there twice: send it once")
			}
			seen[name] = true
			if err := checkMembers(inner, field, depth-1); err != nil {
				return err
			}
		}
	case '[':
		index := 0
		for inner := range elements(value) {
			if err := checkMembers(inner, fmt.Sprintf("%s[%d]", pathOr(path), index), depth-1); err != nil {
				return err
			}
			index++
		}
	case '"':
		if _, err := text(value); err != nil {
			return fault(pathOr(path), "%v", err)
		}
	case 't', 'f', 'n':
	default:
		if !plainNumber(value) {
			return fault(pathOr(path), "must be a number written in digits, without an exponent, between -2^31 and 2^31-1")
		}
	}
	return nil
}

// plainNumber says whether a JSON number is one that everybody reads alike.
func plainNumber(value []byte) bool {
	number, err := strconv.ParseFloat(string(value), 64)
	return err == nil && len(value) <= len("-2147483648.000000") && !bytes.ContainsAny(value, "eE") &&
		number >= math.MinInt32 && number <= math.MaxInt32
}

func joinPath(path, name string) string {
	if name == "" {
		name = `""`
	}
	if path == "" {
		return name
	}
	return path + "." + name
}

func pathOr(path string) string {
	if path == "" {
		return "body"
	}
	return path
}

// members walks through a JSON object: each name as it stands there, quoted,
// and each value, byte for byte.
func members(object []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(name, value []byte) bool) {
		i := skipSpace(object, 1)
		for object[i] != '}' {
			end := skipValue(object, i)
			name := object[i:end]
			i = skipSpace(object, skipSpace(object, end)+1) // past the colon
			end = skipValue(object, i)
			if !yield(name, object[i:end]) {
				return
			}
			i = skipSeparator(object, end)
		}
	}
}

// elements walks through a JSON array.
func elements(array []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		i := skipSpace(array, 1)
		for array[i] != ']' {
			end := skipValue(array, i)
			if !yield(array[i:end]) {
				return
			}
			i = skipSeparator(array, end)
		}
	}
}

func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\r' || b[i] == '\t') {
		i++
	}
	return i
}

// skipSeparator goes past a comma, but stops at a closing bracket.
func skipSeparator(b []byte, i int) int {
	i = skipSpace(b, i)
	if b[i] == ',' {
		return skipSpace(b, i+1)
	}
	return i
}

// skipValue returns where the value that begins at i ends.
func skipValue(b []byte, i int) int {
	switch b[i] {
	case '"':
		return skipString(b, i)
	case '{', '[':
		return skipNested(b, i)
	}
	for ; i < len(b); i++ {
		switch b[i] {
		case ',', ']', '}', ' ', '\t', '\r', '\n':
			return i
		}
	}
	return i
}

func skipNested(b []byte, i int) int {
	for depth := 0; ; {
		switch b[i] {
		case '"':
			i = skipString(b, i)
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		i++
		if depth == 0 {
			return i
		}
	}
}

// skipString looks at every byte at most twice, however many are escaped.
func skipString(b []byte, i int) int {
	i++
	for {
		quote := i + bytes.IndexByte(b[i:], '"')
		for i <= quote {
			escape := bytes.IndexByte(b[i:quote], '\\')
			if escape < 0 {
				return quote + 1
			}
			i += escape + 2 // past the backslash and what it escapes, perhaps the quote
		}
	}
}
