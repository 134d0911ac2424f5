package client

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Request is one request to the API, for [Client.Call] and [Do].
type Request struct {
	Method string     // such as http.MethodPost
	Path   string     // below the base URL, from its slash on, with escaped parts: see [Path]
	Query  url.Values // nil: none
	Body   []byte     // JSON, which is sent as it is; nil: none

	// IdempotencyKey goes out as the header of this name, which every operation
	// that creates something takes. With it the request is repeatable.
	IdempotencyKey string

	// Repeatable says that the request does no harm when it arrives twice,
	// although it is not GET and has no IdempotencyKey.
	Repeatable bool

	// Timeout is how long one try waits for its whole answer; 0: as the client
	// was told.
	Timeout time.Duration
}

// Response is the answer to a request that succeeded: its status is 2xx.
type Response struct {
	Status int
	Header http.Header
	Body   []byte // of at most so many bytes as the client reads

	request *Request
}

// Decode reads the answer's JSON into a value, as json.Unmarshal does. Its error
// is an *AnswerError.
func (r *Response) Decode(into any) error {
	if err := json.Unmarshal(r.Body, into); err != nil {
		return r.unusable(err)
	}
	return nil
}

func (r *Response) unusable(err error) error {
	failed := &AnswerError{Status: r.Status, Err: err}
	if r.request != nil { // else a test has made it
		failed.Method, failed.Path = r.request.Method, r.request.Path
	}
	return failed
}

// Path escapes parts and joins them behind slashes: Path("v1", "tenants", id).
func Path(parts ...string) string {
	var path strings.Builder
	for _, part := range parts {
		path.WriteByte('/')
		path.WriteString(url.PathEscape(part))
	}
	return path.String()
}

// Call sends a request, again where that is harmless and may help, and gives the
// answer of a success. It is the door to whatever has no method of its own, with
// the same key, limits, retries and errors; what the API takes and answers is at
// /docs of a running Malote.
//
// Errors are *Error, *ConnectionError, *AnswerError and *ArgumentError. When the
// context ends during a pause, the error is that of the last try, and errors.Is
// finds the context's in it as well.
func (c *Client) Call(ctx context.Context, request Request) (*Response, error) {
	if err := request.check(); err != nil {
		return nil, err
	}
	uncertain := false
	for tries := 1; ; tries++ {
		got, err := c.try(ctx, &request)
		if err == nil {
			return got, nil
		}
		uncertain = doubt(&request, err, uncertain)
		pause, again := c.pauseAfter(ctx, &request, tries, err)
		if !again {
			return nil, err
		}
		if !sleep(ctx, pause) {
			return nil, &interruptedError{ended: ctx.Err(), last: err}
		}
	}
}

// doubt says, in the error too, whether this or an earlier try of a call may have
// taken effect. Reading has none.
func doubt(request *Request, err error, earlier bool) bool {
	if request.reads() {
		return false
	}
	failed, answered := errors.AsType[*Error](err)
	if !answered {
		return true
	}
	failed.Uncertain = earlier || failed.Status >= http.StatusInternalServerError
	return failed.Uncertain
}

// Do calls the API and reads the answer's JSON:
//
//	source, err := client.Do[Source](ctx, c, client.Request{Method: http.MethodGet, Path: client.Path("v1", "sources", id)})
//
// Members that T does not have are ignored, so that a later Malote may answer
// with more.
func Do[T any](ctx context.Context, c *Client, request Request) (T, error) {
	var value T
	got, err := c.Call(ctx, request)
	if err != nil {
		return value, err
	}
	return value, got.Decode(&value)
}

// check refuses what would become another request on its way: servers and
// proxies resolve dots in a path, and an empty part is what is left of an id
// that was forgotten.
func (r *Request) check() error {
	switch {
	case r.Method == "":
		return &ArgumentError{"Method", "is missing: give one such as http.MethodGet"}
	case !isPlain(r.IdempotencyKey) || len(r.IdempotencyKey) > longestKey:
		return &ArgumentError{"IdempotencyKey", "must be at most 255 printable ASCII characters, with no space around them"}
	}
	if !strings.HasPrefix(r.Path, "/") || strings.ContainsAny(r.Path, "?#") {
		return &ArgumentError{"Path", "must begin with a slash and have neither query nor fragment"}
	}
	for part := range strings.SplitSeq(r.Path[1:], "/") {
		plain, err := url.PathUnescape(part)
		if err != nil {
			return &ArgumentError{"Path", "must have escaped parts: use client.Path"}
		}
		if plain == "" || plain == "." || plain == ".." {
			return &ArgumentError{"Path", "has a part that is empty, a dot or two, which is no id: " + r.Path}
		}
	}
	return nil
}

// longestKey is how long an Idempotency-Key may be.
const longestKey = 255

// isPlain says whether a text arrives as it is in a header.
func isPlain(text string) bool {
	return strings.TrimSpace(text) == text && !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' })
}

func (r *Request) repeatable() bool {
	return r.Repeatable || r.IdempotencyKey != "" || r.reads()
}

func (r *Request) reads() bool { return r.Method == http.MethodGet || r.Method == http.MethodHead }
