package api

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

func TestSearch_FindsWhatATextNames(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	const outbox = "0f8fad5b-d9cb-469f-a165-70867728950e"
	event := r.addEvent("acme", "invoice.paid", []byte("1"))
	r.events[0].IdempotencyKey, r.events[0].ExternalID = "outbox:"+outbox, "INV 42"
	theirs := r.addEvent("globex", "invoice.paid", []byte("1"))
	r.events[1].IdempotencyKey, r.events[1].ExternalID = "k", "INV 42"
	dead := r.addDelivery("acme", event, r.acme, delivery.Dead)
	source, _ := r.addSource(t, "acme", "stripe", "")
	job, _, err := r.StartRecovery(t.Context(), "acme", RecoveryWindow{Endpoint: r.acme}, Once{})
	require.NoError(t, err)

	find := func(key, q, more string) (kinds []string, answer map[string]any) {
		t.Helper()
		answer = r.call("GET", "/v1/search?q="+url.QueryEscape(q)+more, key, "").object(t, http.StatusOK)
		for _, one := range answer["data"].([]any) {
			one := one.(map[string]any)
			kinds = append(kinds, one["kind"].(string)+" "+one["id"].(string)+" by "+one["matched"].(string))
		}
		return kinds, answer
	}
	shownEvent := event.Format(delivery.EventPrefix)
	for _, c := range []struct{ q, want string }{
		{shownEvent, "event " + shownEvent + " by id"},
		{" \"" + shownEvent + "\"\n", "event " + shownEvent + " by id"},
		{event.String(), "event " + shownEvent + " by id"},
		{strings.ToUpper(event.String()), "event " + shownEvent + " by id"},
		{dead.Format(delivery.DeliveryPrefix), "webhook_delivery " + dead.Format(delivery.DeliveryPrefix) + " by id"},
		{r.acme.Format(delivery.EndpointPrefix), "webhook_endpoint " + r.acme.Format(delivery.EndpointPrefix) + " by id"},
		{r.acme.String(), "webhook_endpoint " + r.acme.Format(delivery.EndpointPrefix) + " by id"},
		{source.Format(delivery.SourcePrefix), "source " + source.Format(delivery.SourcePrefix) + " by id"},
		{job.ID.Format(delivery.RecoveryPrefix), "recovery " + job.ID.Format(delivery.RecoveryPrefix) + " by id"},
		{"acme", "tenant acme by id"},
		{"outbox:" + outbox, "event " + shownEvent + " by idempotency_key"},
		{outbox, "event " + shownEvent + " by idempotency_key"},
	} {
		for _, key := range []string{acmeKey, adminKey, readKey} {
			kinds, _ := find(key, c.q, "")
			require.Equal(t, []string{c.want}, kinds, c.q)
		}
	}
	kinds, answer := find(acmeKey, "INV 42", "")
	require.Equal(t, []string{"event " + shownEvent + " by external_id"}, kinds)
	require.Equal(t, false, answer["needs_tenant"])
	kinds, answer = find(adminKey, "INV 42", "")
	require.Empty(t, kinds)
	require.Equal(t, true, answer["needs_tenant"])
	kinds, _ = find(adminKey, "INV 42", "&tenant=globex")
	require.Equal(t, []string{"event " + theirs.Format(delivery.EventPrefix) + " by external_id"}, kinds)

	for _, q := range []string{theirs.Format(delivery.EventPrefix), theirs.String(), r.globex.Format(delivery.EndpointPrefix), "globex", "k", "nothing at all", "evt_x", "%"} {
		kinds, _ = find(acmeKey, q, "")
		require.Empty(t, kinds, q)
	}
	r.call("GET", "/v1/search?q=x&tenant=globex", acmeKey, "").problem(t, UnknownTenant)
	for _, query := range []string{"", "q=", "q=%00", "q=%ff", "q=%zz"} {
		r.call("GET", "/v1/search?"+query, acmeKey, "").problem(t, InvalidRequest)
	}
}

func TestListEvents_ByTheNamesThatPeopleKnow(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	source := newID("acme")
	for i, e := range []delivery.Event{{IdempotencyKey: "k1", ExternalID: "x1"}, {IdempotencyKey: "k2", ExternalID: "x1"}, {SourceID: source, ExternalID: "x2"}} {
		r.addEvent("acme", "a.b", []byte("1"))
		r.events[i].IdempotencyKey, r.events[i].ExternalID, r.events[i].SourceID = e.IdempotencyKey, e.ExternalID, e.SourceID
	}
	count := func(query string) int {
		t.Helper()
		return len(r.call("GET", "/v1/events?tenant=acme&"+query, adminKey, "").object(t, http.StatusOK)["data"].([]any))
	}
	require.Equal(t, 1, count("idempotency_key=k2"))
	require.Equal(t, 2, count("external_id=x1"))
	require.Equal(t, 1, count("source="+source.Format(delivery.SourcePrefix)))
	require.Zero(t, count("external_id=x1&idempotency_key=k3"))
	r.call("GET", "/v1/events?source=evt_1", acmeKey, "").problem(t, InvalidRequest)
	first := r.call("GET", "/v1/events?external_id=x1&limit=1", acmeKey, "").object(t, http.StatusOK)["next_cursor"].(string)
	r.call("GET", "/v1/events?limit=1&cursor="+first, acmeKey, "").problem(t, InvalidCursor)
	require.Equal(t, 1, count("external_id=x1&limit=1&cursor="+first))
}

func TestListDeliveries_F18_ByReasonAndLastError(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	event := r.addEvent("acme", "a.b", []byte("1"))
	r.addDelivery("acme", event, r.acme, delivery.Dead)
	r.addDelivery("acme", event, r.acme, delivery.Dead)
	r.addDelivery("acme", event, r.acme, delivery.Delivered)
	r.deliveries[1].Reason, r.deliveries[1].LastError = delivery.Gone, delivery.Timeout
	r.deliveries[2].Reason, r.deliveries[2].ClosedAt = "", time.Now()
	count := func(query string) int {
		t.Helper()
		return len(r.call("GET", "/v1/webhook_deliveries?"+query, acmeKey, "").object(t, http.StatusOK)["data"].([]any))
	}
	require.Equal(t, 1, count("dead_reason=gone"))
	require.Equal(t, 1, count("dead_reason=attempts_exhausted&state=dead&error_code=http_status"))
	require.Equal(t, 1, count("error_code=timeout"))
	require.Equal(t, 2, count("error_code=http_status"))
	r.call("GET", "/v1/webhook_deliveries?dead_reason=gone&state=delivered", acmeKey, "").problem(t, InvalidRequest)
	r.call("GET", "/v1/webhook_deliveries?dead_reason=tired", acmeKey, "").problem(t, InvalidRequest)
}
