package main

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/contractpage"
	"github.com/malotehq/malote/internal/policy"
)

func rendered(t testing.TB, name string, options contractpage.Options) string {
	t.Helper()
	p, ok := policy.Preset(name)
	require.True(t, ok)
	page, err := contractpage.Render(p, options)
	require.NoError(t, err)
	return string(page)
}

func TestPolicyContract_PresetsNeedNoServer(t *testing.T) {
	t.Parallel()
	require.Equal(t, rendered(t, "fair-queue", contractpage.Options{}), succeeds(t, "policy", "contract", "fair-queue"))
	saved := filepath.Join(t.TempDir(), "page.html")
	require.Empty(t, succeeds(t, "policy", "contract", "dracma", "--format", "html", "--lang", "fa", "--retention", "240h", "-o", saved))
	page, err := os.ReadFile(saved)
	require.NoError(t, err)
	require.Equal(t, rendered(t, "dracma", contractpage.Options{
		Format: contractpage.HTML, Language: contractpage.Persian, Retention: 240 * time.Hour,
	}), string(page))
}

func TestPolicyContract_OfAFile(t *testing.T) {
	t.Parallel()
	source, _ := policy.PresetSource("standard")
	mine := file(t, "mine.yaml", strings.Replace(string(source), "name: standard", "name: mine", 1))
	require.Contains(t, succeeds(t, "policy", "contract", mine), "mine")
	bad := file(t, "bad.yaml", "name: mine\n")
	require.Contains(t, malote(t, "policy", "contract", bad).fails(t, 1), bad+":1:")
}

// How long events are kept stands on the page, and a server knows it better.
func TestPolicyContract_AServerThatIsNamedWritesIt(t *testing.T) {
	t.Parallel()
	const page = "# A page\n"
	server := newFake(t, func(_ int, w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, page) })
	for _, name := range []string{"mine", "standard"} {
		require.Equal(t, page, succeeds(t, server.with("policy", "contract", name, "--lang", "pt")...))
		requests := server.seen()
		last := requests[len(requests)-1]
		require.Equal(t, "/v1/policies/"+name+"/contract", last.path)
		require.Equal(t, "format=markdown&lang=pt", last.query)
	}
	source, _ := policy.PresetSource("standard")
	succeeds(t, server.with("policy", "contract", file(t, "mine.yaml", string(source)))...)
	require.Len(t, server.seen(), 2, "a file is not its business")
}
