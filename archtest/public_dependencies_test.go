package archtest

import (
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// publicModules says which modules reach a program that imports one of our public
// packages, however far down: besides the standard library and ours, nothing
// else. What a package of ours may be reached by is in layers.
var publicModules = map[string][]string{
	"webhook":        nil,
	"webhook/pgseen": nil, // any driver of database/sql
	"client":         nil,
	// The types of pgx.Tx, and what pgx itself is made of.
	"outbox": {
		"github.com/jackc/pgx/v5", "github.com/jackc/pgpassfile", "github.com/jackc/pgservicefile", "golang.org/x/text",
	},
}

// checkPublicDependencies compares what `go list -deps` found, a package and its
// module a line, with what is allowed. The standard library has no module.
func checkPublicDependencies(name, ours, listed string, allowed []string) []finding {
	var findings []finding
	for line := range strings.Lines(listed) {
		words := strings.Fields(line)
		if len(words) < 2 || words[1] == ours && isPublic(strings.TrimPrefix(words[0], ours+"/")) || slices.Contains(allowed, words[1]) {
			continue
		}
		findings = append(findings, finding{file: name, what: words[0],
			rule: "whoever imports " + name + " gets it, too: do without, or say so in publicModules of archtest/public_dependencies_test.go"})
	}
	return findings
}

func isPublic(dir string) bool {
	_, public := publicModules[dir]
	return public
}

func TestPublicDependencies(t *testing.T) {
	t.Parallel()
	m := theModule(t)
	for _, name := range slices.Sorted(maps.Keys(publicModules)) {
		list := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{.ImportPath}} {{with .Module}}{{.Path}}{{end}}", "./"+name)
		list.Dir = moduleRoot
		listed, err := list.Output()
		require.NoError(t, err, "go list -deps ./%s", name)
		require.Contains(t, string(listed), m.path+"/"+name+" "+m.path, "the list has the package itself")
		report(t, checkPublicDependencies(name, m.path, string(listed), publicModules[name]))
	}
}

func TestCheckPublicDependencies(t *testing.T) {
	t.Parallel()
	const listed = "net/http \nexample.org/m/client example.org/m\nexample.org/m/webhook example.org/m\n" +
		"example.org/m/internal/delivery example.org/m\nexample.org/uuid/v2 example.org/uuid\nexample.org/pgx/pgconn example.org/pgx\n"
	require.Equal(t, []string{"example.org/m/internal/delivery", "example.org/uuid/v2"},
		whats(checkPublicDependencies("client", "example.org/m", listed, []string{"example.org/pgx"})))
}
