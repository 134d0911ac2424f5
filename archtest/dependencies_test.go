package archtest

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const dependencyList = "docs/dependencies.md"

// A row of the list: the module between backticks, then what it is for, why
// this one, and instead of what.
var dependencyRow = regexp.MustCompile("(?m)^\\| `([^`]+)` \\|(.*)\\|\\s*$")

// checkDependencies compares the list with what go.mod asks for, both ways.
func checkDependencies(requires []string, list string) []finding {
	var findings []finding
	var listed []string
	for _, row := range dependencyRow.FindAllStringSubmatch(list, -1) {
		module, cells := row[1], strings.Split(row[2], "|")
		listed = append(listed, module)
		if len(cells) != 3 || slices.ContainsFunc(cells, func(cell string) bool { return strings.TrimSpace(cell) == "" }) {
			findings = append(findings, finding{file: dependencyList, what: module, rule: "say what it is for, why this one, and instead of what"})
		}
		if !slices.Contains(requires, module) {
			findings = append(findings, finding{file: dependencyList, what: module, rule: "go.mod does not ask for it: remove the row"})
		}
	}
	for _, module := range requires {
		if !slices.Contains(listed, module) {
			findings = append(findings, finding{file: dependencyList, what: module, rule: "go.mod asks for it: add a row that says what for"})
		}
	}
	return findings
}

func TestDependencies(t *testing.T) {
	t.Parallel()
	list, err := os.ReadFile(filepath.Join(moduleRoot, dependencyList))
	require.NoError(t, err)
	report(t, checkDependencies(theModule(t).requires, string(list)))
}

func TestCheckDependencies(t *testing.T) {
	t.Parallel()
	const list = "| module | for | why | instead of |\n|---|---|---|---|\n" +
		"| `example.org/good` | good | better | bad |\n" +
		"| `example.org/mute` | | | |\n" +
		"| `example.org/gone` | good | better | bad |\n"
	findings := checkDependencies([]string{"example.org/good", "example.org/mute", "example.org/new"}, list)
	require.Equal(t, []string{"example.org/mute", "example.org/gone", "example.org/new"}, whats(findings))
}
