package archtest

import (
	"bufio"
	"bytes"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// file is one Go file, whatever its build constraints.
type file struct {
	path   string // below the module's root, with slashes
	test   bool
	lines  int
	syntax *ast.File
	set    *token.FileSet
}

// dir names the file's package, the way layers do.
func (f *file) dir() string { return path.Dir(f.path) }

func (f *file) line(pos token.Pos) int { return f.set.Position(pos).Line }

// imported is the path that a name at the head of a selector stands for, or "".
func (f *file) imported(name *ast.Ident) string {
	for _, spec := range f.syntax.Imports {
		if target := importPath(spec); importName(spec, target) == name.Name {
			return target
		}
	}
	return ""
}

func importPath(spec *ast.ImportSpec) string {
	target, _ := strconv.Unquote(spec.Path.Value) // the parser took it for a string
	return target
}

// importName guesses the name of an import as its path suggests it, which holds
// for the standard library and for our own packages.
func importName(spec *ast.ImportSpec, target string) string {
	if spec.Name != nil {
		return spec.Name.Name
	}
	name := path.Base(target)
	if len(name) > 1 && name[0] == 'v' && strings.Trim(name[1:], "0123456789") == "" {
		name = path.Base(path.Dir(target))
	}
	return name
}

// module is all that the checks look at, read once for all tests.
type module struct {
	path     string
	requires []string // the modules that go.mod asks for directly
	files    []*file
}

const moduleRoot = ".."

var readModule = sync.OnceValues(func() (*module, error) {
	m := &module{}
	return m, errors.Join(m.readGoMod(), m.readFiles())
})

func theModule(t *testing.T) *module {
	t.Helper()
	m, err := readModule()
	require.NoError(t, err)
	require.NotEmpty(t, m.files)
	return m
}

func (m *module) readGoMod() error {
	content, err := os.ReadFile(filepath.Join(moduleRoot, "go.mod"))
	if err != nil {
		return err
	}
	m.path, m.requires = parseGoMod(content)
	return nil
}

func parseGoMod(content []byte) (name string, direct []string) {
	inBlock := false
	for lines := bufio.NewScanner(bytes.NewReader(content)); lines.Scan(); {
		words := strings.Fields(lines.Text())
		switch {
		case len(words) == 0:
		case words[0] == "module":
			name = words[1]
		case words[0] == "require" && words[1] == "(":
			inBlock = true
		case words[0] == ")":
			inBlock = false
		case strings.HasSuffix(lines.Text(), "// indirect"):
		case words[0] == "require":
			direct = append(direct, words[1])
		case inBlock:
			direct = append(direct, words[0])
		}
	}
	return name, direct
}

func (m *module) readFiles() error {
	return filepath.WalkDir(moduleRoot, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if name != moduleRoot && isElsewhere(name, entry.Name()) {
				return fs.SkipDir
			}
			return nil
		}
		if filepath.Ext(name) != ".go" {
			return nil
		}
		source, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		below, err := filepath.Rel(moduleRoot, name)
		if err != nil {
			return err
		}
		f, err := parse(filepath.ToSlash(below), source)
		m.files = append(m.files, f)
		return err
	})
}

// isElsewhere says whether a directory is none of the module's packages: what
// the go command skips, and other modules.
func isElsewhere(name, base string) bool {
	_, err := os.Stat(filepath.Join(name, "go.mod"))
	return err == nil || base == "testdata" || base == "vendor" ||
		strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_")
}

func parse(name string, source []byte) (*file, error) {
	set := token.NewFileSet()
	syntax, err := parser.ParseFile(set, name, source, parser.ParseComments|parser.SkipObjectResolution)
	return &file{
		path: name, test: strings.HasSuffix(name, "_test.go"),
		lines: bytes.Count(source, []byte("\n")), syntax: syntax, set: set,
	}, err
}

// sample is a file that never existed, for the tests of the checks.
func sample(t *testing.T, name, source string) *file {
	t.Helper()
	f, err := parse(name, []byte(source))
	require.NoError(t, err)
	return f
}

func TestParseGoMod(t *testing.T) {
	t.Parallel()
	name, direct := parseGoMod([]byte("module example.org/m\n\ngo 1.26\n\nrequire example.org/one v1.0.0\n\n" +
		"require (\n\texample.org/two v1.0.0\n\texample.org/three v1.0.0 // indirect\n)\n\nrequire example.org/four v0.1.0 // indirect\n"))
	require.Equal(t, "example.org/m", name)
	require.Equal(t, []string{"example.org/one", "example.org/two"}, direct)
}

func TestImported(t *testing.T) {
	t.Parallel()
	f := sample(t, "a/a.go", `package a; import ("math/rand/v2"; clock "time"; "go/ast")`)
	for name, target := range map[string]string{"rand": "math/rand/v2", "clock": "time", "ast": "go/ast", "time": "", "v2": ""} {
		require.Equal(t, target, f.imported(ast.NewIdent(name)), name)
	}
}
