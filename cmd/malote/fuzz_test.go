package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// What is taken for JSON is JSON for the server too, around the very bytes.
func FuzzPublishBody(f *testing.F) {
	for _, seed := range []string{awkward, "1", " null\n", `"\ud800"`, "{", "", "\xef\xbb\xbf1", `{"a":1}}`, `1,"type":"x"`} {
		f.Add([]byte(seed), "a.b", "k")
	}
	f.Fuzz(func(t *testing.T, data []byte, eventType, key string) {
		if checkJSON("it", data) != nil || !utf8.ValidString(eventType) || !utf8.ValidString(key) {
			return
		}
		body, err := sentBody((&publishCommand{Type: eventType, CoalesceKey: key}).event(data, key))
		require.NoError(t, err)
		var members map[string]json.RawMessage
		require.NoError(t, json.Unmarshal([]byte(body), &members), "%q", body)
		require.Equal(t, bytes.TrimSpace(data), []byte(members["data"]), "nothing of the data is another member")
		require.Contains(t, body, string(data))
		require.LessOrEqual(t, len(members), 5)
	})
}

// Whatever comes on standard input, the records found are one JSON value each.
func FuzzEachRecord(f *testing.F) {
	for _, seed := range []string{"", "[]", "[{}]", "{}\n{}", "{} {}", "[{},", "[1 2]", "{\"a\":[1]}\n\n{", "\xff"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		_ = eachRecord(bufio.NewReader(bytes.NewReader(input)), func(record []byte) error {
			require.True(t, json.Valid(record), "%q in %q", record, input)
			return nil
		})
	})
}

// A malote.yaml of any content is read or refused, in one line.
func FuzzConfiguration(f *testing.F) {
	for _, seed := range []string{"", "server: x", "serve: {listen: y}", "a: [", "- 1", "&a *a", "? 1", "\xff", "1: 2"} {
		f.Add([]byte(seed))
	}
	parser, err := newParser()
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, text []byte) {
		resolver, err := yamlConfiguration(bytes.NewReader(text))
		if err == nil {
			err = resolver.Validate(parser.Model)
		}
		if err != nil {
			told := oneLine(err.Error())
			require.NotContains(t, told, "\n")
		}
	})
}
