package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

const problemType = "application/problem+json"

// retryAfter is what a client is asked to wait when storage is down.
const retryAfter = 2 * time.Second

// Problem is the body of every failed answer: RFC 9457 with one more member,
// code. It is also the error that handlers return.
type Problem struct {
	Type      string  `json:"type" format:"uri-reference" example:"/docs#invalid_request" doc:"Where the code is explained."`
	Title     string  `json:"title" example:"Bad Request" doc:"The HTTP status in words."`
	Status    int     `json:"status" example:"400" doc:"The HTTP status."`
	Code      Code    `json:"code" example:"invalid_request" doc:"What went wrong, as a stable name: see Problems."`
	Detail    string  `json:"detail" example:"limit: must be at least 1." doc:"What is wrong with this request and what to do about it."`
	Errors    []Fault `json:"errors,omitempty" nullable:"false" doc:"The parts of the request that are wrong."`
	Index     *int    `json:"index,omitempty" example:"0" doc:"Which event of a batch is wrong, counted from 0."`
	RequestID string  `json:"request_id,omitempty" example:"req_…" doc:"Under which name the log has this failure."`

	header http.Header
}

// Fault is one wrong part of a request.
type Fault struct {
	Field  string `json:"field" example:"limit" doc:"The member, parameter or header; members of members are joined with dots."`
	Detail string `json:"detail" example:"must be at least 1" doc:"What is wrong with it."`
}

// problem describes a failure. An empty format gives the code's own advice.
func problem(code Code, format string, args ...any) *Problem {
	m := meaningOf[code]
	p := &Problem{
		Type: "/docs#" + string(code), Title: http.StatusText(m.status), Status: m.status,
		Code: code, Detail: m.advice,
	}
	if format != "" {
		p.Detail = fmt.Sprintf(format, args...)
	}
	switch code {
	case Unauthenticated: // RFC 6750 section 3
		p.setHeader("WWW-Authenticate", `Bearer realm="malote"`)
	case BodyTooLarge, BodyIncomplete, RequestTimeout:
		// What is left of the body is not waited for, so that the connection
		// cannot be used again.
		p.setHeader("Connection", "close")
	case Unavailable:
		p.setHeader("Retry-After", strconv.Itoa(int(retryAfter/time.Second)))
	}
	return p
}

// fault is the problem of a request with one wrong part. The message completes
// a sentence that begins with the part's name.
func fault(field, format string, args ...any) *Problem {
	return faultAs(InvalidRequest, field, format, args...)
}

// faultAs is fault where a rule with a code of its own refuses the part.
func faultAs(code Code, field, format string, args ...any) *Problem {
	detail := fmt.Sprintf(format, args...)
	p := problem(code, "%s: %s.", field, detail)
	p.Errors = []Fault{{Field: field, Detail: detail}}
	return p
}

func (p *Problem) setHeader(name, value string) {
	if p.header == nil {
		p.header = http.Header{}
	}
	p.header.Set(name, value)
}

func (p *Problem) Error() string { return string(p.Code) + ": " + p.Detail }

// GetStatus is how huma asks an error for its status.
func (p *Problem) GetStatus() int { return p.Status }

// GetHeaders is how huma asks for the headers that go with it.
func (p *Problem) GetHeaders() http.Header { return p.header }

// ContentType is how huma asks for the media type, whatever was negotiated.
func (p *Problem) ContentType(string) string { return problemType }

// write answers with the problem where huma is not involved.
func (p *Problem) write(w http.ResponseWriter) {
	body, err := json.Marshal(p)
	if err != nil {
		panic(fmt.Sprintf("api: a problem cannot be encoded: %v", err))
	}
	header := w.Header()
	for name, values := range p.header {
		header[name] = values
	}
	header.Set("Content-Type", problemType)
	header.Set("Content-Length", strconv.Itoa(len(body)+1))
	w.WriteHeader(p.Status)
	_, _ = w.Write(append(body, '\n')) // the client may have gone
}
