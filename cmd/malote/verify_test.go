package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/source"
)

func TestVerify_Vectors(t *testing.T) {
	t.Parallel()
	answersRecords(t, "../../internal/source/testdata/inbound_vectors.json", 177, checkJudgement, "verify", "--jsonl")
}

func checkJudgement(t *testing.T, record json.RawMessage, answer string) {
	t.Helper()
	var want struct {
		Name, Expect string
		AcceptAlso   []string `json:"accept_also"`
		EventID      *string  `json:"event_id"`
		EventType    *string  `json:"event_type"`
		Response     map[string]any
	}
	var got struct {
		Verdict, Reason string
		EventID         *string `json:"event_id"`
		EventType       *string `json:"event_type"`
		Response        map[string]any
	}
	require.NoError(t, json.Unmarshal(record, &want))
	require.NoError(t, json.Unmarshal([]byte(answer), &got))
	require.Contains(t, append(want.AcceptAlso, want.Expect), got.Verdict, "%s: %s", want.Name, answer)
	require.NotEmpty(t, got.Reason)
	if want.EventID != nil {
		require.Equal(t, want.EventID, got.EventID, want.Name)
	}
	if want.EventType != nil {
		require.Equal(t, want.EventType, got.EventType, want.Name)
	}
	for name, value := range want.Response {
		require.Equal(t, value, got.Response[name], "%s: %s", want.Name, name)
	}
}

const helloSignature = "X-Hub-Signature-256: sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"

func hello(t *testing.T, body string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "body")
	require.NoError(t, os.WriteFile(file, []byte(body), 0o600))
	return file
}

func TestVerify_One(t *testing.T) {
	t.Parallel()
	github := []string{"verify", "--provider", "github", "--secret", "It's a Secret to Everybody", "-H", helloSignature}

	shown := succeeds(t, append(github, "-H", "X-GitHub-Event: issues", "-H", "X-GitHub-Delivery: 72d3162e", hello(t, "Hello, World!"))...)
	for _, part := range []string{"ok", "the signature holds", "secret 1", "72d3162e", "issues"} {
		require.Contains(t, shown, part)
	}

	changed := malote(t, append(github, hello(t, "Hello, World!\n"))...)
	require.Equal(t, 1, changed.code)
	require.Empty(t, changed.stderr, "the verdict says it all")
	for _, part := range []string{"bad_signature", "re-encoded", "a line break at its end was added", "HMAC-SHA256", "14 bytes"} {
		require.Contains(t, changed.stdout, part)
	}

	read := maloteReading(t, "Hello, World!", append(github, "--json", "-")...)
	require.Zero(t, read.code, read.stderr)
	require.Equal(t, "ok", field[string](t, read.stdout, "verdict"))
}

func TestVerify_SaysTheSkew(t *testing.T) {
	t.Parallel()
	slack := []string{
		"verify", "--provider", "slack", "--secret", "8f742231b10e8888abcd99yyyzzz85a5", "-H", "X-Slack-Request-Timestamp: 1700000000",
		"-H", "X-Slack-Signature: v0=6cdf9076d83eb5ea81e87fdb3893924f39f90401cb3fce2385b5d7c12011380a",
		hello(t, `{"token":"z26uFbvR1xHJEdHE1OQiO6t8","team_id":"T123ABC456","api_app_id":"A123ABC456","event":{"type":"app_mention"},"type":"event_callback","event_id":"Ev123ABC456","event_time":1234567890}`),
	}
	require.Contains(t, succeeds(t, append(slack, "--now", "1700000300")...), "app_mention")
	require.Contains(t, succeeds(t, append(slack, "--now", "1700000301", "--tolerance", "10m")...), "app_mention")
	require.Contains(t, succeeds(t, append(slack, "--tolerance=-1s")...), "app_mention")
	old := malote(t, append(slack, "--now", "1700000301")...)
	require.Equal(t, 1, old.code)
	require.Contains(t, old.stdout, "301 s old")
	require.Contains(t, malote(t, slack...).stdout, "stale", "by default it arrived just now")
}

func TestVerify_Generic(t *testing.T) {
	t.Parallel()
	convoy := []string{
		"verify", "--provider", "generic", "--secret", "Convoy", "--signature-header", "X-Convoy-Signature", "--algorithm", "sha512",
		"-H", "X-Convoy-Signature: 83306382f5361d35351d6de45998f23b52f40bcf96befe4e92f137c0f1bf4a7119388b238d8f9d502ac77e6f1a8849a4778272667ed88d530cac8050bd1fee2d",
		"-H", "X-Id: 7", "--id-from", "header:X-Id", hello(t, "Test Payload Body"),
	}
	require.Contains(t, succeeds(t, convoy...), "7")
	require.Contains(t, malote(t, append(convoy, "--content", "{timestamp}")...).fails(t, 2), "{body} must be in it")
	require.Contains(t, malote(t, append(convoy, "--type-from", "data.id")...).fails(t, 2), "json:data.id")
	require.Contains(t, succeeds(t, "verify", "--provider", "generic", "--auth", "address", "--allow", "192.0.2.0/24", "--remote", "192.0.2.7", hello(t, "x")), "ok")
}

func TestVerify_KnowsEveryAuthentication(t *testing.T) {
	t.Parallel()
	auth, found := reflect.TypeFor[genericFlags]().FieldByName("Auth")
	require.True(t, found)
	require.Equal(t, joined(source.Authentications), auth.Tag.Get("enum"))
}

func TestVerify_Providers(t *testing.T) {
	t.Parallel()
	shown := succeeds(t, "verify", "--providers")
	for _, name := range []string{"stripe", "aws_sns", "generic"} {
		require.Contains(t, shown, name)
	}
}

func TestVerify_Usage(t *testing.T) {
	t.Parallel()
	body := hello(t, "x")
	for says, arguments := range map[string][]string{
		"whose webhook":        {"--secret", "s", body},
		"no provider \"acme\"": {"--provider", "acme", "--secret", "s", body},
		"no body":              {"--provider", "github", "--secret", "s"},
		"no secret":            {"--provider", "github", body},
		"'Name: value'":        {"--provider", "github", "--secret", "s", "-H", "nonsense", body},
		"leave out":            {"--jsonl", "--provider", "github"},
	} {
		require.Contains(t, malote(t, append([]string{"verify"}, arguments...)...).fails(t, 2), says)
	}
	require.Contains(t, malote(t, "verify", "--provider", "github", "--secret", "s", "/nonexistent").fails(t, 1), "reading the body")
}

func TestVerify_SaysWhichRecordIsWrong(t *testing.T) {
	t.Parallel()
	for input, says := range map[string]string{
		"":                                    "no record",
		"{\"provider\":\"github\"}\n{x":       "record 2",
		`["x"]`:                               "record 1",
		`[{"provider":"github","headers":1}]`: "headers must be",
	} {
		require.Contains(t, maloteReading(t, input, "verify", "--jsonl").fails(t, 1), says, input)
	}
	unknown := maloteReading(t, `[{"provider":"acme"},{"provider":"github"}]`, "verify", "--jsonl")
	require.Contains(t, unknown.fails(t, 1), "1 record of an unknown provider")
	answers := splitLines(unknown.stdout)
	require.Len(t, answers, 2)
	require.Equal(t, "missing_header", field[string](t, answers[1], "verdict"))
}
