package client_test

import (
	"context"
	"iter"
	"net/http"
	"reflect"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/client"
)

var (
	since = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	until = since.Add(24 * time.Hour)
	days  = 48 * time.Hour
)

// operation is a method and the request that it makes.
type operation struct {
	call func(context.Context, *client.Client) error
	want string // method, path and query
	body string // "": none

	once    bool // it is sent once
	creates bool // with an Idempotency-Key
}

func first[T any](list iter.Seq2[T, error]) error {
	for _, err := range list {
		return err
	}
	return nil
}

// only drops what a method gives beside its error.
func only[T any](_ T, err error) error { return err }

var operations = map[string]operation{
	"Ready": {want: "GET /readyz", call: func(ctx context.Context, c *client.Client) error { return c.Ready(ctx) }},
	"Publish": {want: "POST /v1/events", body: `{"type":"a.b","idempotency_key":"k","data":1}`, call: func(ctx context.Context, c *client.Client) error {
		return only(c.Publish(ctx, client.NewEvent{Type: "a.b", Data: []byte("1"), IdempotencyKey: "k"}))
	}},
	"Event": {want: "GET /v1/events/evt_1", call: func(ctx context.Context, c *client.Client) error { return only(c.Event(ctx, "evt_1")) }},
	"EventBody": {want: "GET /v1/events/evt_1/body", call: func(ctx context.Context, c *client.Client) error {
		_, _, err := c.EventBody(ctx, "evt_1")
		return err
	}},
	"EventPage": {want: "GET /v1/events?limit=250&since=2026-03-01T12%3A00%3A00Z&tenant=acme&type=a.b&until=2026-03-02T12%3A00%3A00Z",
		call: func(ctx context.Context, c *client.Client) error {
			return only(c.EventPage(ctx, client.EventFilter{Tenant: "acme", Type: "a.b", Since: since, Until: until}))
		}},
	"CreateEndpoint": {creates: true, want: "POST /v1/webhook_endpoints",
		body: `{"tenant":"acme","url":"https://a.example/?a=1&b=2","event_types":["a.*"],"fifo":false,"headers":{"A":"1"}}`,
		call: func(ctx context.Context, c *client.Client) error {
			return only(c.CreateEndpoint(ctx, client.NewEndpoint{Tenant: "acme", URL: "https://a.example/?a=1&b=2", EventTypes: []string{"a.*"},
				FIFO: new(false), Headers: map[string]string{"A": "1"}}))
		}},
	"Endpoint": {want: "GET /v1/webhook_endpoints/whe_1", call: func(ctx context.Context, c *client.Client) error { return only(c.Endpoint(ctx, "whe_1")) }},
	"EndpointPage": {want: "GET /v1/webhook_endpoints?circuit=open&counts=true&cursor=x&limit=5&status=active&tenant=acme&text=example", call: func(ctx context.Context, c *client.Client) error {
		return only(c.EndpointPage(ctx, client.EndpointFilter{Tenant: "acme", Status: client.EndpointActive, Circuit: "open", Text: "example", Counts: true, Paging: client.Paging{Limit: 5, Cursor: "x"}}))
	}},
	"Endpoints": {want: "GET /v1/webhook_endpoints?limit=250", call: func(ctx context.Context, c *client.Client) error {
		return first(c.Endpoints(ctx, client.EndpointFilter{}))
	}},
	"UpdateEndpoint": {once: true, want: "PATCH /v1/webhook_endpoints/whe_1", body: `{"event_types":[],"max_in_flight":0,"filter":""}`,
		call: func(ctx context.Context, c *client.Client) error {
			return only(c.UpdateEndpoint(ctx, "whe_1", client.EndpointPatch{EventTypes: new([]string{}), MaxInFlight: new(0), Filter: new("")}))
		}},
	"DeleteEndpoint": {once: true, want: "DELETE /v1/webhook_endpoints/whe_1", call: func(ctx context.Context, c *client.Client) error {
		return c.DeleteEndpoint(ctx, "whe_1")
	}},
	"EnableEndpoint":  {once: true, want: "POST /v1/webhook_endpoints/whe_1/enable", call: func(ctx context.Context, c *client.Client) error { return only(c.EnableEndpoint(ctx, "whe_1")) }},
	"DisableEndpoint": {want: "POST /v1/webhook_endpoints/whe_1/disable", call: func(ctx context.Context, c *client.Client) error { return only(c.DisableEndpoint(ctx, "whe_1")) }},
	"PauseEndpoint":   {want: "POST /v1/webhook_endpoints/whe_1/pause", call: func(ctx context.Context, c *client.Client) error { return only(c.PauseEndpoint(ctx, "whe_1")) }},
	"ResumeEndpoint":  {want: "POST /v1/webhook_endpoints/whe_1/resume", call: func(ctx context.Context, c *client.Client) error { return only(c.ResumeEndpoint(ctx, "whe_1")) }},
	"TestEndpoint":    {once: true, want: "POST /v1/webhook_endpoints/whe_1/test", call: func(ctx context.Context, c *client.Client) error { return only(c.TestEndpoint(ctx, "whe_1")) }},
	"DiscardPending":  {once: true, want: "POST /v1/webhook_endpoints/whe_1/discard", call: func(ctx context.Context, c *client.Client) error { return only(c.DiscardPending(ctx, "whe_1")) }},
	"Secrets":         {want: "GET /v1/webhook_endpoints/whe_1/secrets", call: func(ctx context.Context, c *client.Client) error { return only(c.Secrets(ctx, "whe_1")) }},
	"AddSecret": {creates: true, want: "POST /v1/webhook_endpoints/whe_1/secrets", body: `{}`, call: func(ctx context.Context, c *client.Client) error {
		return only(c.AddSecret(ctx, "whe_1", client.NewSecret{}))
	}},
	"RotateSecret": {creates: true, want: "POST /v1/webhook_endpoints/whe_1/secrets/rotate", body: `{"value":"whsec_x","overlap":"48h0m0s"}`,
		call: func(ctx context.Context, c *client.Client) error {
			return only(c.RotateSecret(ctx, "whe_1", client.Rotation{Value: "whsec_x", Overlap: &days}))
		}},
	"RevokeSecret": {once: true, want: "DELETE /v1/webhook_endpoints/whe_1/secrets/sec_1", call: func(ctx context.Context, c *client.Client) error {
		return c.RevokeSecret(ctx, "whe_1", "sec_1")
	}},
	"StartRecovery": {creates: true, want: "POST /v1/webhook_endpoints/whe_1/recover", body: `{"since":"2026-03-01T12:00:00Z","states":["dead"]}`,
		call: func(ctx context.Context, c *client.Client) error {
			return only(c.StartRecovery(ctx, "whe_1", client.NewRecovery{Since: since, States: []client.State{client.StateDead}}))
		}},
	"PreviewRecovery": {creates: true, want: "POST /v1/webhook_endpoints/whe_1/recover",
		body: `{"since":"2026-03-01T12:00:00Z","until":"2026-03-02T12:00:00Z","dry_run":true}`, call: func(ctx context.Context, c *client.Client) error {
			return only(c.PreviewRecovery(ctx, "whe_1", client.NewRecovery{Since: since, Until: until}))
		}},
	"Recovery":       {want: "GET /v1/recoveries/rec_1", call: func(ctx context.Context, c *client.Client) error { return only(c.Recovery(ctx, "rec_1")) }},
	"CancelRecovery": {want: "POST /v1/recoveries/rec_1/cancel", call: func(ctx context.Context, c *client.Client) error { return only(c.CancelRecovery(ctx, "rec_1")) }},
	"Recoveries":     {want: "GET /v1/webhook_endpoints/whe_1/recoveries?limit=250", call: func(ctx context.Context, c *client.Client) error { return first(c.Recoveries(ctx, "whe_1")) }},
	"RecoveryPage": {want: "GET /v1/webhook_endpoints/whe_1/recoveries?limit=2", call: func(ctx context.Context, c *client.Client) error {
		return only(c.RecoveryPage(ctx, "whe_1", client.Paging{Limit: 2}))
	}},
	"Delivery": {want: "GET /v1/webhook_deliveries/whd_1", call: func(ctx context.Context, c *client.Client) error { return only(c.Delivery(ctx, "whd_1")) }},
	"DeliveryPage": {want: "GET /v1/webhook_deliveries?endpoint=whe_1&event=evt_1&limit=250&state=dead&tenant=acme&type=a.b", call: func(ctx context.Context, c *client.Client) error {
		return only(c.DeliveryPage(ctx, client.DeliveryFilter{Tenant: "acme", EndpointID: "whe_1", EventID: "evt_1", State: client.StateDead, EventType: "a.b"}))
	}},
	"ReplayDelivery": {once: true, want: "POST /v1/webhook_deliveries/whd_1/replay", call: func(ctx context.Context, c *client.Client) error { return only(c.ReplayDelivery(ctx, "whd_1")) }},
	"ReplayDeliveries": {once: true, want: "POST /v1/webhook_deliveries/replay", body: `{"ids":["whd_1","whd_2"]}`, call: func(ctx context.Context, c *client.Client) error {
		return only(c.ReplayDeliveries(ctx, []string{"whd_1", "whd_2"}))
	}},
	"PreviewReplay": {want: "POST /v1/webhook_deliveries/replay", body: `{"ids":["whd_1"],"preview":true}`, call: func(ctx context.Context, c *client.Client) error {
		return only(c.PreviewReplay(ctx, []string{"whd_1"}))
	}},
	"ResolveDelivery": {once: true, want: "POST /v1/webhook_deliveries/whd_1/resolve", body: `{"reason":"entered by hand"}`, call: func(ctx context.Context, c *client.Client) error {
		return c.ResolveDelivery(ctx, "whd_1", "entered by hand")
	}},
	"CreateTenant": {creates: true, want: "POST /v1/tenants", body: `{"id":"acme","priority":3}`, call: func(ctx context.Context, c *client.Client) error {
		return only(c.CreateTenant(ctx, client.NewTenant{ID: "acme", Priority: 3}))
	}},
	"Tenant":  {want: "GET /v1/tenants/acme", call: func(ctx context.Context, c *client.Client) error { return only(c.Tenant(ctx, "acme")) }},
	"Tenants": {want: "GET /v1/tenants?limit=250", call: func(ctx context.Context, c *client.Client) error { return first(c.Tenants(ctx)) }},
	"TenantPage": {want: "GET /v1/tenants?limit=7", call: func(ctx context.Context, c *client.Client) error {
		return only(c.TenantPage(ctx, client.Paging{Limit: 7}))
	}},
	"UpdateTenant": {once: true, want: "PATCH /v1/tenants/acme", body: `{"name":"","alert_emails":[]}`, call: func(ctx context.Context, c *client.Client) error {
		return only(c.UpdateTenant(ctx, "acme", client.TenantPatch{Name: new(""), AlertEmails: new([]string{})}))
	}},
	"DeleteTenant": {once: true, want: "DELETE /v1/tenants/acme", call: func(ctx context.Context, c *client.Client) error { return c.DeleteTenant(ctx, "acme") }},
	"CreateKey": {creates: true, want: "POST /v1/keys", body: `{"scope":"publish","tenant":"acme"}`, call: func(ctx context.Context, c *client.Client) error {
		return only(c.CreateKey(ctx, client.NewKey{Scope: client.ScopePublish, Tenant: "acme"}))
	}},
	"Keys": {want: "GET /v1/keys?limit=250&tenant=acme", call: func(ctx context.Context, c *client.Client) error {
		return first(c.Keys(ctx, client.KeyFilter{Tenant: "acme"}))
	}},
	"KeyPage":   {want: "GET /v1/keys?limit=250", call: func(ctx context.Context, c *client.Client) error { return only(c.KeyPage(ctx, client.KeyFilter{})) }},
	"RevokeKey": {once: true, want: "DELETE /v1/keys/key_1", call: func(ctx context.Context, c *client.Client) error { return c.RevokeKey(ctx, "key_1") }},
	"Policies":  {want: "GET /v1/policies", call: func(ctx context.Context, c *client.Client) error { return only(c.Policies(ctx)) }},
	"Policy":    {want: "GET /v1/policies/standard", call: func(ctx context.Context, c *client.Client) error { return only(c.Policy(ctx, "standard")) }},
	"CreatePolicy": {creates: true, want: "POST /v1/policies", body: `{"yaml":"name: mine"}`, call: func(ctx context.Context, c *client.Client) error {
		return only(c.CreatePolicy(ctx, client.NewPolicy{YAML: "name: mine"}))
	}},
	"CreatePortalLink": {want: "POST /v1/portal_links", body: `{"tenant":"acme","role":"support","expires_in":"5m0s"}`, call: func(ctx context.Context, c *client.Client) error {
		return only(c.CreatePortalLink(ctx, client.NewPortalLink{Tenant: "acme", Role: client.PortalSupport, ExpiresIn: 5 * time.Minute}))
	}},
	"Signals": {want: "GET /v1/signals?endpoint=whe_1&kind=delivery_dead&limit=250&since=2026-03-01T12%3A00%3A00Z&tenant=acme", call: func(ctx context.Context, c *client.Client) error {
		return first(c.Signals(ctx, client.SignalFilter{Tenant: "acme", Kind: "delivery_dead", EndpointID: "whe_1", Since: since}))
	}},
	"SignalPage": {want: "GET /v1/signals?limit=250", call: func(ctx context.Context, c *client.Client) error {
		return only(c.SignalPage(ctx, client.SignalFilter{}))
	}},
}

// Every method makes the request that the API knows, and is sent again exactly
// where that does no harm.
func TestOperations(t *testing.T) {
	t.Parallel()
	for name, o := range operations {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c, w := over(t, func(n int, _ sent) (*http.Response, error) {
					if n == 1 {
						return answer(503, unavailable), nil
					}
					return answer(200, `{}`), nil
				})
				err := o.call(t.Context(), c)
				requests := w.seen()
				if o.once {
					require.ErrorIs(t, err, client.CodeUnavailable)
					require.Len(t, requests, 1)
					require.Empty(t, requests[0].header.Get("Idempotency-Key"))
				} else {
					require.NoError(t, err)
					require.Len(t, requests, 2)
					require.Equal(t, requests[0].body, requests[1].body)
				}
				for _, r := range requests {
					got := r.method + " " + r.path[len("/api"):]
					if r.query != "" {
						got += "?" + r.query
					}
					require.Equal(t, o.want, got)
					if o.body == "" {
						require.Empty(t, r.body)
					} else {
						require.JSONEq(t, o.body, r.body)
					}
					key := r.header.Get("Idempotency-Key")
					require.Equal(t, o.creates, key != "")
					require.Equal(t, requests[0].header.Get("Idempotency-Key"), key, "one key for one call")
				}
			})
		})
	}
}

// What has no row above has tests of its own.
func TestOperations_AreAllThereAre(t *testing.T) {
	t.Parallel()
	elsewhere := []string{"BaseURL", "Call", "CloseIdleConnections", "Deliveries", "EventPages", "Events", "PublishBatch"}
	for method := range reflect.TypeFor[*client.Client]().Methods() {
		_, here := operations[method.Name]
		require.NotEqual(t, here, slices.Contains(elsewhere, method.Name), method.Name)
	}
}

// A creation that the caller repeats himself has the caller's key.
func TestCreate_TakesTheCallersKey(t *testing.T) {
	t.Parallel()
	c, w := over(t, always(201, `{}`))
	ctx := t.Context()
	for _, err := range []error{
		only(c.CreateEndpoint(ctx, client.NewEndpoint{IdempotencyKey: "mine"})),
		only(c.AddSecret(ctx, "whe_1", client.NewSecret{IdempotencyKey: "mine"})),
		only(c.RotateSecret(ctx, "whe_1", client.Rotation{IdempotencyKey: "mine"})),
		only(c.StartRecovery(ctx, "whe_1", client.NewRecovery{IdempotencyKey: "mine"})),
		only(c.CreateTenant(ctx, client.NewTenant{IdempotencyKey: "mine"})),
		only(c.CreateKey(ctx, client.NewKey{IdempotencyKey: "mine"})),
		only(c.CreatePolicy(ctx, client.NewPolicy{IdempotencyKey: "mine"})),
	} {
		require.NoError(t, err)
	}
	for _, r := range w.seen() {
		require.Equal(t, "mine", r.header.Get("Idempotency-Key"), r.path)
		require.NotContains(t, r.body, "mine")
	}
}
