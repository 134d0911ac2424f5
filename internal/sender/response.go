package sender

import (
	"context"
	"io"
	"net/http"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
)

const (
	// lowestStatus is the first status that HTTP has (RFC 9110 §15).
	lowestStatus = 100

	// maxRetryAfter is the longest Retry-After that is passed on, in bytes; the
	// longest HTTP-date has 33.
	maxRetryAfter = 64
)

// read turns an answer whose headers are there into an outcome. The connection
// can be used again if the body ended within what the policy reads.
func (a *attempt) read(ctx context.Context, response *http.Response, p *policy.Policy) delivery.Outcome {
	defer response.Body.Close()
	a.reach(reading)
	if response.StatusCode < lowestStatus {
		return malformed.outcome()
	}
	outcome := delivery.Outcome{Status: response.StatusCode, RetryAfter: retryAfter(response.Header)}
	// A 101 hands over the raw connection, whose reads obey neither context nor
	// deadline: nothing may be read from it.
	if response.StatusCode < http.StatusOK {
		outcome.Error, outcome.ErrorText = delivery.Protocol, "The endpoint wanted to switch to another protocol."
		return outcome
	}
	var err error
	if outcome.Response, err = drain(response.Body, p, response.StatusCode); err != nil {
		broken := a.broken(ctx)
		outcome.Error, outcome.ErrorText = broken.code, broken.text
	}
	return outcome
}

// drain reads as much of a body as the policy allows and returns the beginning
// of it that is kept: that of a failure, never that of a success (S01).
func drain(body io.Reader, p *policy.Policy, status int) (kept []byte, err error) {
	if p.Response.ReadLimit <= 0 {
		return nil, nil
	}
	body = io.LimitReader(body, int64(p.Response.ReadLimit))
	if p.Response.KeepFailed > 0 && !p.Succeeds(delivery.Outcome{Status: status}) {
		if kept, err = io.ReadAll(io.LimitReader(body, int64(p.Response.KeepFailed))); err != nil {
			return kept, err
		}
	}
	_, err = io.Copy(io.Discard, body)
	return kept, err
}

// retryAfter returns the header as it came, or "" where it can be no wait.
func retryAfter(header http.Header) string {
	value := header.Get("Retry-After")
	if len(value) > maxRetryAfter {
		return ""
	}
	return value
}
