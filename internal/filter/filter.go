package filter

import (
	"errors"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/interpreter"
)

// Why a filter has no verdict of its own about an event. Neither says a word of
// what is in the event.
var (
	ErrUndecided    = errors.New("the filter asks for something that the event does not have, or has with another type")
	ErrTooExpensive = errors.New("the filter needs more steps for this event than it may take")
)

// Filter is a compiled expression. It is safe for concurrent use.
type Filter struct {
	environment *environment
	program     cel.Program
}

// Match says whether the event gets through. Whenever the filter cannot judge it,
// it does, and the error is ErrUndecided or ErrTooExpensive.
func (f *Filter) Match(event *Event) (bool, error) {
	if event.spent >= eventSteps {
		return true, ErrTooExpensive
	}
	answer, details, err := f.program.Eval(view{f.environment, event})
	if spent := details.ActualCost(); spent != nil {
		event.spent += *spent
	}
	if err != nil {
		return true, reasonOf(err)
	}
	verdict, isBool := answer.(types.Bool)
	if !isBool {
		return true, ErrUndecided
	}
	return bool(verdict), nil
}

func reasonOf(err error) error {
	var cancelled interpreter.EvalCancelledError
	if errors.As(err, &cancelled) && cancelled.Cause == interpreter.CostLimitExceeded || errors.Is(err, ErrTooExpensive) {
		return ErrTooExpensive
	}
	return ErrUndecided
}

// view lets a program look at an event, one variable at a time.
type view struct {
	environment *environment
	event       *Event
}

// ResolveName implements cel.Activation. What has no value is not there.
func (v view) ResolveName(name string) (any, bool) {
	known, ok := v.environment.variables[name]
	if !ok {
		return nil, false
	}
	value, err := known.of(v.event)
	return value, err == nil
}

// Parent implements cel.Activation.
func (view) Parent() cel.Activation { return nil }
