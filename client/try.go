package client

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// try sends the request once.
func (c *Client) try(ctx context.Context, request *Request) (*Response, error) {
	timeout := cmp.Or(request.Timeout, c.timeout)
	bounded, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	sent, err := c.prepare(bounded, request)
	if err != nil {
		return nil, err
	}
	response, err := c.transport.RoundTrip(sent)
	if err != nil {
		return nil, noAnswer(ctx, request, timeout, err)
	}
	defer response.Body.Close()
	if response.StatusCode < 200 || response.StatusCode > 299 {
		return nil, c.readError(request, response)
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, c.maxAnswer+1))
	if err != nil {
		return nil, noAnswer(ctx, request, timeout, err)
	}
	got := &Response{Status: response.StatusCode, Header: response.Header, Body: body, request: request}
	if int64(len(body)) > c.maxAnswer {
		return nil, got.unusable(fmt.Errorf("%w of %d bytes", ErrAnswerTooLong, c.maxAnswer))
	}
	return got, nil
}

func (c *Client) prepare(ctx context.Context, request *Request) (*http.Request, error) {
	sent, err := http.NewRequestWithContext(ctx, request.Method, c.base+request.Path, bytes.NewReader(request.Body))
	if err != nil {
		return nil, &ArgumentError{"Request", "has a method or path that HTTP does not know"}
	}
	sent.URL.RawQuery = request.Query.Encode()
	sent.Header.Set("Authorization", c.key.authorization())
	sent.Header.Set("User-Agent", c.agent)
	if request.Body != nil {
		sent.Header.Set("Content-Type", "application/json")
	}
	if request.IdempotencyKey != "" {
		sent.Header.Set("Idempotency-Key", request.IdempotencyKey)
	}
	return sent, nil
}

// noAnswer describes a try without a whole answer. What the context of the call
// ended, and what the try's own limit, is told apart.
func noAnswer(ctx context.Context, request *Request, timeout time.Duration, err error) error {
	if ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("no whole answer within %s: %w", timeout, err)
	}
	return &ConnectionError{Method: request.Method, Path: request.Path, Err: err}
}

// sleep says whether it was not interrupted.
func sleep(ctx context.Context, pause time.Duration) bool {
	if pause <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
