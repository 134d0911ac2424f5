package contractpage

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/policy"
)

var update = flag.Bool("update", false, "write the pages under testdata anew")

// One page as it is, up to the programs, so that a change of words or of form
// is looked at by somebody.
func TestRender_Golden(t *testing.T) {
	t.Parallel()
	p, _ := policy.Preset("dracma")
	page := rendered(t, p, Options{Language: Portuguese})
	page, _, found := strings.Cut(page, "\n### "+readPage(t, Portuguese, page).heading("sample.go-package"))
	require.True(t, found)
	golden := filepath.Join("testdata", "dracma.pt.md")
	if *update {
		require.NoError(t, os.WriteFile(golden, []byte(page), 0o600))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), page, "if this is meant: go test ./internal/contractpage -run Golden -update")
}
