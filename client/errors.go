package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
	"unicode"
)

// Error is an answer that is no success.
//
// errors.Is(err, code) is true of an Error with that [Code].
type Error struct {
	Method string // of the request
	Path   string // of the request, without its query

	Status int  // of the answer, such as 409
	Code   Code // what went wrong, as a stable name; "": the answer is not one of Malote's

	Title  string  // the status in words
	Detail string  // what is wrong with this request and what to do about it, for people
	Faults []Fault // the parts of the request that are wrong
	Index  *int    // which event of a batch is wrong, counted from 0; nil: it is about none of them

	RequestID  string        // under which the log of Malote has an internal failure
	RetryAfter time.Duration // how long Malote asks to wait; 0: it does not say
	Location   string        // where a redirect leads; nothing was sent there

	// Uncertain: the request may have taken effect all the same, because Malote or
	// something before it failed (5xx), or because an earlier try of the same call
	// got no answer.
	Uncertain bool
}

// Fault is one wrong part of a request.
type Fault struct {
	Field  string `json:"field"` // the member, parameter or header; members of members are joined with dots
	Detail string `json:"detail"`
}

// Error is one line: the request, the code, what is wrong and what to do.
func (e *Error) Error() string {
	var text strings.Builder
	fmt.Fprintf(&text, "malote: %s %s: ", e.Method, e.Path)
	if e.Code == "" {
		text.WriteString(e.strange())
		return oneLine(text.String())
	}
	fmt.Fprintf(&text, "%s (%d): %s", e.Code, e.Status, e.Detail)
	for _, fault := range e.Faults {
		if !strings.Contains(e.Detail, fault.Detail) { // of a single one it has it
			fmt.Fprintf(&text, " %s: %s", fault.Field, fault.Detail)
		}
	}
	if e.RequestID != "" {
		fmt.Fprintf(&text, " (request_id %s)", e.RequestID)
	}
	return oneLine(text.String())
}

// strange is about an answer that Malote does not give.
func (e *Error) strange() string {
	if e.Location != "" {
		return fmt.Sprintf("HTTP %d leads to %s, which is not followed: give that address to client.New", e.Status, e.Location)
	}
	return fmt.Sprintf("HTTP %d %s, and not in Malote's form: is this the address of a Malote, and nothing in between?",
		e.Status, http.StatusText(e.Status))
}

// Is says whether target is the error's [Code].
func (e *Error) Is(target error) bool {
	code, ok := target.(Code)
	return ok && code == e.Code && code != ""
}

// Temporary says whether the same request may succeed in a moment: the status is
// 429, 502, 503 or 504.
func (e *Error) Temporary() bool {
	switch e.Status {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// ConnectionError says that a try got no whole answer. Whether the request took
// effect is not known. It wraps what happened: a failure of the network, or
// context.DeadlineExceeded or context.Canceled.
type ConnectionError struct {
	Method string
	Path   string // without the query
	Err    error
}

func (e *ConnectionError) Error() string {
	return fmt.Sprintf("malote: %s %s: %v", e.Method, e.Path, e.Err)
}

// Unwrap returns what happened.
func (e *ConnectionError) Unwrap() error { return e.Err }

// AnswerError says that the answer to a request that succeeded cannot be used:
// it is too long, or not the JSON that this version of the package expects. The
// request has taken effect.
type AnswerError struct {
	Method string
	Path   string // without the query
	Status int
	Err    error // such as ErrAnswerTooLong
}

func (e *AnswerError) Error() string {
	return fmt.Sprintf("malote: %s %s: the answer to a success (%d) cannot be used: %v", e.Method, e.Path, e.Status, e.Err)
}

// Unwrap returns what is wrong with the answer.
func (e *AnswerError) Unwrap() error { return e.Err }

// ErrAnswerTooLong is why an answer over the limit of [WithMaxAnswer] cannot be
// used.
var ErrAnswerTooLong = errors.New("it is over the limit")

// ArgumentError says which argument cannot be sent, and why. Nothing was.
type ArgumentError struct {
	Argument string // such as Data, or events[3].Data
	Reason   string // completes the sentence
}

func (e *ArgumentError) Error() string { return "malote: " + e.Argument + " " + e.Reason }

// interruptedError is what came of the last try when the context ends before the
// next.
type interruptedError struct{ ended, last error }

func (e *interruptedError) Error() string {
	return fmt.Sprintf("%v (%v before the next try)", e.last, e.ended)
}

func (e *interruptedError) Unwrap() []error { return []error{e.last, e.ended} }

// longestProblem is what is read of an answer that is no success, in bytes: more
// than any that Malote gives.
const longestProblem = 256 << 10

// problemJSON is RFC 9457 with Malote's members.
type problemJSON struct {
	Code      Code    `json:"code"`
	Title     string  `json:"title"`
	Detail    string  `json:"detail"`
	Errors    []Fault `json:"errors"`
	Index     *int    `json:"index"`
	RequestID string  `json:"request_id"`
}

// readError never fails: what cannot be read of a failure leaves its status.
func (c *Client) readError(request *Request, response *http.Response) *Error {
	failed := &Error{
		Method: request.Method, Path: request.Path, Status: response.StatusCode, Title: http.StatusText(response.StatusCode),
		RetryAfter: retryAfter(response.Header.Get("Retry-After"), time.Now()), Location: c.key.hide(response.Header.Get("Location")),
	}
	if !strings.HasPrefix(response.Header.Get("Content-Type"), "application/problem+json") {
		return failed
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, longestProblem))
	var problem problemJSON
	if err != nil || json.Unmarshal(body, &problem) != nil {
		return failed
	}
	// Whatever stands between may echo the request, and with it the key.
	failed.Code, failed.RequestID, failed.Index = Code(c.key.hide(string(problem.Code))), c.key.hide(problem.RequestID), problem.Index
	failed.Detail = c.key.hide(problem.Detail)
	if problem.Title != "" {
		failed.Title = c.key.hide(problem.Title)
	}
	for _, fault := range problem.Errors {
		failed.Faults = append(failed.Faults, Fault{Field: c.key.hide(fault.Field), Detail: c.key.hide(fault.Detail)})
	}
	return failed
}

// oneLine keeps what others wrote from looking like lines of a log.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
}
