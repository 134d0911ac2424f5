package main

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/policy"
)

func TestPolicySchedule_Golden(t *testing.T) {
	t.Parallel()
	for name, clause := range map[string]string{"standard": "S02", "fair-queue": "F07", "dracma": "D04"} {
		t.Run(clause, func(t *testing.T) {
			t.Parallel()
			want, err := os.ReadFile(filepath.Join("testdata", "schedule-"+name+".txt"))
			require.NoError(t, err)
			require.Equal(t, string(want), succeeds(t, "policy", "schedule", name))
		})
	}
}

func TestPolicySchedule_JSON(t *testing.T) {
	t.Parallel()
	var computed timetable
	require.NoError(t, json.Unmarshal([]byte(succeeds(t, "policy", "schedule", "dracma", "--json")), &computed))
	require.Equal(t, "dracma", computed.Policy)
	require.Equal(t, 15, computed.FewestAttempts, "D05")
	require.Equal(t, 16, computed.MostAttempts, "D05")
	require.Len(t, computed.Attempts, 16)
	require.Equal(t, "71h42m30s", *computed.Attempts[15].WithoutJitter, "D05")
	require.Nil(t, computed.Attempts[15].MostJitter, "with the most jitter there is no sixteenth")
}

func TestPolicyShow_PrintsTheSourceAsItIs(t *testing.T) {
	t.Parallel()
	source, _ := policy.PresetSource("axxos")
	require.Equal(t, string(source), succeeds(t, "policy", "show", "axxos"))
	written := "name: mine # with a comment\ndeadline: 5s\nschedule: {kind: table, waits: [1s], then: end}\ngive_up: {attempts: 2}\n"
	require.Equal(t, written, succeeds(t, "policy", "show", file(t, "mine.yaml", written)))
}

func TestPolicy_AsksTheServerForOthers(t *testing.T) {
	t.Parallel()
	source, _ := policy.PresetSource("standard")
	mine := strings.Replace(string(source), "name: standard", "name: mine", 1)
	server := answering(t, http.StatusOK, string(encoded(map[string]any{"name": "mine", "yaml": mine})))
	require.Equal(t, mine, succeeds(t, server.with("policy", "show", "mine")...))
	require.Equal(t, succeeds(t, "policy", "schedule", "standard"), succeeds(t, server.with("policy", "schedule", "mine")...))
	for _, r := range server.seen() {
		require.Equal(t, "/v1/policies/mine", r.path)
	}
	require.Contains(t, malote(t, "policy", "show", "mine", "--data-dir", "/nonexistent").fails(t, 2), "fair-queue", "names the presets")
}

func TestPolicyList_WithoutAServerHasThePresets(t *testing.T) {
	t.Parallel()
	lines := splitLines(succeeds(t, "policy", "list", "--json"))
	require.Len(t, lines, len(policy.AllPresetNames()))
	require.Equal(t, "standard", field[string](t, lines[0], "name"))

	server := answering(t, http.StatusOK, `{"data":[{"name":"mine","yaml":"x","preset":false,"created_at":"2026-03-01T12:00:00.000Z"}],"next_cursor":null}`)
	shown := succeeds(t, server.with("policy", "list")...)
	require.Contains(t, shown, "mine")
	require.NotContains(t, shown, "fair-queue", "the server says which there are")
}

func TestPolicyCheck_SaysWhere(t *testing.T) {
	t.Parallel()
	source, _ := policy.PresetSource("standard")
	good := file(t, "good.yaml", string(source))
	require.Contains(t, succeeds(t, "policy", "check", good), "10 attempts")

	bad := file(t, "bad.yaml", strings.Replace(string(source), "deadline: 15s", "deadline: soon", 1))
	got := malote(t, "policy", "check", bad, good)
	require.Equal(t, 1, got.code)
	require.Regexp(t, `^\Q`+bad+`\E:6:11: deadline: [^\n]+\n$`, got.stderr)
	require.Contains(t, got.stdout, good, "the others are checked all the same")

	got = maloteReading(t, "name: [", "policy", "check", "-")
	require.Equal(t, 1, got.code)
	require.Regexp(t, `^standard input:1:\d+: `, got.stderr)
	require.Len(t, splitLines(got.stderr), 1)
}

func TestPolicyCreate_RefusesBeforeItAsks(t *testing.T) {
	t.Parallel()
	server := answering(t, http.StatusCreated, `{"name":"mine"}`)
	bad := file(t, "bad.yaml", "name: mine\n")
	require.Contains(t, malote(t, server.with("policy", "create", bad)...).fails(t, 1), bad+":1:")
	require.Empty(t, server.seen())
	source, _ := policy.PresetSource("standard")
	mine := strings.Replace(string(source), "name: standard", "name: mine", 1)
	require.Contains(t, succeeds(t, server.with("policy", "create", file(t, "mine.yaml", mine))...), "mine")
	require.Equal(t, mine, field[string](t, server.seen()[0].body, "yaml"), "comments and all")
}
