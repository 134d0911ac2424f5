package archtest

import (
	"go/ast"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A sentence has at least five words and an end.
var sentence = regexp.MustCompile(`(?s)^(\S+\s+){4,}?\S+[.:](\s|$)`)

// checkDocs asks every package for a comment that says what it is, once.
func checkDocs(files []*file) []finding {
	docs := make(map[string][]string)
	for _, f := range files {
		if f.test {
			continue
		}
		docs[f.dir()] = append(docs[f.dir()], "")
		if f.syntax.Doc != nil {
			opening := "Package " + f.syntax.Name.Name + " "
			if f.syntax.Name.Name == "main" {
				opening = "Command " + path.Base(f.dir()) + " "
			}
			docs[f.dir()] = append(docs[f.dir()], docComplaint(f.syntax.Doc, opening))
		}
	}
	var findings []finding
	for _, dir := range slices.Sorted(maps.Keys(docs)) {
		comments := slices.DeleteFunc(docs[dir], func(c string) bool { return c == "" })
		switch {
		case len(comments) == 0:
			findings = append(findings, finding{file: dir, what: "no package comment", rule: "say what the package does, and what it must never know"})
		case len(comments) > 1:
			findings = append(findings, finding{file: dir, what: "several package comments", rule: "keep one, in doc.go"})
		case comments[0] != fine:
			findings = append(findings, finding{file: dir, what: "package comment", rule: comments[0]})
		}
	}
	return findings
}

const fine = "fine"

func docComplaint(doc *ast.CommentGroup, opening string) string {
	text := doc.Text()
	switch {
	case !strings.HasPrefix(text, opening):
		return `it begins "` + opening + `…"`
	case !sentence.MatchString(text):
		return "it is at least one whole sentence"
	}
	return fine
}

func TestDocs(t *testing.T) {
	t.Parallel()
	report(t, checkDocs(theModule(t).files))
}

func TestCheckDocs(t *testing.T) {
	t.Parallel()
	for source, complaint := range map[string]string{
		"// Package a keeps what others have lost.\npackage a":        "",
		"// Command a keeps what others\n// have lost.\npackage main": "",
		"package a": "no package comment",
		"// Keeps what others have lost.\npackage a":                               "it begins",
		"// Package b keeps what others have lost.\npackage a":                     "it begins",
		"// Package a keeps what others have lost.\npackage main":                  `"Command a …"`,
		"// Package a is.\npackage a":                                              "whole sentence",
		"// Package a keeps what others have lost\npackage a":                      "whole sentence",
		"// Package a keeps what others have lost.\n\npackage a":                   "no package comment",
		"//go:build linux\n\n// Package a keeps what others have lost.\npackage a": "",
	} {
		findings := checkDocs([]*file{sample(t, "a/a.go", source), sample(t, "a/b_test.go", "package a")})
		if complaint == "" {
			require.Empty(t, findings, source)
			continue
		}
		require.Len(t, findings, 1, source)
		require.Contains(t, findings[0].String(), complaint)
	}
	const good = "// Package a keeps what others have lost.\npackage a"
	require.Equal(t, []string{"several package comments"},
		whats(checkDocs([]*file{sample(t, "a/a.go", good), sample(t, "a/b.go", good)})))
}
