package filter

import (
	"regexp"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/overloads"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/interpreter"
)

// Limits of matches(). Patterns are RE2 and take linear time, but at each byte
// perhaps all instructions that they come to once repetitions are written out.
const (
	maxPattern          = 256 // bytes
	maxPatternProgram   = 256 // instructions
	instructionsPerStep = 8
)

// patternSteps is what a text costs at most.
func patternSteps(text ref.Val, instructions int) uint64 {
	characters, _ := text.(types.String)
	return uint64(len(characters)) * uint64(instructions) / instructionsPerStep
}

// matching compiles each pattern once, with its filter, and refuses texts that it
// would work on for too long: what a call costs is counted after it, and for
// these that is too late.
func matching(instructions map[string]int) *interpreter.RegexOptimization {
	return &interpreter.RegexOptimization{
		Function:   overloads.Matches,
		RegexIndex: 1,
		Factory: func(call interpreter.InterpretableCall, pattern string) (interpreter.InterpretableCall, error) {
			compiled, err := regexp.Compile(pattern)
			if err != nil {
				return nil, err
			}
			matches := func(values ...ref.Val) ref.Val {
				text, isText := values[0].(types.String)
				switch {
				case !isText:
					return types.NoSuchOverloadErr()
				case patternSteps(text, instructions[pattern]) > MaxSteps:
					return types.WrapErr(ErrTooExpensive)
				}
				return types.Bool(compiled.MatchString(string(text)))
			}
			return interpreter.NewCall(call.ID(), call.Function(), call.OverloadID(), call.Args(), matches), nil
		},
	}
}

// patternsOf finds the patterns of an expression and how many instructions each
// comes to. They must be written out, so that nothing is compiled at run time.
func patternsOf(tree *ast.AST) (map[string]int, *SyntaxError) {
	instructions := make(map[string]int)
	for _, call := range ast.MatchDescendants(ast.NavigateAST(tree), ast.FunctionMatcher(overloads.Matches)) {
		args := call.AsCall().Args()
		place := args[len(args)-1]
		if place.Kind() != ast.LiteralKind {
			return nil, refusal(tree, place.ID(), "the pattern of matches() must be written out as a string, as in matches(\"^BR\")")
		}
		pattern, _ := place.AsLiteral().(types.String)
		if len(pattern) > maxPattern {
			return nil, refusal(tree, place.ID(), "the pattern has %d bytes, and may have %d: shorten it", len(pattern), maxPattern)
		}
		size, err := types.RegexProgramSize(string(pattern))
		if err != nil {
			return nil, refusal(tree, place.ID(), "the pattern is not a regular expression of RE2: %v", err)
		}
		if size > maxPatternProgram {
			return nil, refusal(tree, place.ID(), "the pattern repeats too much: written out it has %d parts, and may have %d", size, maxPatternProgram)
		}
		instructions[string(pattern)] = size
	}
	return instructions, nil
}
