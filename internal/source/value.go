package source

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"unicode/utf8"
)

// value is one JSON value: exactly its bytes, a part of a text that was found
// valid as a whole. Reading it copies and re-encodes nothing, and needs no
// recursion, however deep the text is.
type value struct{ raw []byte }

// Why a value cannot be had.
var (
	errNotJSON   = errors.New("it is not JSON")
	errAbsent    = errors.New("it is not there")
	errTwice     = errors.New("it is there twice")
	errOtherKind = errors.New("it is of another kind")
	errTooMany   = errors.New("it has too many items")
)

// parse checks a whole text. encoding/json bounds its depth.
func parse(text []byte) (value, error) {
	if !json.Valid(text) {
		return value{}, errNotJSON
	}
	return value{bytes.TrimSpace(text)}, nil
}

func (v value) is(opening byte) bool { return len(v.raw) > 0 && v.raw[0] == opening }

// member is an object's member of that name. A name that is there twice gives
// errTwice: readers disagree on which one counts.
func (v value) member(name string) (value, error) {
	if !v.is('{') {
		return value{}, errOtherKind
	}
	found, err := value{}, errAbsent
	v.members(func(key []byte, of value) bool {
		switch {
		case !nameIs(key, name):
		case err == nil:
			found, err = value{}, errTwice
		default:
			found, err = of, nil
		}
		return !errors.Is(err, errTwice)
	})
	return found, err
}

// members visits an object's, with each name as it is written.
func (v value) members(visit func(key []byte, of value) bool) {
	for at := next(v.raw, 1); v.raw[at] != '}'; at = next(v.raw, at) {
		key := v.raw[at:skip(v.raw, at)]
		at = next(v.raw, next(v.raw, at+len(key))+1) // past the colon
		begin := at
		at = skip(v.raw, at)
		if !visit(key, value{v.raw[begin:at]}) {
			return
		}
		at = next(v.raw, at)
		if v.raw[at] == ',' {
			at++
		}
	}
}

// each visits the elements of an array.
func (v value) each(visit func(value) bool) {
	for at := next(v.raw, 1); v.raw[at] != ']'; at = next(v.raw, at) {
		begin := at
		at = skip(v.raw, at)
		if !visit(value{v.raw[begin:at]}) {
			return
		}
		at = next(v.raw, at)
		if v.raw[at] == ',' {
			at++
		}
	}
}

// elements are an array's.
func (v value) elements() ([]value, error) {
	if !v.is('[') {
		return nil, errOtherKind
	}
	var elements []value
	v.each(func(e value) bool {
		elements = append(elements, e)
		return len(elements) <= maxItems
	})
	if len(elements) > maxItems {
		return nil, errTooMany
	}
	return elements, nil
}

// maxItems bounds a batch.
const maxItems = 10_000

// at follows a path of member names; in an array, a name is an index.
func (v value) at(path ...string) (value, error) {
	for _, name := range path {
		var err error
		if v.is('[') {
			v, err = v.element(name)
		} else {
			v, err = v.member(name)
		}
		if err != nil {
			return value{}, err
		}
	}
	return v, nil
}

func (v value) element(name string) (value, error) {
	index, err := strconv.ParseUint(name, 10, 31)
	if err != nil {
		return value{}, errAbsent
	}
	found, err := value{}, errAbsent
	v.each(func(e value) bool {
		if index == 0 {
			found, err = e, nil
		}
		index--
		return err != nil
	})
	return found, err
}

// text is a string's content, or a number, true or false as it is written:
// large numbers keep their digits. Nothing else is text.
func (v value) text() (string, bool) {
	switch {
	case len(v.raw) == 0 || v.is('{') || v.is('[') || v.is('n') || !utf8.Valid(v.raw):
		return "", false
	case !v.is('"'):
		return string(v.raw), true
	}
	return unquote(v.raw)
}

// textAt is the text at the end of a path, empty when there is none.
func (v value) textAt(path ...string) string {
	at, err := v.at(path...)
	if err != nil {
		return ""
	}
	text, _ := at.text()
	return text
}

func unquote(raw []byte) (string, bool) {
	inside := raw[1 : len(raw)-1]
	if bytes.IndexByte(inside, '\\') < 0 {
		return string(inside), true
	}
	var text string
	err := json.Unmarshal(raw, &text)
	return text, err == nil
}

func nameIs(raw []byte, name string) bool {
	inside := raw[1 : len(raw)-1]
	if bytes.IndexByte(inside, '\\') < 0 {
		return string(inside) == name
	}
	text, ok := unquote(raw)
	return ok && text == name
}

// next skips white space. In valid JSON something follows wherever it is asked.
func next(text []byte, at int) int {
	for text[at] == ' ' || text[at] == '\t' || text[at] == '\n' || text[at] == '\r' {
		at++
	}
	return at
}

// skip gives the end of the value that begins there.
func skip(text []byte, at int) int {
	switch text[at] {
	case '"':
		return skipString(text, at)
	case '{', '[':
		return skipNested(text, at)
	}
	for at < len(text) && !bytes.ContainsRune([]byte(" \t\r\n,]}"), rune(text[at])) {
		at++
	}
	return at
}

func skipString(text []byte, at int) int {
	for at++; text[at] != '"'; at++ {
		if text[at] == '\\' {
			at++
		}
	}
	return at + 1
}

func skipNested(text []byte, at int) int {
	for depth := 0; ; at++ {
		switch text[at] {
		case '"':
			at = skipString(text, at) - 1
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return at + 1
			}
		}
	}
}
