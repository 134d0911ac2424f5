package demo

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/malotehq/malote/internal/delivery"
)

// pageSize is the largest that lists take.
const pageSize = "250"

// endpointView is an endpoint as the API shows it.
type endpointView struct {
	ID                  string
	Tenant              string
	Status              delivery.EndpointStatus
	DisabledReason      string    `json:"disabled_reason"`
	ConsecutiveFailures int       `json:"consecutive_failures"`
	PausedUntil         time.Time `json:"paused_until"`
	Pending             int       `json:"pending"`
	InFlight            int       `json:"in_flight"`
	OldestPendingAge    *int64    `json:"oldest_pending_age_seconds"`
}

// deliveryView is a delivery as the API lists it.
type deliveryView struct {
	ID           string
	EventID      string `json:"event_id"`
	EndpointID   string `json:"endpoint_id"` // "": the event matched no endpoint
	Tenant       string
	State        delivery.State
	DeadReason   delivery.Reason `json:"dead_reason"`
	SkipReason   delivery.Reason `json:"skip_reason"`
	AttemptCount int             `json:"attempt_count"`
	NextAttempt  time.Time       `json:"next_attempt_at"`
	LastStatus   int             `json:"last_response_status"`
	LastError    string          `json:"last_error_code"`
	SupersededBy string          `json:"superseded_by"`
}

// eventView is an event as the API lists it.
type eventView struct {
	ID   string
	Type string
}

// receipt is the answer to a publish.
type receipt struct {
	ID         string
	Duplicate  bool
	Deliveries int
	Skipped    int
}

type page[T any] struct {
	Data       []T
	NextCursor string `json:"next_cursor"`
}

// list reads all pages of a list, at most so many; 0: all there are.
func list[T any](ctx context.Context, c *client, path string, query url.Values, most int) ([]T, error) {
	var found []T
	query.Set("limit", pageSize)
	for pages := 1; ; pages++ {
		var read page[T]
		if err := c.get(ctx, path+"?"+query.Encode(), &read); err != nil {
			return nil, err
		}
		found = append(found, read.Data...)
		if read.NextCursor == "" || pages == most {
			return found, nil
		}
		query.Set("cursor", read.NextCursor)
	}
}

func (c *client) endpoints(ctx context.Context) ([]endpointView, error) {
	return list[endpointView](ctx, c, "/v1/webhook_endpoints", url.Values{"counts": {"true"}}, 0)
}

func (c *client) eventsOf(ctx context.Context, tenant string) ([]eventView, error) {
	return list[eventView](ctx, c, "/v1/events", url.Values{"tenant": {tenant}}, 0)
}

func (c *client) deliveriesOf(ctx context.Context, tenant string) ([]deliveryView, error) {
	return list[deliveryView](ctx, c, "/v1/webhook_deliveries", url.Values{"tenant": {tenant}}, 0)
}

// deadPages bounds a look at the dead while the demo runs.
const deadPages = 8

func (c *client) dead(ctx context.Context, since time.Time) ([]deliveryView, error) {
	return list[deliveryView](ctx, c, "/v1/webhook_deliveries", url.Values{
		"state": {string(delivery.Dead)}, "since": {since.UTC().Format(time.RFC3339)},
	}, deadPages)
}

func (c *client) policySource(ctx context.Context, name string) (string, error) {
	var found struct{ YAML string }
	err := c.get(ctx, "/v1/policies/"+url.PathEscape(name), &found)
	return found.YAML, err
}

func (c *client) tenantExists(ctx context.Context, slug string) (bool, error) {
	err := c.get(ctx, "/v1/tenants/"+url.PathEscape(slug), &struct{}{})
	if said, ok := errors.AsType[*refusal](err); ok && said.Status == http.StatusNotFound {
		return false, nil
	}
	return err == nil, err
}

func (c *client) createTenant(ctx context.Context, slug, name string) error {
	return c.post(ctx, "/v1/tenants", "tenant-"+slug, map[string]any{"id": slug, "name": name}, &struct{}{})
}

// newEndpoint is an endpoint to be created. Its secret is our own, because only
// the first answer tells a generated one, and a creation may be repeated.
type newEndpoint struct {
	Tenant      string            `json:"tenant"`
	URL         string            `json:"url"`
	Policy      string            `json:"policy"`
	EventTypes  []string          `json:"event_types"`
	Description string            `json:"description"`
	Secret      string            `json:"secret"`
	Metadata    map[string]string `json:"metadata"`
}

func (c *client) createEndpoint(ctx context.Context, endpoint newEndpoint) (id string, err error) {
	var made struct{ ID string }
	err = c.post(ctx, "/v1/webhook_endpoints", "endpoint-"+endpoint.URL, endpoint, &made)
	return made.ID, err
}

func (c *client) publish(ctx context.Context, event []byte) (receipt, error) {
	var answer receipt
	err := c.call(ctx, request{method: http.MethodPost, path: "/v1/events", body: event}, &answer)
	return answer, err
}

func (c *client) publishBatch(ctx context.Context, events []byte) ([]receipt, error) {
	var answer struct{ Data []receipt }
	err := c.call(ctx, request{method: http.MethodPost, path: "/v1/events/batch", body: events}, &answer)
	return answer.Data, err
}
