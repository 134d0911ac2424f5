package page

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// Backend answers requests of the API's, made by a visitor. It must hold every
// request to what the visitor's tenant is allowed: pages do not.
type Backend interface {
	ServeAPI(w http.ResponseWriter, r *http.Request, visitor Visitor)
}

// Problem is why the API refused or failed (RFC 9457).
type Problem struct {
	Status    int     `json:"status"`
	Code      string  `json:"code"`
	Detail    string  `json:"detail"`
	Errors    []Fault `json:"errors"`
	RequestID string  `json:"request_id"`
}

// Fault is one part of a request that is wrong.
type Fault struct {
	Field  string `json:"field"`
	Detail string `json:"detail"`
}

func (p *Problem) Error() string { return p.Code + ": " + p.Detail }

// NotFound is the problem of what does not exist.
func NotFound() error { return &Problem{Status: http.StatusNotFound, Code: "not_found"} }

// AsProblem gives the API's problem in an error, if it is one.
func AsProblem(err error) (*Problem, bool) { return errors.AsType[*Problem](err) }

// IsRefusal says whether the API found fault with what the visitor asked for, so
// that the page should say so beside the form instead of failing.
func IsRefusal(err error) (*Problem, bool) {
	p, ok := AsProblem(err)
	return p, ok && (p.Status == http.StatusBadRequest || p.Status == http.StatusConflict || p.Status == http.StatusUnprocessableEntity)
}

// List is a page of one of the API's lists.
type List[T any] struct {
	Data       []T     `json:"data"`
	NextCursor *string `json:"next_cursor"`
}

// Get asks the API for something. The path's variable parts must be escaped, as
// Path does.
func Get[T any](r *Request, path string, query url.Values) (T, error) {
	return call[T](r.Context(), r, http.MethodGet, path, query, nil)
}

// GetIn is Get in another context than the request's, such as one of a stream.
func GetIn[T any](ctx context.Context, r *Request, path string, query url.Values) (T, error) {
	return call[T](ctx, r, http.MethodGet, path, query, nil)
}

// Send asks the API to change something; body is encoded as JSON, nil is none.
// Answers without a body leave T at its zero value.
func Send[T any](r *Request, method, path string, body any) (T, error) {
	return call[T](r.Context(), r, method, path, nil, body)
}

// Nothing is the answer of calls that have none.
type Nothing struct{}

func call[T any](ctx context.Context, r *Request, method, path string, query url.Values, body any) (T, error) {
	var answer T
	recorder := &recorder{header: http.Header{}}
	if err := r.serve(ctx, recorder, method, path, query, body); err != nil {
		return answer, err
	}
	if err := recorder.problem(); err != nil {
		return answer, err
	}
	if recorder.body.Len() == 0 {
		return answer, nil
	}
	if err := json.Unmarshal(recorder.body.Bytes(), &answer); err != nil {
		return answer, fmt.Errorf("reading the API's answer to %s %s: %w", method, path, err)
	}
	return answer, nil
}

// serve hands a request of the visitor's to the API.
func (r *Request) serve(ctx context.Context, w http.ResponseWriter, method, path string, query url.Values, body any) error {
	if method != http.MethodGet && !r.Visitor.Role.Covers(Support) {
		// The route table has refused it already, unless it is wrong.
		return &Problem{Status: http.StatusForbidden, Code: "insufficient_scope"}
	}
	encoded := []byte(nil)
	if body != nil {
		var err error
		if encoded, err = json.Marshal(body); err != nil {
			return fmt.Errorf("asking the API for %s %s: %w", method, path, err)
		}
	}
	target := path
	if len(query) > 0 {
		target += "?" + query.Encode()
	}
	request, err := http.NewRequestWithContext(ctx, method, target, bytes.NewReader(encoded))
	if err != nil {
		return fmt.Errorf("asking the API for %s %s: %w", method, path, err)
	}
	request.RemoteAddr, request.Host = r.RemoteAddr, r.Host
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if once := r.Once(); once != "" && method == http.MethodPost {
		request.Header.Set("Idempotency-Key", once)
	}
	r.backend.ServeAPI(w, request, r.Visitor)
	return nil
}

// Path joins the parts of an API path or of a link, escaping each.
func Path(parts ...string) string {
	var b strings.Builder
	for _, part := range parts {
		b.WriteString("/" + url.PathEscape(part))
	}
	return b.String()
}

// API is Path below the API's root.
func API(parts ...string) string { return "/v1" + Path(parts...) }

// recorder holds an answer of the API's.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (r *recorder) Header() http.Header { return r.header }

func (r *recorder) WriteHeader(status int) {
	if r.status == 0 && status >= http.StatusOK {
		r.status = status
	}
}

func (r *recorder) Write(b []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	return r.body.Write(b)
}

// problem is the answer's, nil for a success.
func (r *recorder) problem() error {
	if r.status < http.StatusBadRequest {
		return nil
	}
	p := &Problem{}
	if err := json.Unmarshal(r.body.Bytes(), p); err != nil || p.Status != r.status {
		return &Problem{Status: r.status, Code: "internal"}
	}
	return p
}

// Link is an address with parameters, given as names and values; empty values
// are left out.
func Link(path string, parameters ...string) string {
	query := url.Values{}
	for i := 0; i+1 < len(parameters); i += 2 {
		if parameters[i+1] != "" {
			query.Set(parameters[i], parameters[i+1])
		}
	}
	if len(query) == 0 {
		return path
	}
	return path + "?" + query.Encode()
}
