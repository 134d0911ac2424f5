package torture_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

var promiseOfBug = regexp.MustCompile(`(?m)^Promise: (.+)$`)

// A deliberate bug that cannot be put in any more proves nothing: it must follow the
// code that it spoils.
func TestBugs_CanBePutIn(t *testing.T) {
	t.Parallel()
	promises, err := os.ReadFile("check.go")
	require.NoError(t, err)
	patches, err := filepath.Glob("bugs/*.patch")
	require.NoError(t, err)
	require.NotEmpty(t, patches)
	for _, patch := range patches {
		text, err := os.ReadFile(patch)
		require.NoError(t, err)
		promise := promiseOfBug.FindStringSubmatch(string(text))
		require.Len(t, promise, 2, "%s does not say which promise it breaks", patch)
		require.Contains(t, string(promises), promise[1], "%s breaks what nobody promised", patch)

		check := exec.CommandContext(t.Context(), "git", "apply", "--check", filepath.Join("internal", "torture", patch))
		check.Dir = filepath.Join("..", "..")
		said, err := check.CombinedOutput()
		require.NoError(t, err, "%s: %s", patch, said)
	}
}
