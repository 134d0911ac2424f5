package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// How often, and after which pauses, a request is repeated that a moment's
// trouble may have kept from working. Every request is harmless to repeat.
const (
	requestTries   = 12 // over some 15 s: long enough for a restart
	firstPause     = 100 * time.Millisecond
	longestPause   = 2 * time.Second
	requestTimeout = 20 * time.Second
	maxAnswer      = 16 << 20 // bytes
)

// client talks to the API.
type client struct {
	base string
	key  string
	http *http.Client

	tries int // of each request, at most
}

func newClient(base, key string, connections int) *client {
	return &client{base: strings.TrimSuffix(base, "/"), key: key, tries: requestTries, http: &http.Client{
		Timeout:   requestTimeout,
		Transport: &http.Transport{MaxIdleConnsPerHost: connections, MaxIdleConns: connections},
	}}
}

func (c *client) close() { c.http.CloseIdleConnections() }

// refusal is an answer that says no (RFC 9457).
type refusal struct {
	Status int    `json:"status"`
	Code   string `json:"code"`
	Detail string `json:"detail"`
}

func (r *refusal) Error() string { return fmt.Sprintf("%d %s: %s", r.Status, r.Code, r.Detail) }

// temporary says whether the same request may work later.
func (r *refusal) temporary() bool {
	return r.Status >= 500 || r.Status == http.StatusTooManyRequests || r.Status == http.StatusRequestTimeout
}

// request is one call of the API.
type request struct {
	method, path string
	body         []byte
	key          string // Idempotency-Key; "": the body has its own, or it is a GET
}

// call makes a request, repeatedly if need be, and decodes the answer.
func (c *client) call(ctx context.Context, r request, answer any) error {
	pause := firstPause
	for try := 1; ; try++ {
		err := c.once(ctx, r, answer)
		if err == nil {
			return nil
		}
		said, isRefusal := errors.AsType[*refusal](err)
		if try == c.tries || ctx.Err() != nil || isRefusal && !said.temporary() {
			return fmt.Errorf("%s %s: %w", r.method, r.path, err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
		pause = min(2*pause, longestPause)
	}
}

func (c *client) once(ctx context.Context, r request, answer any) error {
	httpRequest, err := http.NewRequestWithContext(ctx, r.method, c.base+r.path, bytes.NewReader(r.body))
	if err != nil {
		return err
	}
	httpRequest.Header.Set("Authorization", "Bearer "+c.key)
	if r.body != nil {
		httpRequest.Header.Set("Content-Type", "application/json")
	}
	if r.key != "" {
		httpRequest.Header.Set("Idempotency-Key", r.key)
	}
	response, err := c.http.Do(httpRequest)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return err
	}
	if response.StatusCode < 200 || response.StatusCode > 299 {
		said := &refusal{Status: response.StatusCode}
		_ = json.Unmarshal(body, said) // a proxy's answer may be anything
		said.Status = response.StatusCode
		return said
	}
	if err := json.Unmarshal(body, answer); err != nil {
		return fmt.Errorf("reading the answer: %w", err)
	}
	return nil
}

func (c *client) get(ctx context.Context, path string, answer any) error {
	return c.call(ctx, request{method: http.MethodGet, path: path}, answer)
}

func (c *client) post(ctx context.Context, path, key string, body, answer any) error {
	encoded, err := json.Marshal(body)
	if err != nil {
		return err
	}
	return c.call(ctx, request{method: http.MethodPost, path: path, body: encoded, key: key}, answer)
}
