package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"unicode/utf16"
)

var (
	errNotText   = errors.New("must be a string")
	errNUL       = errors.New(`holds the character \u0000, which text cannot hold here: leave it out`)
	errSurrogate = errors.New("holds half of a surrogate pair, which is no character: send both halves, or the character itself")
)

// text decodes a JSON string that becomes one of our own texts: a name, a key.
// Unlike the strings inside "data", which are never touched, it must survive
// the database and every client.
func text(raw []byte) (string, error) {
	if raw[0] != '"' {
		return "", errNotText
	}
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1]), nil
	}
	if loneSurrogate(raw) {
		return "", errSurrogate
	}
	var decoded string
	if err := json.Unmarshal(raw, &decoded); err != nil {
		return "", errNotText
	}
	if strings.IndexByte(decoded, 0) >= 0 {
		return "", errNUL
	}
	return decoded, nil
}

// loneSurrogate looks for a \u escape that encoding/json would turn into
// U+FFFD, so that two different strings became one.
func loneSurrogate(raw []byte) bool {
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		i++
		if raw[i] != 'u' {
			continue
		}
		unit := escapedUnit(raw[i+1:])
		i += 4
		if !utf16.IsSurrogate(unit) {
			continue
		}
		if !bytes.HasPrefix(raw[i+1:], []byte(`\u`)) || utf16.DecodeRune(unit, escapedUnit(raw[i+3:])) == '\uFFFD' {
			return true
		}
		i += 6
	}
	return false
}

func escapedUnit(digits []byte) rune {
	unit, _ := strconv.ParseUint(string(digits[:4]), 16, 16) // four hexadecimal digits, as JSON demands
	return rune(unit)
}
