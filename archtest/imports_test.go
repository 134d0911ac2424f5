package archtest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// checkImports compares every import with the table.
func checkImports(modulePath string, files []*file) []finding {
	var findings []finding
	unknown := make(map[string]bool)
	for _, f := range files {
		here, ok := layerOf(f.dir())
		if !ok {
			if !unknown[f.dir()] {
				findings = append(findings, finding{file: f.dir(), what: "a package that the import table does not know",
					rule: "say in `layers` of archtest/layers_test.go what it may import"})
			}
			unknown[f.dir()] = true
			continue
		}
		for _, spec := range f.syntax.Imports {
			target := importPath(spec)
			if complaint := here.complaint(f, modulePath, target); complaint != "" {
				findings = append(findings, found(f, spec.Pos(), "imports "+target, complaint))
			}
		}
	}
	return findings
}

func layerOf(dir string) (layer, bool) {
	i := slices.IndexFunc(layers, func(l layer) bool { return slices.Contains(l.packages, dir) })
	if i < 0 {
		return layer{}, false
	}
	return layers[i], true
}

// complaint is what is wrong with a file's import, "" if nothing is.
func (l layer) complaint(f *file, modulePath, target string) string {
	switch below, ours := strings.CutPrefix(target, modulePath+"/"); {
	case ours:
		return l.complaintOfOurs(f, below)
	case strings.Contains(strings.Split(target, "/")[0], "."):
		return complaintOfLibrary(f, target)
	case !f.test && slices.Contains(pure, f.dir()) && reachesOut(f.dir(), target):
		return "a pure package reaches nothing outside of the process: let the caller pass what it needs"
	}
	return ""
}

func (l layer) complaintOfOurs(f *file, target string) string {
	who, isApart := apart[target]
	_, known := layerOf(target)
	switch {
	case target == f.dir(): // an external test of its own package
		return ""
	case !f.test && slices.Contains(testOnly, target):
		return "only tests may import it"
	case isApart && !slices.Contains(who, f.dir()):
		return fmt.Sprintf("only %q may import it", who)
	case known && slices.Contains(l.uses, everything), slices.Contains(l.uses, target), f.test && slices.Contains(l.tests, target):
		return ""
	}
	return fmt.Sprintf("%s may import of ours only %q (`layers` in archtest/layers_test.go): declare the small interface that you need instead",
		f.dir(), l.uses)
}

func complaintOfLibrary(f *file, target string) string {
	i := slices.IndexFunc(libraries, func(l library) bool { return isBelow(target, l.module) })
	if i < 0 {
		return "a library that the table does not know: say in `libraries` of archtest/layers_test.go who may import it, and why we have it in docs/dependencies.md"
	}
	who := libraries[i].packages
	forAll := slices.Contains(who, everything) && !isBelow(f.dir(), "webhook") && !slices.Contains(pure, f.dir())
	switch {
	case f.test, forAll, slices.Contains(who, f.dir()):
		return ""
	case len(who) == 0:
		return "only tests may import this library"
	}
	return fmt.Sprintf("only %q may import this library (`libraries` in archtest/layers_test.go)", who)
}

func reachesOut(dir, target string) bool {
	return slices.ContainsFunc(outside, func(root string) bool { return isBelow(target, root) }) &&
		!slices.Contains(computing, target) &&
		!slices.ContainsFunc(openedTo, func(e exception) bool { return e.file == dir && e.what == target })
}

// isBelow says whether an import path is root's or one below it.
func isBelow(target, root string) bool {
	return target == root || strings.HasPrefix(target, strings.TrimSuffix(root, "/")+"/")
}

func TestImports(t *testing.T) {
	t.Parallel()
	m := theModule(t)
	report(t, checkImports(m.path, m.files))
}

func TestImports_EveryPackageHasOneLayer(t *testing.T) {
	t.Parallel()
	seen := make(map[string]bool)
	for _, l := range layers {
		for _, name := range l.packages {
			require.False(t, seen[name], "%s is in two layers", name)
			seen[name] = true
		}
	}
	for _, l := range layers {
		for _, name := range slices.Concat(l.uses, l.tests, pure, testOnly) {
			require.True(t, name == everything || seen[name], "%s is in no layer", name)
		}
	}
}

// TestCheckImports builds modules of one file, with one import.
func TestCheckImports(t *testing.T) {
	t.Parallel()
	const ours = "example.org/m/"
	for _, test := range []struct {
		file, imports string
		complaint     string // part of it; "": allowed
	}{
		{"internal/api/a.go", ours + "internal/publish", ""},
		{"internal/api/a.go", ours + "internal/policy", ""},
		{"internal/api/a.go", ours + "internal/store", "may import of ours only"},
		{"internal/api/a.go", ours + "internal/dashboard", "may import of ours only"},
		{"internal/api/a_test.go", ours + "internal/store/registry", ""},
		{"internal/dispatch/a.go", ours + "internal/sender", "declare the small interface"},
		{"internal/dispatch/a_test.go", ours + "internal/store/pgtest", ""},
		{"internal/dispatch/a_test.go", ours + "internal/app", `only ["internal/contractrun" "internal/walk" "internal/demo" "cmd/malote"]`},
		{"internal/policy/a.go", ours + "internal/circuit", ""},
		{"internal/circuit/a.go", ours + "internal/policy", "may import of ours only"},
		{"internal/circuit/a_test.go", ours + "internal/store/pgtest", "may import of ours only"},
		{"internal/store/history/a.go", ours + "internal/store/registry", "may import of ours only"},
		{"internal/store/history/a_test.go", ours + "internal/store/registry", ""},
		{"internal/store/a.go", ours + "internal/store/pgtest", "only tests"},
		{"internal/store/a_test.go", ours + "internal/store", ""},
		{"internal/app/a.go", ours + "internal/store", ""},
		{"internal/app/a.go", ours + "internal/demo", `only ["cmd/malote"]`},
		{"internal/app/a.go", ours + "internal/store/pgtest", "only tests"},
		{"internal/app/a.go", ours + "internal/nonsuch", "may import of ours only"},
		{"cmd/malote/a.go", ours + "internal/demo", ""},
		{"webhook/a.go", ours + "internal/delivery", "may import of ours only"},
		{"internal/nonsuch/a.go", "strings", "`layers`"},

		{"internal/store/registry/a.go", "github.com/jackc/pgx/v5/pgxpool", ""},
		{"internal/publish/a.go", "github.com/jackc/pgx/v5/pgxpool", "may import this library"},
		{"internal/publish/a_test.go", "github.com/jackc/pgx/v5", ""},
		{"internal/publish/a.go", "github.com/stretchr/testify/require", "only tests"},
		{"internal/sender/a.go", "golang.org/x/net/http2", ""},
		{"internal/sender/a.go", "golang.org/x/net/idna", "may import this library"},
		{"internal/policy/a.go", "golang.org/x/sync/errgroup", "may import this library"},
		{"webhook/a.go", "golang.org/x/sync/errgroup", "may import this library"},
		{"webhook/pgseen/a.go", "golang.org/x/sync/errgroup", "may import this library"},
		{"webhook/pgseen/a.go", "github.com/jackc/pgx/v5", "may import this library"},
		{"webhook/pgseen/a_test.go", "github.com/jackc/pgx/v5", ""},
		{"internal/api/a.go", "example.org/nonsuch", "`libraries`"},
		{"internal/api/a_test.go", "example.org/nonsuch", "`libraries`"},
		{"internal/api/a.go", "github.com/stretchr/testifyish", "`libraries`"},

		{"internal/policy/a.go", "net/http", "pure"},
		{"internal/policy/a.go", "os/exec", "pure"},
		{"internal/policy/a.go", "database/sql", "pure"},
		{"internal/policy/a.go", "net/url", ""},
		{"internal/policy/a_test.go", "os", ""},
		{"internal/egress/a.go", "net", ""},
		{"internal/egress/a.go", "net/http", "pure"},
		{"internal/publish/a.go", "net/http", ""},
	} {
		findings := checkImports("example.org/m", []*file{sample(t, test.file, "package a\nimport _ "+`"`+test.imports+`"`)})
		if test.complaint == "" {
			require.Empty(t, findings, "%s imports %s", test.file, test.imports)
			continue
		}
		require.Len(t, findings, 1, "%s imports %s", test.file, test.imports)
		require.Contains(t, findings[0].String(), test.complaint)
	}
}
