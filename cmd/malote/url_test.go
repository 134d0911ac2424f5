package main

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// vectors are the records of package egress, as one array.
func vectors(t testing.TB) (array string, records []json.RawMessage) {
	t.Helper()
	text, err := os.ReadFile("../../internal/egress/testdata/ssrf_urls.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &records))
	require.Len(t, records, 130)
	return string(text), records
}

func TestURLCheck_G08_Vectors(t *testing.T) {
	t.Parallel()
	array, records := vectors(t)
	var lines strings.Builder
	for _, record := range records {
		var line bytes.Buffer
		require.NoError(t, json.Compact(&line, record))
		lines.WriteString(line.String() + "\n")
	}
	for form, input := range map[string]string{"one array": array, "a line each": lines.String()} {
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			got := maloteReading(t, input, "url", "check", "--jsonl")
			require.Zero(t, got.code, got.stderr)
			answers := splitLines(got.stdout)
			require.Len(t, answers, len(records))
			for i, record := range records {
				require.Equal(t, field[string](t, string(record), "verdict"), field[string](t, answers[i], "verdict"), "%s", record)
				require.NotEmpty(t, field[string](t, answers[i], "reason"))
				_ = field[string](t, answers[i], "normalized")
			}
		})
	}
}

func TestURLCheck_One(t *testing.T) {
	t.Parallel()
	allowed := succeeds(t, "url", "check", "https://EXAMPLE.com:443/in?a=1&b=2", "--resolves-to", "93.184.216.34,2606:4700::1")
	require.Equal(t, "allow", field[string](t, allowed, "verdict"))
	require.Equal(t, "https://example.com/in?a=1&b=2", field[string](t, allowed, "normalized"))
	require.Contains(t, allowed, "a=1&b=2", "as it is, not escaped")

	for _, arguments := range [][]string{
		{"https://example.com/", "--resolves-to", "93.184.216.34,169.254.169.254"},
		{"http://127.0.0.1:9000/"},
		{"http://example.com/", "--require-https"},
	} {
		got := malote(t, append([]string{"url", "check"}, arguments...)...)
		require.Equal(t, 1, got.code)
		require.Contains(t, field[string](t, got.stdout, "verdict"), "reject")
		require.Empty(t, got.stderr, "the verdict says it all")
	}
	opened := succeeds(t, "url", "check", "http://127.0.0.1:9000/", "--allow-destinations", "127.0.0.0/8,::1/128")
	require.Equal(t, "allow", field[string](t, opened, "verdict"))
}

func TestURLCheck_SaysWhichRecordIsWrong(t *testing.T) {
	t.Parallel()
	for input, says := range map[string]string{
		"":                               "no record",
		" \n":                            "no record",
		"{\"url\":\"https://a.b/\"}\n{x": "record 2",
		`[{"url":"https://a.b/"}`:        "record 2",
		`["https://a.b/"]`:               "record 1",
		`[{"url":1}]`:                    "record 1",
	} {
		got := maloteReading(t, input, "url", "check", "--jsonl")
		require.Contains(t, got.fails(t, 1), says, input)
	}
}
