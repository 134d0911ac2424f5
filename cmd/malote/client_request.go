package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// request is one question to the API.
type request struct {
	method string
	path   string // with escaped parts: see pathOf
	query  url.Values
	body   []byte // JSON; nil: none

	// onceKey is sent as Idempotency-Key, so that a repeat is harmless. It is
	// harmless as well where repeatable says so.
	onceKey    string
	repeatable bool

	// patience replaces --timeout where the work itself may take that long.
	patience time.Duration
}

// longWork is the patience with what takes as long as a receiver or a backlog
// makes it; the server gives up a little sooner.
const longWork = 6*time.Minute + 10*time.Second

// maxAnswer bounds what is read of an answer, in bytes.
const maxAnswer = 256 << 20

// pathOf joins escaped parts.
func pathOf(parts ...string) string {
	path := ""
	for _, part := range parts {
		path += "/" + url.PathEscape(part)
	}
	return path
}

// newOnceKey makes an idempotency key, so that a request whose answer got lost
// can be sent again.
func newOnceKey() string { return "cli-" + rand.Text() }

// encoded is a value of ours as JSON.
func encoded(value any) []byte {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false) // URLs are full of &
	if err := encoder.Encode(value); err != nil {
		panic(fmt.Sprintf("a request cannot be encoded: %v", err)) // maps and structs of strings and numbers
	}
	return bytes.TrimRight(text.Bytes(), "\n")
}

// answer is a success.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// into reads the answer's JSON.
func (a *answer) into(target any) error {
	if err := json.Unmarshal(a.body, target); err != nil {
		return fmt.Errorf("the server's answer is not what this version of malote expects: %w", err)
	}
	return nil
}

// The pauses before a request is sent again: long enough for a server that is
// restarted, short enough not to hide one that is not there.
var pauses = []time.Duration{100 * time.Millisecond, 400 * time.Millisecond, time.Second}

// longestPause bounds what a Retry-After can ask of a person at a terminal.
const longestPause = 5 * time.Second

// do sends a request, again where that is harmless and may help, and gives the
// answer or an error in one line.
func (c *client) do(req request) (*answer, error) {
	progress := c.env.progress("waiting for " + c.base.Host)
	defer progress.stop()
	for try := 0; ; try++ {
		got, err := c.once(req)
		if err == nil {
			return got, nil
		}
		pause, again := c.pauseAfter(req, err, try)
		if !again {
			return nil, c.explain(req, err)
		}
		if !sleep(c.env.ctx, pause) {
			return nil, errInterrupted
		}
	}
}

var errInterrupted = errors.New("interrupted")

// pauseAfter says whether, and when, to try again.
func (c *client) pauseAfter(req request, err error, try int) (time.Duration, bool) {
	harmless := req.method == http.MethodGet || req.onceKey != "" || req.repeatable
	if !harmless || try >= len(pauses) || c.env.ctx.Err() != nil {
		return 0, false
	}
	if failed, ok := errors.AsType[*apiError](err); ok {
		return max(pauses[try], min(failed.retryAfter, longestPause)), failed.passing()
	}
	return pauses[try], !errors.Is(err, context.DeadlineExceeded) // that was long enough already
}

// sleep says whether it was not interrupted.
func sleep(ctx context.Context, pause time.Duration) bool {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

func (c *client) once(req request) (*answer, error) {
	patience := c.timeout
	if req.patience > 0 {
		patience = req.patience
	}
	ctx, cancel := context.WithTimeout(c.env.ctx, patience)
	defer cancel()
	sent, err := http.NewRequestWithContext(ctx, req.method, c.base.String()+req.path, bytes.NewReader(req.body))
	if err != nil {
		return nil, err
	}
	sent.URL.RawQuery = req.query.Encode()
	sent.Header.Set("Authorization", "Bearer "+c.key)
	sent.Header.Set("User-Agent", "malote-cli/"+version())
	if req.body != nil {
		sent.Header.Set("Content-Type", "application/json")
	}
	if req.onceKey != "" {
		sent.Header.Set("Idempotency-Key", req.onceKey)
	}
	response, err := c.http.Do(sent)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	if err != nil {
		return nil, err
	}
	if len(body) > maxAnswer {
		return nil, fmt.Errorf("the answer is longer than %d MiB", maxAnswer>>20)
	}
	if response.StatusCode < 200 || response.StatusCode > 299 {
		return nil, readProblem(response, body)
	}
	return &answer{status: response.StatusCode, header: response.Header, body: body}, nil
}

// secondsOf reads a Retry-After in seconds; 0 if it is none.
func secondsOf(header string) time.Duration {
	seconds, err := strconv.Atoi(header)
	if err != nil || seconds < 0 {
		return 0
	}
	return time.Duration(min(seconds, 3600)) * time.Second
}

// fetch asks for one thing: as T, and as the JSON it came in.
func fetch[T any](c *client, req request) (T, *answer, error) {
	var value T
	got, err := c.do(req)
	if err != nil {
		return value, nil, err
	}
	return value, got, got.into(&value)
}
