package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/malotehq/malote/client"
	"github.com/malotehq/malote/internal/filter"
)

// laneFlags say what goes into an endpoint's queue, and how it is worked off.
type laneFlags struct {
	MaxInFlight *int     `help:"How many deliveries may be on their way at once; the policy's default unless it is set, and again with 0." placeholder:"N" own:"" env:"MALOTE_ENDPOINT_MAX_IN_FLIGHT"`
	RateLimit   *float64 `help:"Attempts a second at most, over all processes; the policy's default unless it is set, and again with 0." placeholder:"N"`
	FIFO        *bool    `name:"fifo" help:"Send strictly one after another: one that fails holds the rest. The policy's default unless it is set." negatable:""`
	Filter      *string  `help:"A CEL expression over type, data and more; events for which it is false are skipped. An empty one takes every event." placeholder:"CEL"`
}

// setLane puts what was given into a body.
func (f *laneFlags) setLane(body map[string]any) {
	setIfGiven(body, "max_in_flight", f.MaxInFlight)
	setIfGiven(body, "rate_limit", f.RateLimit)
	setIfGiven(body, "fifo", f.FIFO)
	setIfGiven(body, "filter", f.Filter)
}

// pointing adds the place to an error about the filter. The server refuses; what
// is compiled here only finds the place again.
func (f *laneFlags) pointing(err error) error {
	refused, ok := errors.AsType[*client.Error](err)
	if !ok || refused.Code != "invalid_filter" || f.Filter == nil {
		return err
	}
	_, compileErr := filter.Compile(*f.Filter)
	if at, ok := errors.AsType[*filter.SyntaxError](compileErr); ok {
		return &placedError{err, pointer(*f.Filter, at.Line, at.Column)}
	}
	return err
}

// placedError is an error with a drawing of its place, for people at a terminal.
type placedError struct {
	error
	drawing string
}

func (e *placedError) Unwrap() error { return e.error }

// pointer draws a line of a text and a caret below one of its characters; both
// count from 1.
func pointer(text string, line, column int) string {
	lines := strings.Split(text, "\n")
	shown := clean(strings.ReplaceAll(lines[min(line, len(lines))-1], "\t", " "))
	return fmt.Sprintf("  %s\n  %s^", shown, strings.Repeat(" ", column-1))
}
