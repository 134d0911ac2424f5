package app_test

import (
	"encoding/json"
	"errors"
	"iter"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/client"
	"github.com/malotehq/malote/internal/store/pgtest"
	"github.com/malotehq/malote/webhook"
)

// client makes a client of the server, with the admin key.
func (s *server) client(options ...client.Option) *client.Client {
	s.t.Helper()
	c, err := client.New(s.url, adminKey, options...)
	require.NoError(s.t, err)
	s.t.Cleanup(c.CloseIdleConnections)
	return c
}

// awaitDelivery waits until the event's one delivery is in the state, after so
// many attempts.
func awaitDelivery(t *testing.T, c *client.Client, event string, state client.State, attempts int) client.Delivery {
	t.Helper()
	var only client.Delivery
	require.Eventually(t, func() bool {
		page, err := c.DeliveryPage(t.Context(), client.DeliveryFilter{EventID: event})
		require.NoError(t, err)
		require.Len(t, page.Data, 1)
		only = page.Data[0]
		return only.State == state && only.AttemptCount == attempts
	}, 30*time.Second, 10*time.Millisecond)
	return only
}

// all reads a whole list.
func all[T any](t *testing.T, list iter.Seq2[T, error]) (rows []T) {
	t.Helper()
	for row, err := range list {
		require.NoError(t, err)
		rows = append(rows, row)
	}
	return rows
}

// TestClient_PublishDeliverReplay is the life of an event as a Go program sees it.
func TestClient_PublishDeliverReplay(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	receiver := newLedger(t, func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no such order", http.StatusGone) })
	c := start(t, testOptions(pgtest.DSN(t))).client()
	require.NoError(t, c.Ready(ctx))
	_, err := c.CreateTenant(ctx, client.NewTenant{ID: "acme", Name: "Acme Ltd"})
	require.NoError(t, err)
	endpoint, err := c.CreateEndpoint(ctx, client.NewEndpoint{Tenant: "acme", URL: receiver.URL, EventTypes: []string{"invoice.*"}})
	require.NoError(t, err)

	const data = `{ "b":1.0,"a":"\u0000", "big":12345678901234567890,"b":2 }`
	event := client.NewEvent{Tenant: "acme", Type: "invoice.paid", Data: json.RawMessage(data), IdempotencyKey: "invoice-42", ExternalID: "42",
		CoalesceKey: "invoice", EntityVersion: "7", OccurredAt: time.Now(), EndpointIDs: []string{endpoint.ID}}
	published, err := c.Publish(ctx, event)
	require.NoError(t, err)
	require.Equal(t, client.Published{ID: published.ID, Deliveries: 1}, published)
	dead := awaitDelivery(t, c, published.ID, client.StateDead, 1)
	require.Equal(t, "gone", dead.DeadReason)

	receiver.mu.Lock()
	receiver.answer = noContent
	receiver.mu.Unlock()
	enabled, err := c.EnableEndpoint(ctx, endpoint.ID)
	require.NoError(t, err)
	require.Equal(t, client.EndpointActive, enabled.Status)
	preview, err := c.PreviewReplay(ctx, []string{dead.ID})
	require.NoError(t, err)
	require.Empty(t, preview[0].Refusal)
	replayed, err := c.ReplayDelivery(ctx, dead.ID)
	require.NoError(t, err)
	require.Equal(t, client.StateDead, replayed.State)
	awaitDelivery(t, c, published.ID, client.StateDelivered, 2)

	whole, err := c.Delivery(ctx, dead.ID)
	require.NoError(t, err)
	require.Len(t, whole.Attempts, 2)
	require.Equal(t, 410, whole.Attempts[0].ResponseStatus)
	require.False(t, whole.Attempts[0].OK())
	require.True(t, whole.Attempts[1].OK())
	arrivals := receiver.arrivals()
	require.Contains(t, string(arrivals[1].body), `"data":`+data+`}`, "the very bytes")
	secret, err := webhook.ParseSecret(endpoint.Secret)
	require.NoError(t, err)
	verifier, err := webhook.NewVerifier([]webhook.Secret{secret})
	require.NoError(t, err)
	message, err := verifier.Verify(arrivals[1].header, arrivals[1].body)
	require.NoError(t, err)
	require.Equal(t, published.ID, message.ID)

	body, contentType, err := c.EventBody(ctx, published.ID)
	require.NoError(t, err)
	require.Equal(t, arrivals[1].body, body)
	require.Equal(t, "application/json", contentType)
	again, err := c.Publish(ctx, event)
	require.NoError(t, err)
	require.Equal(t, client.Published{ID: published.ID, Duplicate: true}, again)
	event.Data = json.RawMessage(`2`)
	_, err = c.Publish(ctx, event)
	require.ErrorIs(t, err, client.CodeIdempotencyKeyReused)
}

// forgetful loses the first answers to what it carries, after the work is done.
type forgetful struct {
	http.RoundTripper
	lose atomic.Int64
}

func (f *forgetful) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := f.RoundTripper.RoundTrip(r)
	if err == nil && r.Method == http.MethodPost && f.lose.Add(-1) >= 0 {
		response.Body.Close()
		return nil, errors.New("the connection broke off")
	}
	return response, err
}

func TestClient_LostAnswersLeaveNothingTwice(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := start(t, testOptions(pgtest.DSN(t)))
	network := &forgetful{RoundTripper: http.DefaultTransport}
	c := s.client(client.WithTransport(network), client.WithRetry(client.Backoff{First: time.Millisecond}))

	network.lose.Store(1)
	tenant, err := c.CreateTenant(ctx, client.NewTenant{ID: "acme"})
	require.NoError(t, err, "its own repeat is no other tenant with that id")
	require.Equal(t, "acme", tenant.ID)
	network.lose.Store(2)
	endpoint, err := c.CreateEndpoint(ctx, client.NewEndpoint{Tenant: "acme", URL: "http://127.0.0.1:1/"})
	require.NoError(t, err)
	require.Empty(t, endpoint.Secret, "shown once, and lost")
	rotated, err := c.RotateSecret(ctx, endpoint.ID, client.Rotation{Overlap: new(time.Duration)})
	require.NoError(t, err)
	require.NotEmpty(t, rotated.Value)
	_, err = c.PauseEndpoint(ctx, endpoint.ID)
	require.NoError(t, err)

	network.lose.Store(2)
	published, err := c.Publish(ctx, client.NewEvent{Tenant: "acme", Type: "a", Data: []byte("1")})
	require.NoError(t, err)
	require.True(t, published.Duplicate)
	network.lose.Store(1)
	batch, err := c.PublishBatch(ctx, []client.NewEvent{{Tenant: "acme", Type: "b", Data: []byte("2")}, {Tenant: "acme", Type: "c", Body: []byte("x"), ContentType: "text/plain"}})
	require.NoError(t, err)
	require.True(t, batch[0].Duplicate && batch[1].Duplicate)

	events := all(t, c.Events(ctx, client.EventFilter{Tenant: "acme", Paging: client.Paging{Limit: 1}}))
	require.Len(t, events, 3)
	require.Equal(t, []string{published.ID, batch[0].ID, batch[1].ID}, []string{events[0].ID, events[1].ID, events[2].ID})
	page, err := c.EndpointPage(ctx, client.EndpointFilter{Tenant: "acme", Counts: true})
	require.NoError(t, err)
	require.Len(t, page.Data, 1)
	require.Equal(t, 3, *page.Data[0].Pending)
}

// What the two tests above do not call, once each.
func TestClient_EveryOperationIsKnown(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	c := start(t, testOptions(pgtest.DSN(t))).client()
	_, err := c.CreateTenant(ctx, client.NewTenant{ID: "acme"})
	require.NoError(t, err)
	endpoint, err := c.CreateEndpoint(ctx, client.NewEndpoint{Tenant: "acme", URL: "http://127.0.0.1:1/", Filter: "data.total > 10"})
	require.NoError(t, err)
	usesKeys(t, c, endpoint.ID)
	usesDeliveries(t, c, endpoint.ID)
	usesEndpoint(t, c, endpoint.ID)
	usesRecoveries(t, c, endpoint.ID)
	usesPolicies(t, c)

	require.NoError(t, c.DeleteEndpoint(ctx, endpoint.ID))
	_, err = c.Endpoint(ctx, endpoint.ID)
	require.ErrorIs(t, err, client.CodeNotFound)
	_, err = c.UpdateTenant(ctx, "acme", client.TenantPatch{AlertEmails: new([]string{"ops@acme.example"})})
	require.NoError(t, err)
	require.Equal(t, []string{"ops@acme.example"}, all(t, c.Tenants(ctx))[0].AlertEmails)
	if err := c.DeleteTenant(ctx, "acme"); err != nil { // what goes to a deleted endpoint may still be on its way
		require.ErrorIs(t, err, client.CodeTenantBusy)
	}
}

// usesKeys publishes what the endpoint's filter leaves out.
func usesKeys(t *testing.T, c *client.Client, endpoint string) {
	ctx := t.Context()
	key, err := c.CreateKey(ctx, client.NewKey{Scope: client.ScopePublish, Tenant: "acme"})
	require.NoError(t, err)
	require.NotEmpty(t, key.Key)
	require.Equal(t, key.ID, all(t, c.Keys(ctx, client.KeyFilter{Tenant: "acme"}))[0].ID)
	publisher, err := client.New(c.BaseURL(), key.Key)
	require.NoError(t, err)
	_, err = publisher.Publish(ctx, client.NewEvent{Type: "a.b", Data: []byte(`{"total":1}`)})
	require.NoError(t, err)
	_, err = publisher.Endpoint(ctx, endpoint)
	require.ErrorIs(t, err, client.CodeInsufficientScope)
	require.NoError(t, c.RevokeKey(ctx, key.ID))
}

func usesDeliveries(t *testing.T, c *client.Client, endpoint string) {
	ctx := t.Context()
	_, err := c.DisableEndpoint(ctx, endpoint)
	require.NoError(t, err)
	_, err = c.Publish(ctx, client.NewEvent{Tenant: "acme", Type: "a.b", Data: []byte(`{"total":11}`)})
	require.NoError(t, err)
	skipped := all(t, c.Deliveries(ctx, client.DeliveryFilter{Tenant: "acme", EndpointID: endpoint, State: client.StateSkipped,
		EventType: "a.b", Since: time.Now().Add(-time.Hour), Until: time.Now().Add(time.Hour)}))
	require.Len(t, skipped, 1)
	require.Equal(t, "endpoint_disabled", skipped[0].SkipReason)
	ids := []string{skipped[0].ID}
	require.ErrorIs(t, c.ResolveDelivery(ctx, ids[0], "it was never meant to be sent"), client.CodeDeliveryNotResolvable)
	_, err = c.ReplayDeliveries(ctx, ids)
	var refused *client.Error
	require.ErrorAs(t, err, &refused)
	require.Equal(t, client.CodeDeliveryNotReplayable, refused.Code)
	require.Equal(t, "ids[0]", refused.Faults[0].Field)
	preview, err := c.PreviewReplay(ctx, ids)
	require.NoError(t, err)
	require.Equal(t, "endpoint_disabled", preview[0].Refusal)
}

// usesEndpoint finds it disabled.
func usesEndpoint(t *testing.T, c *client.Client, id string) {
	ctx := t.Context()
	_, err := c.ResumeEndpoint(ctx, id)
	require.ErrorIs(t, err, client.CodeEndpointDisabled)
	_, err = c.DiscardPending(ctx, id)
	require.NoError(t, err)
	_, err = c.TestEndpoint(ctx, id)
	require.ErrorIs(t, err, client.CodeEndpointDisabled)
	changed, err := c.UpdateEndpoint(ctx, id, client.EndpointPatch{Filter: new(""), EventTypes: new([]string{"x"}), RateLimit: new(2.5)})
	require.NoError(t, err)
	require.InDelta(t, 2.5, changed.RateLimit, 0)

	added, err := c.AddSecret(ctx, id, client.NewSecret{})
	require.NoError(t, err)
	secrets, err := c.Secrets(ctx, id)
	require.NoError(t, err)
	require.Len(t, secrets, 2)
	require.NoError(t, c.RevokeSecret(ctx, id, added.ID))
	_, err = c.EnableEndpoint(ctx, id)
	require.NoError(t, err)
}

func usesRecoveries(t *testing.T, c *client.Client, endpoint string) {
	ctx := t.Context()
	window := client.NewRecovery{Since: time.Now().Add(-time.Hour), Until: time.Now(), States: []client.State{client.StateDead}}
	found, err := c.PreviewRecovery(ctx, endpoint, window)
	require.NoError(t, err)
	require.Empty(t, found.ID)
	begun, err := c.StartRecovery(ctx, endpoint, window)
	require.NoError(t, err)
	read, err := c.Recovery(ctx, begun.ID)
	require.NoError(t, err)
	require.Equal(t, endpoint, read.EndpointID)
	if _, err = c.CancelRecovery(ctx, begun.ID); err != nil {
		require.ErrorIs(t, err, client.CodeRecoveryEnded)
	}
	require.Equal(t, begun.ID, all(t, c.Recoveries(ctx, endpoint))[0].ID)
}

func usesPolicies(t *testing.T, c *client.Client) {
	ctx := t.Context()
	policies, err := c.Policies(ctx)
	require.NoError(t, err)
	require.True(t, policies[0].Preset)
	_, err = c.Policy(ctx, "nonsuch")
	require.ErrorIs(t, err, client.CodeUnknownPolicy)
	_, err = c.CreatePolicy(ctx, client.NewPolicy{YAML: "name: ["})
	require.ErrorIs(t, err, client.CodeInvalidPolicy)
	_, err = c.SignalPage(ctx, client.SignalFilter{Tenant: "acme", Kind: "delivery_dead", Since: time.Now().Add(-time.Hour)})
	require.NoError(t, err)
}
