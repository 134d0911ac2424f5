package filter

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
)

// SyntaxError says where an expression is wrong, and what to do about it. Line and
// Column begin with 1 and count characters.
type SyntaxError struct {
	Line, Column int
	Message      string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Message)
}

// position is the line and column of a byte.
func position(source string, at int) (line, column int) {
	before := source[:at]
	start := strings.LastIndexByte(before, '\n') + 1
	return 1 + strings.Count(before, "\n"), 1 + utf8.RuneCountInString(before[start:])
}

// refusal is an error at an expression's place.
func refusal(tree *ast.AST, id int64, format string, args ...any) *SyntaxError {
	place := tree.SourceInfo().GetStartLocation(id)
	return &SyntaxError{max(1, place.Line()), max(0, place.Column()) + 1, fmt.Sprintf(format, args...)}
}

// first is the issue that comes first in the text. Those without a place are
// about the whole.
func first(issues *cel.Issues) *cel.Error {
	return slices.MinFunc(issues.Errors(), func(a, b *cel.Error) int {
		return cmp.Or(
			cmp.Compare(rank(a), rank(b)),
			cmp.Compare(a.Location.Line(), b.Location.Line()),
			cmp.Compare(a.Location.Column(), b.Location.Column()),
		)
	})
}

func rank(issue *cel.Error) int {
	if issue.Location.Line() < 1 {
		return 1
	}
	return 0
}

func notParsed(source string, issues *cel.Issues) *SyntaxError {
	issue := first(issues)
	if rank(issue) > 0 {
		return &SyntaxError{1, 1, fmt.Sprintf("this nests deeper than %d levels, or chains as many operators: write it flatter", maxDepth)}
	}
	refused := &SyntaxError{issue.Location.Line(), max(0, issue.Location.Column()) + 1, readable(issue.Message)}
	following := rest(source, refused.Line, refused.Column)
	if strings.TrimSpace(following) == "" && !strings.HasPrefix(refused.Message, "missing") {
		refused.Message = "this ends too early: complete it, as in type == \"invoice.paid\""
	}
	for _, slip := range slips {
		if strings.HasPrefix(following, slip.text) {
			refused.Message = slip.advice
			break
		}
	}
	return refused
}

const plainQuotes = "write plain quotes: \" or '"
const openText = "a text begins here and does not end in this line, or has an escape that does not exist: write \\\\ for a backslash"

// slips are what people write who think in another language, by what stands
// where the parser gave up.
var slips = []struct{ text, advice string }{
	{"=", "write == to compare"},
	{">", "write != for not equal, and give > something on both sides"},
	{"& ", "write && for and"},
	{"| ", "write || for or"},
	{"and ", "write && for and"},
	{"AND ", "write && for and"},
	{"or ", "write || for or"},
	{"OR ", "write || for or"},
	{",", "a comma stands between arguments only: write numbers without it, and && for and"},
	{"in ", "in is a word of the language: write [\"in\"] for a field of that name"},
	{"“", plainQuotes},
	{"”", plainQuotes},
	{"‘", plainQuotes},
	{"’", plainQuotes},
	{"`", plainQuotes},
	{"'", openText},
	{"\"", openText},
}

// rest is the text from a place on.
func rest(source string, line, column int) string {
	for range line - 1 {
		_, source, _ = strings.Cut(source, "\n")
	}
	for range column - 1 {
		_, size := utf8.DecodeRuneInString(source)
		source = source[size:]
	}
	return source
}

// notSound explains an expression that can be read but makes no sense.
func (e *environment) notSound(parsed *cel.Ast, issues *cel.Issues) *SyntaxError {
	issue := first(issues)
	refused := &SyntaxError{max(1, issue.Location.Line()), max(0, issue.Location.Column()) + 1, readable(issue.Message)}
	expression, _ := at(parsed.NativeRep(), issue.ExprID)
	switch {
	case expression == nil:
	case expression.Kind() == ast.IdentKind:
		refused.Message = fmt.Sprintf("there is no %q: a filter knows %s, and the names that its loops give", expression.AsIdent(), e.names)
	case expression.Kind() == ast.CallKind && !e.cel.HasFunction(expression.AsCall().FunctionName()):
		refused.Message = fmt.Sprintf("there is no function %q: use those of CEL's standard library", expression.AsCall().FunctionName())
	case expression.Kind() == ast.ComprehensionKind:
		refused.Message = fmt.Sprintf("loops may be %d deep, or %d in a row: use fewer", maxLoops, maxLoops)
	case expression.Kind() == ast.CallKind:
		refused.Message = misfit(expression.AsCall().FunctionName(), refused.Message)
	}
	return refused
}

// misfit says which types a function or operator does not go with.
func misfit(function, message string) string {
	operator, isOperator := operators.FindReverse(function)
	switch {
	case function == rangeOf:
		function = "a loop"
	case isOperator && operator != "":
		function = operator
	}
	_, given, _ := strings.Cut(message, "applied to ")
	return fmt.Sprintf("%s does not go with %s: convert one side, as in string(…) or int(…), or use a value of another type",
		function, strings.Trim(given, "'"))
}

func at(tree *ast.AST, id int64) (ast.NavigableExpr, bool) {
	found := ast.MatchDescendants(ast.NavigateAST(tree), func(e ast.NavigableExpr) bool { return e.ID() == id })
	if len(found) == 0 {
		return nil, false
	}
	return found[0], true
}

// maxMessage bounds what a message repeats of the expression, in characters.
const maxMessage = 200

// readable is the compiler's message without its jargon.
func readable(message string) string {
	message = strings.TrimPrefix(message, "Syntax error: ")
	message, _, _ = strings.Cut(message, " expecting {")
	message = strings.NewReplacer("'<EOF>'", "the end", "<EOF>", "the end", "token recognition error at:", "remove what means nothing here:").Replace(message)
	message = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, message)
	if characters := []rune(message); len(characters) > maxMessage {
		message = string(characters[:maxMessage]) + "…"
	}
	return strings.TrimSpace(message)
}
