package main

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// answersRecords gives a file's records to a command that reads JSON Lines, as one
// array and a line each, and checks each record's answer. The count keeps a file
// that was cut from passing.
func answersRecords(t *testing.T, file string, count int, check func(*testing.T, json.RawMessage, string), command ...string) {
	t.Helper()
	array, err := os.ReadFile(file)
	require.NoError(t, err)
	var records []json.RawMessage
	require.NoError(t, json.Unmarshal(array, &records))
	require.Len(t, records, count)
	var lines strings.Builder
	for _, record := range records {
		var line bytes.Buffer
		require.NoError(t, json.Compact(&line, record))
		lines.WriteString(line.String() + "\n")
	}
	for form, input := range map[string]string{"one array": string(array), "a line each": lines.String()} {
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			got := maloteReading(t, input, command...)
			require.Zero(t, got.code, got.stderr)
			answers := splitLines(got.stdout)
			require.Len(t, answers, len(records))
			for i, record := range records {
				check(t, record, answers[i])
			}
		})
	}
}
