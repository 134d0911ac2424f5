package walk

import (
	"encoding/json"
	"fmt"
	"strings"

	_ "embed"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// axe-core, whole and unchanged: the rules of WCAG that a program can check.
//
//go:embed testdata/axe.min.js
var axeSource string

// axeRun gives what axe finds in a part of the page, a line each. Only what is
// serious or worse counts; what axe cannot decide is not counted.
const axeRun = `axe.run(%s, {resultTypes: ["violations"], %s}).then(r => JSON.stringify(r.violations
	.filter(v => v.impact === "serious" || v.impact === "critical")
	.flatMap(v => v.nodes.map(n => v.impact + " " + v.id + ": " + v.help + ": " + n.target.join(" ") + ": " + n.html.slice(0, 200) + ": " + n.any.concat(n.all).map(c => c.message).join("; ")))))`

// What of axe's rules is asked for: all, those that colours alone decide, or the
// others. A colour is the same at every width.
const (
	allRules    = `runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]`
	shapeRules  = allRules + `, rules: {"color-contrast": {enabled: false}}`
	colourRules = `runOnly: {type: "rule", values: ["color-contrast", "link-in-text-block"]}`
)

// world is where axe runs: it sees the page, and the page's scripts and content
// security policy do not see it.
type world struct {
	b  *tab
	id runtime.ExecutionContextID
}

// inspect brings axe to the page that is shown.
func (b *tab) inspect() world {
	b.t.Helper()
	tree, err := chromedp.Call(b.ctx, page.GetFrameTree, cdp.Empty{})
	require.NoError(b.t, err)
	made, err := chromedp.Call(b.ctx, page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{FrameID: tree.FrameTree.Frame.ID, WorldName: "axe"})
	require.NoError(b.t, err)
	w := world{b, made.ExecutionContextID}
	w.eval(axeSource + ";''")
	return w
}

func (w world) eval(expression string) string {
	w.b.t.Helper()
	await, byValue := true, true
	answer, err := chromedp.Call(w.b.ctx, runtime.Evaluate, runtime.EvaluateParams{
		Expression: expression, ContextID: w.id, AwaitPromise: &await, ReturnByValue: &byValue,
	})
	require.NoError(w.b.t, err)
	if answer.ExceptionDetails != nil {
		require.Fail(w.b.t, "axe failed", "at %s: %s %v", w.b.where(), answer.ExceptionDetails.Text, answer.ExceptionDetails.Exception)
	}
	var text string
	require.NoError(w.b.t, json.Unmarshal(answer.Result.Value, &text))
	return text
}

// violations are those of a part of the page: a selector, or "" for all of it.
func (w world) violations(selector, rules string) []string {
	w.b.t.Helper()
	part := "document"
	if selector != "" {
		part = fmt.Sprintf("document.querySelector(%q)", selector)
	}
	var list []string
	require.NoError(w.b.t, json.Unmarshal([]byte(w.eval(fmt.Sprintf(axeRun, part, rules))), &list))
	return list
}

// requireAccessible holds what is shown to the rules.
func (w world) requireAccessible(how, selector, rules string) {
	w.b.t.Helper()
	if found := w.violations(selector, rules); len(found) > 0 {
		require.Fail(w.b.t, "not accessible to everybody", "%s, %s %s:\n%s", w.b.path(), how, selector, strings.Join(found, "\n"))
	}
}
