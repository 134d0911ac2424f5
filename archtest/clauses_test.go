package archtest

import (
	"fmt"
	"go/ast"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const contractList = "docs/contracts.md"

// contracts says how many clauses each has. The letter of a number names its
// contract, so that TestSend_D01_… tests one of Dracma's as TestDracma_D01_…
// does; a test that begins with a contract's name is about that contract.
var contracts = map[byte]struct {
	name    string // as tests begin
	clauses int
}{
	'F': {"FairQueue", 18}, 'A': {"Axxos", 10}, 'G': {"Gateway", 12},
	'R': {"Routa", 9}, 'D': {"Dracma", 15}, 'S': {"Standard", 9},
}

// missing are clauses that are kept, or should be, and have no test yet. An
// entry whose clause is found to have one is a finding.
var missing = []exception{}

// notYet marks clauses that nothing keeps so far.
const notYet = "not yet"

var states = []string{"kept", "in part", notYet}

// clause is a row of the list.
type clause struct {
	number, where, state string
}

// A row: the number, what holds, where, and the state.
var clauseRow = regexp.MustCompile(`(?m)^\| ([A-Z]\d+) \|([^|\n]*)\|([^|\n]*)\|([^|\n]*)\|$`)

func parseClauses(list string) []clause {
	var clauses []clause
	for _, row := range clauseRow.FindAllStringSubmatch(list, -1) {
		holds := strings.TrimSpace(row[2])
		c := clause{number: row[1], where: strings.TrimSpace(row[3]), state: strings.TrimSpace(row[4])}
		if holds == "" || c.where == "" {
			c.state = "empty" // which is no state
		}
		clauses = append(clauses, c)
	}
	return clauses
}

// checkList finds rows that are missing, twice or unfinished, and packages that
// no layer knows.
func checkList(list []clause) []finding {
	var findings []finding
	complain := func(number, rule string) {
		findings = append(findings, finding{file: contractList, what: number, rule: rule})
	}
	counted := make(map[string]int)
	for _, c := range list {
		counted[c.number]++
		if !slices.Contains(states, c.state) {
			complain(c.number, "say what holds and where, and that it is one of: "+strings.Join(states, ", "))
		}
		for _, directory := range regexp.MustCompile("`((?:internal|cmd)/[^`]+)`").FindAllStringSubmatch(c.where, -1) {
			if !slices.ContainsFunc(layers, func(l layer) bool { return slices.Contains(l.packages, directory[1]) }) {
				complain(c.number, "there is no package "+directory[1])
			}
		}
	}
	for _, number := range slices.Sorted(maps.Keys(allClauses())) {
		if counted[number] != 1 {
			complain(number, "has one row")
		}
		delete(counted, number)
	}
	for _, number := range slices.Sorted(maps.Keys(counted)) {
		complain(number, "no contract has such a clause")
	}
	return findings
}

func allClauses() map[string]bool {
	all := make(map[string]bool)
	for letter, contract := range contracts {
		for i := range contract.clauses {
			all[fmt.Sprintf("%c%02d", letter, i+1)] = true
		}
	}
	return all
}

// A clause's number is a part of its own of a test's name. The letters are those
// of the contracts: I1 to I10 are rules of our own design.
var clauseNumber = regexp.MustCompile(`^[FAGRDS]\d{1,2}$`)

func clausesOf(name string) []string {
	return slices.DeleteFunc(strings.Split(name, "_"), func(part string) bool { return !clauseNumber.MatchString(part) })
}

// testOf is one test function.
type testOf struct {
	file *file
	at   ast.Node
	name string
}

func testsOf(files []*file) []testOf {
	var tests []testOf
	for _, f := range files {
		if !f.test {
			continue
		}
		for _, declaration := range f.syntax.Decls {
			function, ok := declaration.(*ast.FuncDecl)
			if ok && function.Recv == nil && strings.HasPrefix(function.Name.Name, "Test") {
				tests = append(tests, testOf{f, function.Name, function.Name.Name})
			}
		}
	}
	return tests
}

// checkClauses holds the list and the tests' names together.
func checkClauses(list []clause, files []*file) []finding {
	var findings []finding
	tested := make(map[string]bool)
	known := allClauses()
	for _, test := range testsOf(files) {
		numbers := clausesOf(test.name)
		for _, number := range numbers {
			tested[number] = true
			if !known[number] {
				findings = append(findings, found(test.file, test.at.Pos(), number, "no contract has such a clause: name the test after one that is in "+contractList))
			}
		}
		if contract := contractOf(test.name); contract != 0 && len(numbers) > 0 &&
			!slices.ContainsFunc(numbers, func(number string) bool { return number[0] == contract }) {
			findings = append(findings, found(test.file, test.at.Pos(), test.name, "the number is another contract's than the name"))
		}
	}
	for _, c := range list {
		switch {
		case c.state == notYet && tested[c.number]:
			findings = append(findings, finding{file: contractList, what: c.number, rule: "it has a test: it is not marked as " + notYet})
		case c.state != notYet && !tested[c.number]:
			findings = append(findings, finding{file: contractList, what: c.number, rule: "no test has this number in its name"})
		}
	}
	return findings
}

// contractOf is the letter of the contract that a test's name begins with, or 0.
func contractOf(name string) byte {
	for letter, contract := range contracts {
		if strings.HasPrefix(name, "Test"+contract.name+"_") {
			return letter
		}
	}
	return 0
}

func theClauses(t *testing.T) []clause {
	t.Helper()
	list, err := os.ReadFile(filepath.Join(moduleRoot, contractList))
	require.NoError(t, err)
	return parseClauses(string(list))
}

func TestClauses(t *testing.T) {
	t.Parallel()
	report(t, checkList(theClauses(t)))
	report(t, except(checkClauses(theClauses(t), theModule(t).files), missing))
}

// checkOnPostgreSQL finds clauses of gateway's that a storage package keeps and
// that no test looks at in a package whose tests need PostgreSQL. checkSkips sees
// to it that none of those is skipped.
func checkOnPostgreSQL(list []clause, modulePath string, files []*file) []finding {
	onDatabase := make(map[string]bool)
	for _, f := range files {
		if isDatabaseTest(modulePath, f) {
			onDatabase[f.dir()] = true
		}
	}
	tested := make(map[string]bool)
	for _, test := range testsOf(files) {
		for _, number := range clausesOf(test.name) {
			tested[number] = tested[number] || onDatabase[test.file.dir()]
		}
	}
	var findings []finding
	for _, c := range list {
		if c.number[0] == 'G' && c.state == "kept" && strings.Contains(c.where, "`internal/store`") && !tested[c.number] {
			findings = append(findings, finding{file: contractList, what: c.number, rule: "a storage package keeps it: test it on PostgreSQL"})
		}
	}
	return findings
}

func TestGateway_G09_WhatTheDatabaseKeepsIsTestedOnPostgreSQL(t *testing.T) {
	t.Parallel()
	m := theModule(t)
	report(t, checkOnPostgreSQL(theClauses(t), m.path, m.files))
}

func TestCheckOnPostgreSQL(t *testing.T) {
	t.Parallel()
	list := []clause{
		{"G02", "`internal/store`, `internal/publish`", "kept"}, {"G07", "`internal/store`", "kept"},
		{"G08", "`internal/egress`", "kept"}, {"G11", "`internal/store`", "in part"}, {"F12", "`internal/store`", "kept"},
	}
	require.Equal(t, []string{"G07"}, whats(checkOnPostgreSQL(list, "example.org/m", []*file{
		sample(t, "internal/store/a_test.go", `package store; import "example.org/m/internal/store/pgtest"; func TestGateway_G02_Holds() {}`),
		sample(t, "internal/circuit/a_test.go", `package circuit; func TestGateway_G07_Holds() {}`),
	})))
}

const goodRow = "| F01 | It holds. | `success`; `internal/policy` | kept |\n"

func TestParseClauses(t *testing.T) {
	t.Parallel()
	require.Equal(t, []clause{
		{"F01", "`success`; `internal/policy`", "kept"},
		{"A02", "nowhere", notYet},
		{"A03", "", "empty"},
	}, parseClauses("# A list\n\n| clause | what holds | where | state |\n|---|---|---|---|\n"+goodRow+
		"| A02 | It will hold. | nowhere | not yet |\n| A03 | It holds. | | kept |\n| A04 | It has no state. | nowhere |\n"))
}

func TestCheckList(t *testing.T) {
	t.Parallel()
	var whole []clause
	for number := range allClauses() {
		whole = append(whole, clause{number: number, where: "`internal/policy`", state: "kept"})
	}
	require.Len(t, whole, 73)
	require.Empty(t, checkList(whole))
	for _, c := range []struct {
		change clause
		rule   string
	}{
		{clause{"F19", "here", "kept"}, "no contract has such a clause"},
		{clause{"X01", "here", "kept"}, "no contract has such a clause"},
		{clause{"F01", "here", "kept"}, "has one row"},
	} {
		findings := checkList(append(slices.Clone(whole), c.change))
		require.Len(t, findings, 1)
		require.Contains(t, findings[0].String(), c.rule)
	}
	require.Equal(t, []string{whole[0].number}, whats(checkList(whole[1:])), "a row that is gone is missed")
	for _, c := range []clause{{whole[0].number, "here", "nearly"}, {whole[0].number, "here", "empty"}, {whole[0].number, "`internal/nowhere`", "kept"}} {
		require.Equal(t, []string{c.number}, whats(checkList(append([]clause{c}, whole[1:]...))), c)
	}
}

func TestCheckClauses(t *testing.T) {
	t.Parallel()
	list := []clause{
		{"F01", "here", "kept"}, {"F02", "here", "kept"}, {"D05", "here", "in part"}, {"A01", "later", notYet}, {"A02", "later", notYet},
	}
	source := func(names ...string) []*file {
		text := "package a\n"
		for _, name := range names {
			text += "func " + name + "(t *testing.T) {}\n"
		}
		return []*file{sample(t, "internal/a/a_test.go", text)}
	}
	require.Empty(t, checkClauses(list, source("TestFairQueue_F01_Holds", "TestSend_F02", "TestDracma_D04_D05_I1_Hold")))
	for name, want := range map[string][]string{
		"TestFairQueue_F02_Holds":     {"D05"},
		"TestFairQueue_F02_D05_Hold":  nil,
		"TestFairQueue_F02D05_Hold":   {"F02", "D05"},
		"testFairQueue_F02_D05":       {"F02", "D05"},
		"(x T) TestX_F02_D05":         {"F02", "D05"},
		"TestFairQueue_D05_Holds":     {"TestFairQueue_D05_Holds", "F02"},
		"TestX_F02_D05_A01":           {"A01"},
		"TestX_F02_D05_F19_S10_G1_R0": {"F19", "S10", "G1", "R0"},
		"TestX_F02_D05_I5_X99_S256":   nil,
	} {
		require.Equal(t, want, whats(checkClauses(list, source("TestX_F01", name))), name)
	}
	notATest := source("TestX_F01_F02_D05")
	notATest[0].test = false
	require.Equal(t, []string{"F01", "F02", "D05"}, whats(checkClauses(list, notATest)))
}
