package client

import (
	"context"
	"net/http"
	"time"
)

// long is the time for work that lasts as long as a receiver or a backlog makes
// it.
func (c *Client) long() time.Duration { return max(c.timeout, LongTimeout) }

// EnableEndpoint enables an endpoint, whatever stopped it: its failures are
// forgotten, a pause ends, and what is pending is sent. If its policy says so,
// dead deliveries go back into the queue: see ReplayedCount. It is sent once, and
// may take [LongTimeout].
func (c *Client) EnableEndpoint(ctx context.Context, id string) (Endpoint, error) {
	return act[Endpoint](ctx, c, id, "enable", false)
}

// DisableEndpoint disables an endpoint: new events are recorded as skipped, and
// what is pending stays until it is enabled again or discarded. It may take
// [LongTimeout].
func (c *Client) DisableEndpoint(ctx context.Context, id string) (Endpoint, error) {
	return act[Endpoint](ctx, c, id, "disable", true)
}

// PauseEndpoint pauses an endpoint: events are collected, none is sent. It may
// take [LongTimeout].
func (c *Client) PauseEndpoint(ctx context.Context, id string) (Endpoint, error) {
	return act[Endpoint](ctx, c, id, "pause", true)
}

// ResumeEndpoint resumes a paused endpoint: what was collected is sent. It may
// take [LongTimeout].
func (c *Client) ResumeEndpoint(ctx context.Context, id string) (Endpoint, error) {
	return act[Endpoint](ctx, c, id, "resume", true)
}

// TestResult is what came of a test event.
type TestResult struct {
	EventID string  `json:"event_id"` // as the receiver saw it
	Attempt Attempt `json:"attempt"`
}

// TestEndpoint sends a test event to an endpoint now, ahead of all that waits,
// and gives its attempt: see [Attempt.OK]. It is sent once, and may take
// [LongTimeout].
func (c *Client) TestEndpoint(ctx context.Context, id string) (TestResult, error) {
	return act[TestResult](ctx, c, id, "test", false)
}

// DiscardPending closes what waits for an endpoint as discarded, and says how
// many deliveries that were. What is being sent just now is not touched. It is
// sent once, and may take [LongTimeout].
func (c *Client) DiscardPending(ctx context.Context, id string) (int, error) {
	discarded, err := act[struct {
		Count int `json:"discarded_count"`
	}](ctx, c, id, "discard", false)
	return discarded.Count, err
}

func act[T any](ctx context.Context, c *Client, id, action string, repeatable bool) (T, error) {
	return Do[T](ctx, c, Request{
		Method: http.MethodPost, Path: endpointsPath + Path(id, action), Repeatable: repeatable, Timeout: c.long(),
	})
}
