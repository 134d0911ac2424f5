package filter

import (
	"math"

	"cel.dev/cel-go/common/cost"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/overloads"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
)

// What an evaluation may cost, in steps: an operation is at least one, and as many
// more as it looks at sixteen bytes or at elements. A step takes some 10 to 100 ns.
const (
	// MaxSteps is what one filter may take for one event.
	MaxSteps = 25_000
	// eventSteps is where no further filter begins: all filters of an event run in
	// the transaction that publishes it, and a batch may have a thousand events.
	eventSteps = 4 * MaxSteps
)

const bytesPerStep = 16

// tariff prices calls by what they look at. CEL's own prices are by overload, and
// where the types are known only at run time, as everywhere in data, it has none:
// joining two texts of a megabyte would cost as much as adding two numbers.
type tariff struct {
	patterns map[string]int // instructions of each pattern of the filter
}

// CallCost implements cost.ActualCostEstimator. It is asked after the call.
func (t tariff) CallCost(function, _ string, args []ref.Val, result ref.Val) *uint64 {
	steps := 1 + looksAt(result)
	for _, arg := range args {
		steps += looksAt(arg)
	}
	switch function {
	case operators.Equals, operators.NotEquals:
		if len(args) == 2 {
			steps += compared(args[0], args[1])
		}
	case operators.In:
		if list, ok := args[len(args)-1].(traits.Lister); ok {
			steps += elements(list)
		}
	case overloads.Matches:
		steps += patternSteps(args[0], t.patterns[string(args[1].(types.String))])
	}
	return &steps
}

// looksAt counts texts whole, whether or not the call came to their end. Lists and
// maps cost nothing by themselves: they are passed on, counted or asked for one
// element.
func looksAt(value ref.Val) uint64 {
	switch value := value.(type) {
	case types.String:
		return uint64(len(value)) / bytesPerStep
	case types.Bytes:
		return uint64(len(value)) / bytesPerStep
	default:
		return 0
	}
}

// compared counts the elements of both, unless a look at their sizes is enough.
func compared(a, b ref.Val) uint64 {
	first, ok := a.(traits.Sizer)
	second, both := b.(traits.Sizer)
	if !ok || !both || a.Type() != b.Type() || first.Size() != second.Size() {
		return 0
	}
	return elements(a) + elements(b)
}

// sizes counts with all that is nested, whatever the depth.
var sizes = types.NewSizeCalculator(
	types.SizeCalculatorMaxDepth(math.MaxInt32),
	types.SizeCalculatorMaxTraversal(math.MaxInt32),
	types.SizeCalculatorStringUnitLength(bytesPerStep),
)

func elements(value ref.Val) uint64 {
	switch value.(type) {
	case traits.Lister, traits.Mapper:
		return uint64(sizes.AggregateSize(value))
	default:
		return 0
	}
}

// What an event of ordinary size has at most, for the estimate before any event
// is there.
const (
	ordinaryElements = 32  // in a list or map
	ordinaryText     = 200 // characters
)

// ordinary estimates sizes of what a filter looks at in an ordinary event.
type ordinary struct{}

// EstimateSize implements cost.Estimator.
func (ordinary) EstimateSize(node cost.AstNode) *cost.SizeEstimate {
	size := uint64(ordinaryElements)
	if node.Type() != nil && (node.Type().Kind() == types.StringKind || node.Type().Kind() == types.BytesKind) {
		size = ordinaryText
	}
	return &cost.SizeEstimate{Min: 0, Max: size}
}

// EstimateCallCost implements cost.Estimator. CEL's own estimates do, but it
// cannot know what rangeOf gives.
func (ordinary) EstimateCallCost(function, _ string, _ *cost.AstNode, args []cost.AstNode) *cost.CallEstimate {
	if function != rangeOf {
		return nil
	}
	size := args[0].ComputedSize()
	if size == nil {
		size = ordinary{}.EstimateSize(args[0])
	}
	return cost.NewCallEstimate(cost.FixedCostEstimate(1), size)
}
