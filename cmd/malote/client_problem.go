package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// fault is one wrong part of a request, as the API names it.
type fault struct {
	Field  string `json:"field"`
	Detail string `json:"detail"`
}

// apiError is an answer that is no success: a problem of RFC 9457, or whatever
// else listens there.
type apiError struct {
	status     int
	Code       string  `json:"code"` // "": it is no problem of Malote's
	Detail     string  `json:"detail"`
	Errors     []fault `json:"errors"`
	RequestID  string  `json:"request_id"`
	retryAfter time.Duration
	location   string // of a redirect
}

func readProblem(response *http.Response, body []byte) *apiError {
	failed := &apiError{}
	if strings.HasPrefix(response.Header.Get("Content-Type"), "application/problem+json") {
		_ = json.Unmarshal(body, failed) // what is not there stays empty
	}
	failed.status = response.StatusCode
	failed.retryAfter = secondsOf(response.Header.Get("Retry-After"))
	failed.location = response.Header.Get("Location")
	return failed
}

// passing says whether the same request may succeed in a moment.
func (e *apiError) passing() bool {
	return e.status == http.StatusBadGateway || e.status == http.StatusServiceUnavailable || e.status == http.StatusGatewayTimeout
}

// advice says in terms of this command line what the API says in terms of HTTP.
var advice = map[string]string{
	"unknown_tenant":   "There is no such tenant: malote tenants list shows all, malote tenants create TENANT creates one.",
	"unknown_provider": "There is no such provider: malote sources providers lists all, and generic is for anybody else.",
	"unknown_policy":   "There is no policy with this name: malote policy list --server URL shows all, malote policy create FILE creates one.",
}

// hints go after what the API says.
var hints = map[string]string{
	"unauthenticated":    "Set MALOTE_API_KEY to a key that works, or --data-dir to that of malote serve.",
	"insufficient_scope": "Set MALOTE_API_KEY to a key that may.",
	"internal":           "The server's log says more.",
	"recovery_running":   "malote endpoints recoveries shows which it is.",
}

// Error is one line: what is wrong, where, and what to do.
func (e *apiError) Error() string {
	if e.Code == "" {
		return e.strange()
	}
	text := cmp.Or(advice[e.Code], e.Detail)
	for _, wrong := range e.Errors {
		// With one fault the detail has it already; with several it may have none.
		if !strings.Contains(e.Detail, wrong.Detail) {
			text += " " + wrong.Field + ": " + strings.TrimSuffix(wrong.Detail, ".") + "."
		}
	}
	if hint := hints[e.Code]; hint != "" {
		text += " " + hint
	}
	if e.RequestID != "" {
		text += " (request_id " + e.RequestID + ")"
	}
	return clean(text)
}

// strange is about an answer that Malote does not give.
func (e *apiError) strange() string {
	if e.location != "" {
		return clean(fmt.Sprintf("the server redirects to %s: give that address as --server", e.location))
	}
	return fmt.Sprintf("the answer was HTTP %d %s, and not in Malote's form: is --server the address of a Malote?",
		e.status, http.StatusText(e.status))
}

// explain puts what went wrong with a request into one line.
func (c *client) explain(req request, err error) error {
	if _, answered := errors.AsType[*apiError](err); answered {
		return err
	}
	if c.env.ctx.Err() != nil {
		return errInterrupted
	}
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err // it repeats the address
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%s did not answer in time%s: look at its log, or give it longer with --timeout", c.base, c.doubt(req))
	case isDial(err):
		return fmt.Errorf("nothing answers at %s (%w): start it with malote serve, or give another --server", c.base, dialCause(err))
	default:
		return fmt.Errorf("the connection to %s broke off (%w)%s: try again", c.base, err, c.doubt(req))
	}
}

// doubt warns where a request may have worked although no answer came.
func (c *client) doubt(req request) string {
	if req.method == http.MethodGet {
		return ""
	}
	return "; whether it took effect is not known"
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
