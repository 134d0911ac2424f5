package api

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestMembers_AreThoseThatEncodingJSONSees(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		value := jsonText().Draw(t, "value")
		require.True(t, json.Valid([]byte(value)), "the generator made %q", value)
		value = strings.TrimSpace(value)
		switch value[0] {
		case '{':
			decoder := json.NewDecoder(strings.NewReader(value))
			_, err := decoder.Token()
			require.NoError(t, err)
			for name, inner := range members([]byte(value)) {
				token, err := decoder.Token()
				require.NoError(t, err)
				var decoded string
				require.NoError(t, json.Unmarshal(name, &decoded))
				require.Equal(t, token, decoded)
				var raw json.RawMessage
				require.NoError(t, decoder.Decode(&raw))
				require.Equal(t, string(raw), string(inner))
			}
			require.False(t, decoder.More(), "members stopped too early")
		case '[':
			var all []json.RawMessage
			require.NoError(t, json.Unmarshal([]byte(value), &all))
			i := 0
			for inner := range elements([]byte(value)) {
				require.Equal(t, string(all[i]), string(inner))
				i++
			}
			require.Len(t, all, i)
		}
	})
}

func TestText(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		`""`: "", `"a"`: "a", `"\u00e9\n\""`: "é\n\"", `"\ud83d\ude00"`: "😀", `"\\ud83d"`: `\ud83d`,
		`"\uFFFD"`: "\uFFFD", `"\\\\\ud83d\ude00x"`: `\\😀x`,
	} {
		got, err := text([]byte(raw))
		require.NoError(t, err, raw)
		require.Equal(t, want, got)
	}
	for raw, want := range map[string]error{
		`1`: errNotText, `null`: errNotText, `{}`: errNotText, `"\u0000"`: errNUL, `"a\u0000"`: errNUL,
		`"\ud83d"`: errSurrogate, `"\ude00"`: errSurrogate, `"\ud83d\ud83d\ude00"`: errSurrogate, `"\ud83dx\ude00"`: errSurrogate,
		`"\ud83d\\ude00"`: errSurrogate,
	} {
		_, err := text([]byte(raw))
		require.ErrorIs(t, err, want, raw)
	}
}

func TestCheckMembers(t *testing.T) {
	t.Parallel()
	require.NoError(t, checkMembers([]byte(`{"a":{"a":[{"a":"b"},"c",1,null]},"b":""}`), "", maxDepth))
	for body, field := range map[string]string{
		`{"a":1,"a":2}`:                 "a",
		`{"a":1,"\u0061":2}`:            "a",
		`{"a":{"b":[0,{"c":1,"c":1}]}}`: "a.b[1].c",
		`{"a":["\u0000"]}`:              "a[0]",
		`{"a":{"\u0000":1}}`:            "a",
		`["\ud800"]`:                    "body[0]",
		`{"a":1.5e3}`:                   "a",
		`{"a":1e3}`:                     "a",
		`{"a":[9999999999]}`:            "a[0]",

		strings.Repeat("[", maxDepth+1) + strings.Repeat("]", maxDepth+1): "body",
	} {
		var p *Problem
		require.ErrorAs(t, checkMembers([]byte(body), "", maxDepth), &p, body)
		require.Equal(t, field, p.Errors[0].Field)
	}
}

// TestSkipString_IsLinear would take minutes if every escape began a new search
// for the closing quote.
func TestSkipString_IsLinear(t *testing.T) {
	t.Parallel()
	for _, escape := range []string{`\n`, `\"`, `\\`, `x\"`} {
		value := []byte(`"` + strings.Repeat(escape, 1<<20) + `"`)
		begin := time.Now()
		require.Equal(t, len(value), skipString(value, 0))
		require.Less(t, time.Since(begin), 5*time.Second)
	}
}
