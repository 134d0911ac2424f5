package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"

	"github.com/malotehq/malote/client"
)

// refusal is an answer that is no success, in one line for people at a terminal.
type refusal struct{ answer *client.Error }

func (e *refusal) Unwrap() error { return e.answer }

// passing says whether the same request may succeed in a moment.
func passing(e *client.Error) bool { return e.Temporary() && e.Status != http.StatusTooManyRequests }

// advice says in terms of this command line what the API says in terms of HTTP.
var advice = map[client.Code]string{
	client.CodeUnknownTenant:   "There is no such tenant: malote tenants list shows all, malote tenants create TENANT creates one.",
	client.CodeUnknownProvider: "There is no such provider: malote sources providers lists all, and generic is for anybody else.",
	client.CodeUnknownPolicy:   "There is no policy with this name: malote policy list --server URL shows all, malote policy create FILE creates one.",
}

// hints go after what the API says.
var hints = map[client.Code]string{
	client.CodeUnauthenticated:   "Set MALOTE_API_KEY to a key that works, or --data-dir to that of malote serve.",
	client.CodeInsufficientScope: "Set MALOTE_API_KEY to a key that may.",
	client.CodeInternal:          "The server's log says more.",
	client.CodeUserExists:        "malote users link NAME makes a new link.",
	client.CodeUserDisabled:      "malote users enable NAME does that.",
	client.CodeRecoveryRunning:   "malote endpoints recoveries shows which it is.",
}

// Error says what is wrong, where, and what to do.
func (e *refusal) Error() string {
	told := e.answer
	if told.Code == "" {
		return e.strange()
	}
	text := cmp.Or(advice[told.Code], told.Detail)
	for _, wrong := range told.Faults {
		// With one fault the detail has it already; with several it may have none.
		if !strings.Contains(told.Detail, wrong.Detail) {
			text += " " + wrong.Field + ": " + strings.TrimSuffix(wrong.Detail, ".") + "."
		}
	}
	if hint := hints[told.Code]; hint != "" {
		text += " " + hint
	}
	if told.RequestID != "" {
		text += " (request_id " + told.RequestID + ")"
	}
	return clean(text)
}

// strange is about an answer that Malote does not give.
func (e *refusal) strange() string {
	if e.answer.Location != "" {
		return clean(fmt.Sprintf("the server redirects to %s: give that address as --server", e.answer.Location))
	}
	return fmt.Sprintf("the answer was HTTP %d %s, and not in Malote's form: is --server the address of a Malote?",
		e.answer.Status, http.StatusText(e.answer.Status))
}

// explain puts what went wrong with a request into one line, in terms of this
// command line.
func (c *connection) explain(err error) error {
	if err == nil {
		return nil
	}
	refused, isRefused := errors.AsType[*client.Error](err)
	switch ended := c.env.ctx.Err(); {
	case ended != nil && (!isRefused || errors.Is(err, ended)):
		return errInterrupted
	case isRefused:
		return &refusal{refused}
	}
	if broken, ok := errors.AsType[*client.ConnectionError](err); ok {
		return c.explainConnection(broken)
	}
	unusable, answered := errors.AsType[*client.AnswerError](err)
	switch {
	case answered && errors.Is(err, client.ErrAnswerTooLong):
		return fmt.Errorf("the server's answer is longer than %d MiB", maxAnswer>>20)
	case answered:
		return fmt.Errorf("the server's answer is not what this version of malote expects: %w", unusable.Err)
	}
	if wrong, ok := errors.AsType[*client.ArgumentError](err); ok && wrong.Argument == "Path" {
		return &usageError{"an id or name is empty, a dot or two, and nothing is called so"}
	}
	return &usageError{strings.TrimPrefix(err.Error(), "malote: ")}
}

func (c *connection) explainConnection(broken *client.ConnectionError) error {
	doubt := "; whether it took effect is not known"
	if broken.Method == http.MethodGet {
		doubt = ""
	}
	switch {
	case errors.Is(broken, context.DeadlineExceeded):
		return fmt.Errorf("%s did not answer in time%s: look at its log, or give it longer with --timeout", c.base, doubt)
	case isDial(broken):
		return fmt.Errorf("nothing answers at %s (%w): start it with malote serve, or give another --server", c.base, dialCause(broken))
	default:
		return fmt.Errorf("the connection to %s broke off (%w)%s: try again", c.base, broken.Err, doubt)
	}
}

func isDial(err error) bool {
	failed, ok := errors.AsType[*net.OpError](err)
	return ok && failed.Op == "dial"
}

func dialCause(err error) error {
	failed, _ := errors.AsType[*net.OpError](err)
	cause := failed.Err
	for errors.Unwrap(cause) != nil {
		cause = errors.Unwrap(cause)
	}
	return cause
}
