package filter

import (
	"fmt"
	"math"
	"unicode/utf8"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/types"
)

// Limits of an expression.
const (
	MaxLength = 4 << 10 // bytes
	maxDepth  = 32      // of parentheses and operators
	maxParts  = 500     // names, values and operators, with what macros make of them
	maxLoops  = 3       // all(), exists(), filter(), map() inside of one another or in a row
)

// Compile checks an expression and makes it ready to run. Every error is a
// *SyntaxError. It takes about a millisecond: see Cache.
func Compile(source string) (*Filter, error) { return events().compile(source) }

func (e *environment) compile(source string) (*Filter, error) {
	if err := checkText(source); err != nil {
		return nil, err
	}
	parsed, issues := e.cel.Parse(source)
	if issues.Err() != nil {
		return nil, notParsed(source, issues)
	}
	if parts := len(ast.MatchDescendants(ast.NavigateAST(parsed.NativeRep()), ast.AllMatcher())); parts > maxParts {
		return nil, &SyntaxError{1, 1, fmt.Sprintf("this has %d parts, and a filter may have %d: make it shorter", parts, maxParts)}
	}
	checked, issues := e.cel.Check(parsed)
	if issues.Err() != nil {
		return nil, e.notSound(parsed, issues)
	}
	if err := e.checkUse(checked); err != nil {
		return nil, err
	}
	return e.program(checked)
}

// program makes a sound expression ready to run.
func (e *environment) program(checked *cel.Ast) (*Filter, error) {
	patterns, refused := patternsOf(checked.NativeRep())
	if refused != nil {
		return nil, refused
	}
	program, err := e.cel.Program(checked,
		cel.CostTracking(tariff{patterns}), cel.CostLimit(MaxSteps), cel.OptimizeRegex(matching(patterns)))
	if err != nil {
		return nil, &SyntaxError{1, 1, "this cannot be run: write it in another way"}
	}
	return &Filter{environment: e, program: program}, nil
}

func checkText(source string) error {
	if len(source) > MaxLength {
		return &SyntaxError{1, 1, fmt.Sprintf("this has %d bytes, and a filter may have %d: shorten it", len(source), MaxLength)}
	}
	for at := range source {
		if r, size := utf8.DecodeRuneInString(source[at:]); r == utf8.RuneError && size == 1 {
			line, column := position(source, at)
			return &SyntaxError{line, column, "this byte is not UTF-8: save the text as UTF-8"}
		}
	}
	return nil
}

// checkUse refuses what is a sound expression and not a filter.
func (e *environment) checkUse(checked *cel.Ast) error {
	if kind := checked.OutputType(); kind != cel.BoolType && kind.Kind() != types.DynKind {
		return &SyntaxError{1, 1, fmt.Sprintf(
			"this gives a value of type %s: a filter must say true or false, as in type == \"invoice.paid\"", cel.FormatCELType(kind))}
	}
	tree := checked.NativeRep()
	for _, built := range ast.MatchDescendants(ast.NavigateAST(tree), ast.KindMatcher(ast.StructKind)) {
		return refusal(tree, built.ID(), "a filter cannot build messages: compare fields one by one")
	}
	return e.checkCost(checked)
}

// checkCost refuses what could not be judged even of ordinary events. Where
// nothing can be said beforehand, the limit at run time must do.
func (e *environment) checkCost(checked *cel.Ast) error {
	estimate, err := e.cel.EstimateCost(checked, ordinary{})
	if err == nil && estimate.Max > MaxSteps && (estimate.Max < math.MaxUint64 || estimate.Min > MaxSteps) {
		return &SyntaxError{1, 1, fmt.Sprintf(
			"this takes up to %d steps for lists of %d elements and texts of %d characters, and may take %d: use fewer loops inside of loops",
			estimate.Max, ordinaryElements, ordinaryText, MaxSteps)}
	}
	return nil
}
