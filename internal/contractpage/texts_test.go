package contractpage

import (
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/malotehq/malote/internal/delivery"
)

// spansOf lists a message's code, which no language translates.
func spansOf(m message) []string {
	var found []string
	for _, piece := range m {
		if piece.span.Style == code {
			found = append(found, piece.span.Text)
		}
	}
	slices.Sort(found)
	return found
}

func TestTexts_EveryLanguageSaysTheSame(t *testing.T) {
	t.Parallel()
	reference := locales[Languages[0]].texts()
	for _, language := range Languages[1:] {
		texts := locales[language].texts()
		for key := range texts {
			require.Contains(t, reference, key, "%s has a text that %s lacks", language, Languages[0])
		}
		for key, want := range reference {
			got, translated := texts[key]
			require.True(t, translated, "%s is not there in %s", key, language)
			require.NotEmpty(t, got, key)
			require.Equal(t, want.names(), got.names(), "%s in %s shows other values", key, language)
			require.Equal(t, spansOf(want), spansOf(got), "%s in %s names other things", key, language)
		}
	}
}

// A text that is the same in two languages was forgotten, unless it has no words.
func TestTexts_AreTranslated(t *testing.T) {
	t.Parallel()
	same := []string{"answers.class", "answers.pause", "failures.line", "glance.id.is", "glance.kept.is", "glance.success.is",
		"disable.warn.each", "unit.short.hour", "unit.short.minute", "unit.short.second", "sample.node", "sample.php", "sample.python", "sample.shell"}
	for key, m := range locales[English].texts() {
		for _, language := range Languages[1:] {
			if !slices.Contains(same, key) {
				require.NotEqual(t, m, locales[language].texts()[key], "%s in %s", key, language)
			}
		}
	}
}

// What no program says is not worth translating.
func TestTexts_AreAllUsed(t *testing.T) {
	t.Parallel()
	literals := literalsOf(t)
	for key := range locales[Languages[0]].texts() {
		require.True(t, slices.ContainsFunc(literals, func(literal string) bool {
			rest, begins := strings.CutPrefix(key, literal)
			return key == literal || begins && strings.Contains(literal, ".") && (rest[0] == '.' || strings.HasSuffix(literal, "."))
		}) || strings.HasSuffix(key, ".title"), "nothing says %s", key)
	}
}

func literalsOf(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	var literals []string
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		source, err := os.ReadFile(name)
		require.NoError(t, err)
		file, err := parser.ParseFile(gotoken.NewFileSet(), name, source, parser.SkipObjectResolution)
		require.NoError(t, err)
		ast.Inspect(file, func(node ast.Node) bool {
			if literal, ok := node.(*ast.BasicLit); ok && literal.Kind == gotoken.STRING {
				text, err := strconv.Unquote(literal.Value)
				require.NoError(t, err)
				literals = append(literals, text)
			}
			return true
		})
	}
	return literals
}

func TestTexts_EveryErrorCodeIsExplained(t *testing.T) {
	t.Parallel()
	for _, failure := range delivery.ErrorCodes {
		if failure != delivery.HTTPStatus && failure != delivery.InterruptedSend && !failure.OfMail() {
			require.Contains(t, locales[English].texts(), "error."+string(failure))
		}
	}
}

// Whatever a policy says, there are words for it.
func TestTexts_SufficeForEveryPolicy(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := randomPolicy(t)
		for _, language := range Languages {
			_, err := compose(p, locales[language], DefaultRetention)
			require.NoError(t, err)
		}
	})
}

func TestParseTexts_Refuses(t *testing.T) {
	t.Parallel()
	for _, source := range []string{"no equals sign", "a = b\na = c", "a = `open", "a = {open", "a = **open", "a = {}", "a = * b"} {
		_, err := parseTexts(source)
		require.Error(t, err, source)
	}
	texts, err := parseTexts("# said by nobody\n\na = one {n|day|days},\n  `x` **y** {z}\n")
	require.NoError(t, err)
	filled, err := texts["a"].fill(locales[English].one, args{"n": {count: 2}, "z": quote("w")})
	require.NoError(t, err)
	require.Equal(t, phrase{{plain, "one "}, {plain, "days"}, {plain, ", "}, {code, "x"}, {plain, " "}, {strong, "y"}, {plain, " "}, {quoted, "w"}}, filled)
	_, err = texts["a"].fill(locales[English].one, args{"n": {count: 1}})
	require.ErrorContains(t, err, "{z}")
}

func TestComposer_MissingTextIsAnError(t *testing.T) {
	t.Parallel()
	lacking := *locales[English]
	lacking.texts = func() map[string]message { return map[string]message{"title": {{name: "no such value"}}} }
	_, err := compose(presets(t)[0], &lacking, DefaultRetention)
	require.ErrorContains(t, err, "title")
	lacking.texts = func() map[string]message { return nil }
	_, err = compose(presets(t)[0], &lacking, DefaultRetention)
	require.ErrorContains(t, err, `no text "title" in en`)
}
