package archtest

import (
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Names that say nothing about what is inside, and so keep nothing out.
var emptyNames = []string{
	"base", "common", "consts", "core", "generic", "helper", "helpers", "lib", "misc", "model", "models",
	"shared", "stuff", "tool", "tools", "type", "types", "util", "utils",
}

func checkNames(files []*file) []finding {
	var findings []finding
	seen := make(map[string]bool)
	for _, f := range files {
		names := []string{path.Base(f.dir()), strings.TrimSuffix(f.syntax.Name.Name, "_test")}
		if !seen[f.dir()] && slices.ContainsFunc(names, func(name string) bool { return slices.Contains(emptyNames, name) }) {
			findings = append(findings, finding{file: f.dir(), what: "an empty name", rule: "name the package after what it is about"})
		}
		seen[f.dir()] = true
	}
	return findings
}

func TestNames(t *testing.T) {
	t.Parallel()
	report(t, checkNames(theModule(t).files))
}

func TestCheckNames(t *testing.T) {
	t.Parallel()
	require.Len(t, checkNames([]*file{
		sample(t, "internal/util/a.go", "package text"),
		sample(t, "internal/util/b.go", "package text"),
		sample(t, "internal/text/a.go", "package helpers"),
		sample(t, "internal/types/a_test.go", "package types_test"),
		sample(t, "internal/delivery/a.go", "package delivery"),
		sample(t, "internal/utility/a.go", "package utility"),
	}), 3)
}
