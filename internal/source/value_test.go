package source

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func TestValue(t *testing.T) {
	t.Parallel()
	document, err := parse([]byte(` {"a" : {"b":[1, {"c" : "x\"]}" } ,[[]]],"n":null,"big":12345678901234567890.10},
		"twice":1,"tw\u0069ce":2,"t":true, "e\u0073c":"\u00e9\ud83d\ude80", "in":{"a":"inner"}} `))
	require.NoError(t, err)
	for path, want := range map[string]string{
		"a.b.0": "1", "a.b.1.c": `x"]}`, "a.big": "12345678901234567890.10", "t": "true", "esc": "é🚀", "in.a": "inner",
		"a.n": "", "a.b": "", "a.b.9": "", "a.b.-1": "", "a.b.x": "", "absent": "", "twice": "", "t.x": "", "": "",
	} {
		require.Equal(t, want, document.textAt(strings.Split(path, ".")...), path)
	}
	for path, want := range map[string]error{"twice": errTwice, "absent": errAbsent, "t.x": errOtherKind, "a.b.3": errAbsent} {
		_, err := document.at(strings.Split(path, ".")...)
		require.ErrorIs(t, err, want, path)
	}
	b, err := document.at("a", "b")
	require.NoError(t, err)
	require.Equal(t, `[1, {"c" : "x\"]}" } ,[[]]]`, string(b.raw), "exactly its bytes")
}

func TestValue_HostileTexts(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", 9_000) + strings.Repeat("]", 9_000)
	document, err := parse([]byte(`{"deep":` + deep + `,"id":"x"}`))
	require.NoError(t, err)
	require.Equal(t, "x", document.textAt("id"))
	for _, text := range []string{
		"", " ", "{", `{"a"}`, "nul", `{"a":1}x`, "\ufeff{}", strings.Repeat("[", 1<<20), strings.Repeat(`{"a":`, 1<<18) + "1" + strings.Repeat("}", 1<<18),
	} {
		_, err := parse([]byte(text))
		require.ErrorIs(t, err, errNotJSON)
	}
	many, err := parse([]byte("[" + strings.Repeat("1,", maxItems) + "1]"))
	require.NoError(t, err)
	_, err = many.elements()
	require.ErrorIs(t, err, errTooMany)
	require.Equal(t, "1", many.textAt("10000"))
	invalid, err := parse([]byte("{\"id\":\"a\xff\"}"))
	require.NoError(t, err)
	require.Empty(t, invalid.textAt("id"), "two of them would look the same")
}

func TestIdentifiersThatNobodyCouldUse(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"a\x00b", "line\nbreak", strings.Repeat("x", maxName+1), "\xff"} {
		require.Empty(t, tidy(text))
		require.Equal(t, BodyHash([]byte(text)), tidyKey(text), "but it is a key still")
	}
	require.Equal(t, "evt 1é", tidy("evt 1é"))
	require.Empty(t, tidyKey(""))
}

func FuzzValue(f *testing.F) {
	for _, text := range []string{`{"a":{"b":[1,2,{"c":"d"}]}}`, `[{"a":1},[],"x"]`, `{"a":1,"a":2}`, `"\u0061\\"`, ` { "a" : -1.5e9 } `, `{"a\"b":null}`} {
		f.Add([]byte(text), "a")
	}
	f.Fuzz(func(t *testing.T, text []byte, name string) {
		document, err := parse(text)
		require.Equal(t, json.Valid(text), err == nil)
		if err != nil {
			return
		}
		_ = document.textAt(strings.Split(name, ".")...)
		if document.is('[') {
			checkElements(t, document)
		}
		if document.is('{') && utf8.Valid(text) { // encoding/json mends names that are not
			checkMembers(t, document)
		}
	})
}

func checkElements(t *testing.T, document value) {
	var want []json.RawMessage
	require.NoError(t, json.Unmarshal(document.raw, &want))
	elements, err := document.elements()
	if err != nil {
		return
	}
	require.Len(t, elements, len(want))
	for i, e := range elements {
		require.Equal(t, string(bytes.TrimSpace(want[i])), string(e.raw))
	}
}

func checkMembers(t *testing.T, document value) {
	var want map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(document.raw, &want))
	for name, raw := range want {
		of, err := document.member(name)
		if err == nil {
			require.Equal(t, string(bytes.TrimSpace(raw)), string(of.raw))
		} else {
			require.ErrorIs(t, err, errTwice)
		}
	}
}
