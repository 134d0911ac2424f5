package sqllint

import (
	"errors"
	"go/ast"
	"go/constant"
	"go/parser"
	gotoken "go/token"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// tablePlace is where a table of ours is named, in whatever text.
var tablePlace = regexp.MustCompile(`(?i)\b(from|into|join|only|update|using)\s+` + schemaName + `\.`)

var statementStart = regexp.MustCompile(`(?i)^\s*(alter|copy|create|delete|drop|insert|lock|merge|select|truncate|update|with)\b`)

// GoSources finds the statements on tables of ours in a directory's Go code: its
// constant strings, put together the way the compiler does it. Tests do not count.
//
// A piece of a statement is no source by itself; a piece that belongs to no
// constant is a finding, for nothing could check what it becomes part of.
func GoSources(dir string) ([]Source, []Finding, error) {
	set := gotoken.NewFileSet()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, nil, err
	}
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(set, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, nil, err
		}
		files = append(files, f)
	}
	r := &reader{set: set, info: foldConstants(set, files), parts: make(map[types.Object]bool)}
	for _, f := range files {
		r.file = f
		ast.Inspect(f, r.visit)
	}
	r.settle()
	return r.sources, r.findings, nil
}

// foldConstants lets the type checker compute all constants. It knows nothing
// of imports, and need not: they have no part in our statements.
func foldConstants(set *gotoken.FileSet, files []*ast.File) *types.Info {
	info := &types.Info{Types: make(map[ast.Expr]types.TypeAndValue), Uses: make(map[*ast.Ident]types.Object), Defs: make(map[*ast.Ident]types.Object)}
	config := types.Config{Importer: noImports{}, Error: func(error) {}}
	_, _ = config.Check("store", set, files, info) // errors are expected: there are no imports
	return info
}

type noImports struct{}

func (noImports) Import(string) (*types.Package, error) { return nil, errors.New("none") }

// reader collects the strings of one package.
type reader struct {
	set  *gotoken.FileSet
	info *types.Info
	file *ast.File

	parts     map[types.Object]bool // constants that others are made of
	fragments []fragment
	sources   []Source
	findings  []Finding

	spec *ast.ValueSpec // the declaration that the walk is in
}

type fragment struct {
	constant types.Object // nil: it has no name
	at       gotoken.Position
}

func (r *reader) visit(node ast.Node) bool {
	switch node := node.(type) {
	case *ast.ValueSpec:
		r.spec = node
	case *ast.Ident, *ast.SelectorExpr:
		return true
	case ast.Expr:
		value := r.info.Types[node].Value
		if value == nil || value.Kind() != constant.String {
			return true
		}
		r.add(node, constant.StringVal(value))
		ast.Inspect(node, func(part ast.Node) bool {
			if name, ok := part.(*ast.Ident); ok {
				r.parts[r.info.Uses[name]] = true
			}
			return true
		})
		return false
	}
	return true
}

func (r *reader) add(expr ast.Expr, value string) {
	at := r.set.Position(expr.Pos())
	switch {
	case !tablePlace.MatchString(value):
	case statementStart.MatchString(value):
		r.sources = append(r.sources, Source{Name: at.Filename, Line: at.Line, SQL: value, Comment: r.comment(expr)})
	default:
		r.fragments = append(r.fragments, fragment{r.named(expr), at})
	}
}

// named is the constant that an expression defines.
func (r *reader) named(expr ast.Expr) types.Object {
	if r.spec == nil {
		return nil
	}
	if i := slices.Index(r.spec.Values, expr); i >= 0 {
		if c, ok := r.info.Defs[r.spec.Names[i]].(*types.Const); ok {
			return c
		}
	}
	return nil
}

// comment is what stands on the lines before an expression or its declaration.
func (r *reader) comment(expr ast.Expr) string {
	lines := []int{r.set.Position(expr.Pos()).Line}
	if r.spec != nil && r.spec.Pos() <= expr.Pos() && expr.End() <= r.spec.End() {
		lines = append(lines, r.set.Position(r.spec.Pos()).Line)
	}
	for _, group := range r.file.Comments {
		if slices.Contains(lines, r.set.Position(group.End()).Line+1) {
			return group.Text()
		}
	}
	return ""
}

func (r *reader) settle() {
	for _, f := range r.fragments {
		if f.constant == nil || !r.parts[f.constant] {
			r.findings = append(r.findings, Finding{Name: f.at.Filename, Line: f.at.Line,
				Message: "a piece of a statement, which is put together at run time and cannot be checked: make the whole statement a constant"})
		}
	}
}

// FileSources reads the *.sql files below a directory but those in directories
// of the given names.
func FileSources(root string, except ...string) ([]Source, error) {
	var sources []Source
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && slices.Contains(except, entry.Name()):
			return fs.SkipDir
		case filepath.Ext(name) != ".sql":
			return nil
		}
		sql, err := os.ReadFile(name)
		sources = append(sources, Source{Name: name, SQL: string(sql)})
		return err
	})
	return sources, err
}
