package archtest

import (
	"go/ast"
	"go/token"
	"testing"

	"github.com/stretchr/testify/require"
)

// Sleeping is waiting for nothing in particular: too long on a fast machine, too
// short on a slow one. In a bubble of testing/synctest the time is not real.
var sleeps = []exception{}

const sleepRule = "wait for what must happen: a channel, a condition polled with a deadline, or a bubble of testing/synctest"

// checkSleeps finds time.Sleep and, which is the same, a receive from time.After
// that no other case can cut short.
func checkSleeps(files []*file) []finding {
	var findings []finding
	for _, f := range files {
		cutShort := make(map[ast.Node]bool)
		ast.Inspect(f.syntax, func(node ast.Node) bool {
			switch node := node.(type) {
			case *ast.SelectStmt:
				markReceives(node, cutShort)
			case *ast.CallExpr:
				return !f.calls(node, "testing/synctest", "Test")
			case *ast.UnaryExpr:
				if f.isReceiveFromAfter(node) && !cutShort[node] {
					findings = append(findings, found(f, node.Pos(), "<-time.After", sleepRule))
				}
			case *ast.SelectorExpr:
				if f.selects(node, "time", "Sleep") {
					findings = append(findings, found(f, node.Pos(), "time.Sleep", sleepRule))
				}
			}
			return true
		})
	}
	return findings
}

// markReceives notes what a select with more than one case receives.
func markReceives(statement *ast.SelectStmt, marks map[ast.Node]bool) {
	if len(statement.Body.List) < 2 {
		return
	}
	for _, clause := range statement.Body.List {
		switch comm := clause.(*ast.CommClause).Comm.(type) {
		case *ast.ExprStmt:
			marks[comm.X] = true
		case *ast.AssignStmt:
			marks[comm.Rhs[0]] = true
		}
	}
}

func (f *file) isReceiveFromAfter(expr *ast.UnaryExpr) bool {
	call, ok := expr.X.(*ast.CallExpr)
	return ok && expr.Op == token.ARROW && f.calls(call, "time", "After")
}

func (f *file) calls(call *ast.CallExpr, target, name string) bool {
	selector, ok := call.Fun.(*ast.SelectorExpr)
	return ok && f.selects(selector, target, name)
}

func (f *file) selects(selector *ast.SelectorExpr, target, name string) bool {
	head, ok := selector.X.(*ast.Ident)
	return ok && selector.Sel.Name == name && f.imported(head) == target
}

func TestSleeps(t *testing.T) {
	t.Parallel()
	report(t, except(checkSleeps(theModule(t).files), sleeps))
}

func TestCheckSleeps(t *testing.T) {
	t.Parallel()
	for body, want := range map[string][]string{
		`time.Sleep(1)`:                                        {"time.Sleep"},
		`nap := time.Sleep; nap(1)`:                            {"time.Sleep"},
		`<-time.After(1)`:                                      {"<-time.After"},
		`select { case <-time.After(1): }`:                     {"<-time.After"},
		`select { case <-c: case <-time.After(1): }`:           nil,
		`select { case <-c: time.Sleep(1); default: }`:         {"time.Sleep"},
		`late := time.After(1); for { f(late) }`:               nil,
		`synctest.Test(t, func(*testing.T) { time.Sleep(1) })`: nil,
		`ticker := time.NewTicker(1); <-ticker.C`:              nil,
		`clock.Sleep(1)`:                                       nil,
	} {
		source := "package a\nimport (\"testing\"; \"testing/synctest\"; \"time\")\nfunc f() { " + body + " }"
		require.Equal(t, want, whats(checkSleeps([]*file{sample(t, "a/a_test.go", source)})), body)
		require.Equal(t, want, whats(checkSleeps([]*file{sample(t, "a/a.go", source)})), body)
	}
}
