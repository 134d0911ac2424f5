package filter

import (
	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
	"cel.dev/cel-go/parser"
)

// rangeOf is a function that nobody can write: every loop is made to go over its
// result. It gives lists and maps as they are, and refuses all else before CEL
// does, which counts the characters of a text first, to see whether it is empty,
// and charges nothing for it.
const rangeOf = "@range"

// loops are CEL's own, over what rangeOf lets through.
func loops() []cel.EnvOption {
	var macros []cel.Macro
	for _, macro := range cel.StandardMacros {
		if macro.IsReceiverStyle() {
			macro = cel.ReceiverMacro(macro.Function(), macro.ArgCount(), guarded(macro.Expander()))
		}
		macros = append(macros, macro)
	}
	element, key := cel.TypeParamType("A"), cel.TypeParamType("B")
	list, mapping := cel.ListType(element), cel.MapType(key, element)
	return []cel.EnvOption{
		cel.Macros(macros...),
		cel.Function(rangeOf,
			cel.Overload("range_list", []*cel.Type{list}, list),
			cel.Overload("range_map", []*cel.Type{mapping}, mapping),
			cel.SingletonUnaryBinding(onlyRange),
		),
	}
}

func guarded(expand parser.MacroExpander) parser.MacroExpander {
	return func(helper parser.ExprHelper, target ast.Expr, args []ast.Expr) (ast.Expr, *common.Error) {
		return expand(helper, helper.NewCall(rangeOf, target), args)
	}
}

func onlyRange(value ref.Val) ref.Val {
	switch value.(type) {
	case traits.Lister, traits.Mapper:
		return value
	default:
		return types.MaybeNoSuchOverloadErr(value)
	}
}
