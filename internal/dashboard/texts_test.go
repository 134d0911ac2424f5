package dashboard

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/a-h/templ/generator"
	templates "github.com/a-h/templ/parser/v2"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"
)

// filesBelow are the files here and in the packages below with a suffix.
func filesBelow(t *testing.T, suffix string) []string {
	t.Helper()
	var found []string
	require.NoError(t, filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && strings.HasSuffix(path, suffix) {
			found = append(found, path)
		}
		return err
	}))
	require.NotEmpty(t, found)
	return found
}

// TestTemplates_AreGenerated: what is committed is what the templates make.
func TestTemplates_AreGenerated(t *testing.T) {
	t.Parallel()
	for _, path := range filesBelow(t, ".templ") {
		parsed, err := templates.Parse(path)
		require.NoError(t, err, path)
		var made bytes.Buffer
		_, err = generator.Generate(parsed, &made, generator.WithFileName(path))
		require.NoError(t, err, path)
		committed, err := os.ReadFile(strings.TrimSuffix(path, ".templ") + "_templ.go")
		require.NoError(t, err, path)
		require.Equal(t, withoutBlanks(made.String()), withoutBlanks(string(committed)), "%s is not current: run make generate", path)
	}
}

// withoutBlanks leaves out what formatting and the name of the file change.
func withoutBlanks(code string) string {
	code = regexp.MustCompile("FileName: `[^`]*`|// templ: version: .*").ReplaceAllString(code, "")
	return strings.Join(strings.Fields(code), "")
}

var verb = regexp.MustCompile(`%(\[\d+\])?[a-z]`)

// TestTexts_AreWholeInEveryLanguage looks at every lang.Text that is written down.
func TestTexts_AreWholeInEveryLanguage(t *testing.T) {
	t.Parallel()
	texts := 0
	for _, path := range filesBelow(t, ".go") {
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		ast.Inspect(file, func(node ast.Node) bool {
			english, portuguese, isText := textOf(node)
			if !isText || english == "" && portuguese == "" {
				return true
			}
			texts++
			at := set.Position(node.Pos())
			require.NotEmpty(t, english, at)
			require.NotEmpty(t, portuguese, at)
			in, out := verb.FindAllString(english, -1), verb.FindAllString(portuguese, -1)
			slices.Sort(in)
			slices.Sort(out)
			require.Equal(t, in, out, "%s: the languages have other verbs", at)
			return true
		})
	}
	require.Greater(t, texts, 100)
}

// textOf reads a literal with the members EN and PT.
func textOf(node ast.Node) (english, portuguese string, isText bool) {
	literal, ok := node.(*ast.CompositeLit)
	if !ok {
		return "", "", false
	}
	for _, element := range literal.Elts {
		pair, ok := element.(*ast.KeyValueExpr)
		if !ok {
			return "", "", false
		}
		name, ok := pair.Key.(*ast.Ident)
		value, isString := pair.Value.(*ast.BasicLit)
		if !ok || !isString || name.Name != "EN" && name.Name != "PT" {
			return "", "", false
		}
		text, _ := strconv.Unquote(value.Value)
		if name.Name == "EN" {
			english = text
		} else {
			portuguese = text
		}
		isText = true
	}
	return english, portuguese, isText
}

// Words that no language changes.
var names = []string{"Malote"}

// read are the attributes that people read or hear.
var read = []string{"title", "aria-label", "alt", "placeholder", "summary"}

// TestTemplates_HaveNoTextsOfTheirOwn: all that is read comes from a lang.Text.
func TestTemplates_HaveNoTextsOfTheirOwn(t *testing.T) {
	t.Parallel()
	letters := regexp.MustCompile(`\pL{2,}`)
	check := func(path, text string) {
		for _, name := range names {
			text = strings.ReplaceAll(text, name, "")
		}
		require.False(t, letters.MatchString(text), "%s has the text %q of its own: make it a lang.Text", path, text)
	}
	for _, path := range filesBelow(t, "_templ.go") {
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		page := html.NewTokenizer(strings.NewReader(markupOf(file)))
		for page.Next() != html.ErrorToken {
			switch token := page.Token(); token.Type {
			case html.TextToken:
				check(path, token.Data)
			case html.StartTagToken, html.SelfClosingTagToken:
				for _, attribute := range token.Attr {
					if slices.Contains(read, attribute.Key) {
						check(path, attribute.Val)
					}
				}
			}
		}
	}
}

// markupOf joins what a template writes as it stands; what it computes between is
// left out.
func markupOf(file *ast.File) string {
	var markup strings.Builder
	ast.Inspect(file, func(node ast.Node) bool {
		call, ok := node.(*ast.CallExpr)
		if !ok || len(call.Args) != 3 {
			return true
		}
		if method, ok := call.Fun.(*ast.SelectorExpr); ok && method.Sel.Name == "WriteString" {
			if literal, ok := call.Args[2].(*ast.BasicLit); ok {
				text, _ := strconv.Unquote(literal.Value)
				markup.WriteString(text)
			}
		}
		return true
	})
	return markup.String()
}
