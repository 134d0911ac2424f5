package main

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestURLCheck_G08_Vectors(t *testing.T) {
	t.Parallel()
	check := func(t *testing.T, record json.RawMessage, answer string) {
		require.Equal(t, field[string](t, string(record), "verdict"), field[string](t, answer, "verdict"), "%s", record)
		require.NotEmpty(t, field[string](t, answer, "reason"))
		_ = field[string](t, answer, "normalized")
	}
	answersRecords(t, "../../internal/egress/testdata/ssrf_urls.json", 130, check, "url", "check", "--jsonl")
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
