package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/malotehq/malote/client"
)

// longWork is the patience with what takes as long as a receiver or a backlog
// makes it; the server gives up a little sooner.
const longWork = client.LongTimeout

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

// do sends a request, again where that is harmless and may help, and gives the
// answer or an error in one line.
func (c *connection) do(request client.Request) (*client.Response, error) {
	return waiting(c, func(ctx context.Context) (*client.Response, error) { return c.api.Call(ctx, request) })
}

// fetch asks for one thing: as T, and as the JSON it came in.
func fetch[T any](c *connection, request client.Request) (T, *client.Response, error) {
	var value T
	got, err := c.do(request)
	if err != nil {
		return value, nil, err
	}
	return value, got, c.explain(got.Decode(&value))
}

// waiting shows that a call is under way, and puts what goes wrong into one line.
func waiting[T any](c *connection, call func(context.Context) (T, error)) (T, error) {
	progress := c.env.progress("waiting for " + c.base.Host)
	defer progress.stop()
	got, err := call(c.env.ctx)
	return got, c.explain(err)
}

var errInterrupted = errors.New("interrupted")

// atATerminal is the patience of a person there, for requests that may be
// repeated.
type atATerminal struct{}

// The pauses before a request is sent again: long enough for a server that is
// restarted, short enough not to hide one that is not there.
var pauses = []time.Duration{100 * time.Millisecond, 400 * time.Millisecond, time.Second}

// longestPause bounds what a Retry-After can ask of a person at a terminal.
const longestPause = 5 * time.Second

// Pause implements client.RetryPolicy.
func (atATerminal) Pause(tries int, err error) (time.Duration, bool) {
	if tries > len(pauses) {
		return 0, false
	}
	pause := pauses[tries-1]
	if refused, ok := errors.AsType[*client.Error](err); ok {
		return max(pause, min(refused.RetryAfter, longestPause)), passing(refused)
	}
	return pause, !errors.Is(err, context.DeadlineExceeded) // that was long enough already
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
