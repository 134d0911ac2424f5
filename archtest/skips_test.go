package archtest

import (
	"go/ast"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Skipping on purpose, in packages whose tests need PostgreSQL.
var skips = []exception{}

// Whoever imports one of these in a test needs PostgreSQL.
var needPostgres = []string{"internal/store/pgtest", "internal/localpg", "github.com/jackc/pgx/v5"}

// checkSkips finds tests that could pass without having run for want of a
// database: where one is needed, its absence is a failure. Elsewhere a skip is
// allowed, with its reason. rapid's Skip, which draws again, is none.
func checkSkips(modulePath string, files []*file) []finding {
	database := make(map[string]bool)
	for _, f := range files {
		if isDatabaseTest(modulePath, f) {
			database[f.dir()] = true
		}
	}
	var findings []finding
	for _, f := range files {
		for _, call := range skipCalls(f) {
			name := call.Fun.(*ast.SelectorExpr).Sel.Name
			switch {
			case database[f.dir()]:
				findings = append(findings, found(f, call.Pos(), name,
					"tests of this package need PostgreSQL, and a skip would hide that it is missing: fail instead"))
			case len(call.Args) == 0:
				findings = append(findings, found(f, call.Pos(), name, "say why"))
			}
		}
	}
	return findings
}

func isDatabaseTest(modulePath string, f *file) bool {
	isHelper := slices.Contains(needPostgres, f.dir())
	return isHelper || f.test && slices.ContainsFunc(f.syntax.Imports, func(spec *ast.ImportSpec) bool {
		target := strings.TrimPrefix(importPath(spec), modulePath+"/")
		return slices.ContainsFunc(needPostgres, func(root string) bool { return isBelow(target, root) })
	})
}

// skipCalls are the calls of a testing.T's (B's, F's, TB's) Skip methods.
func skipCalls(f *file) []*ast.CallExpr {
	var calls []*ast.CallExpr
	testers := make(map[string]bool) // by name, as the innermost function declares it
	var visit func(node ast.Node) bool
	visit = func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.FuncDecl:
			return enter(f, node.Type, node.Body, testers, visit)
		case *ast.FuncLit:
			return enter(f, node.Type, node.Body, testers, visit)
		case *ast.CallExpr:
			if selector, ok := node.Fun.(*ast.SelectorExpr); ok && slices.Contains([]string{"Skip", "Skipf", "SkipNow"}, selector.Sel.Name) {
				if head, ok := selector.X.(*ast.Ident); ok && testers[head.Name] {
					calls = append(calls, node)
				}
			}
		}
		return true
	}
	ast.Inspect(f.syntax, visit)
	return calls
}

// enter walks a function with its own parameters in scope; the caller's walk
// ends there.
func enter(f *file, signature *ast.FuncType, body *ast.BlockStmt, testers map[string]bool, visit func(ast.Node) bool) bool {
	if body == nil {
		return false
	}
	before := make(map[string]bool)
	for _, field := range signature.Params.List {
		for _, name := range field.Names {
			before[name.Name] = testers[name.Name]
			testers[name.Name] = isTester(f, field.Type)
		}
	}
	ast.Inspect(body, visit)
	for name, was := range before {
		testers[name] = was
	}
	return false
}

func isTester(f *file, parameter ast.Expr) bool {
	if star, ok := parameter.(*ast.StarExpr); ok {
		parameter = star.X
	}
	selector, ok := parameter.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	head, ok := selector.X.(*ast.Ident)
	return ok && f.imported(head) == "testing"
}

func TestSkips(t *testing.T) {
	t.Parallel()
	m := theModule(t)
	report(t, except(checkSkips(m.path, m.files), skips))
}

func TestCheckSkips(t *testing.T) {
	t.Parallel()
	check := func(imports, body string) []string {
		source := "package a\nimport (\"testing\"; \"pgregory.net/rapid\"; _ \"" + imports + "\")\nfunc TestA(t *testing.T) {\n" + body + "\n}"
		return whats(checkSkips("example.org/m", []*file{sample(t, "a/a_test.go", source)}))
	}
	for _, database := range []string{"example.org/m/internal/store/pgtest", "github.com/jackc/pgx/v5/pgxpool"} {
		require.Equal(t, []string{"Skip"}, check(database, `t.Skip("no PostgreSQL")`))
		require.Equal(t, []string{"Skipf"}, check(database, `t.Run("", func(t *testing.T) { t.Skipf("no %s", "PostgreSQL") })`))
		require.Equal(t, []string{"SkipNow"}, check(database, `func() { t.SkipNow() }()`))
		require.Empty(t, check(database, `rapid.Check(t, func(t *rapid.T) { t.Skip("draw again") })`))
		require.Equal(t, []string{"Skip"}, check(database, `rapid.Check(t, func(t *rapid.T) {}); t.Skip("x")`))
	}
	require.Empty(t, check("strings", `t.Skip("not on this system")`))
	require.Equal(t, []string{"Skip"}, check("strings", `t.Skip()`))

	helper := sample(t, "internal/store/pgtest/a.go", "package pgtest\nimport \"testing\"\nfunc Open(t testing.TB) { t.Skip(\"none\") }")
	require.Equal(t, []string{"Skip"}, whats(checkSkips("example.org/m", []*file{helper})))
}
