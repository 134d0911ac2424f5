package pgseen_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The guide's Go is that of examples, so that it compiles.
func TestGuide_ItsGoIsOfExamples(t *testing.T) {
	t.Parallel()
	examples := unindented(t, "example_test.go") + unindented(t, "../example_test.go")
	blocks := strings.Split(unindented(t, "../../docs/receiving.md"), "```go\n")[1:]
	require.Len(t, blocks, 2)
	for _, block := range blocks {
		code, _, closed := strings.Cut(block, "```\n")
		require.True(t, closed)
		require.Contains(t, examples, code)
	}
}

// unindented reads a file without the blanks at both ends of its lines.
func unindented(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	lines := strings.Split(string(text), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSpace(line)
	}
	return strings.Join(lines, "\n")
}
