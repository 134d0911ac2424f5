package api

import (
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
	"github.com/malotehq/malote/webhook"
)

func TestEndpoint_CreatedWithASecretShownOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	const body = `{"url":"https://x.example/hook","event_types":["invoice.*","a.b","*"],"description":"d","metadata":{"k":"v"},"at_most_once":true}`
	made := r.call("POST", "/v1/webhook_endpoints", acmeKey, body, "Idempotency-Key", "once").object(t, http.StatusCreated)
	secret := made["secret"].(string)
	_, err := webhook.ParseSecret(secret)
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(secret, "whsec_"))
	require.Equal(t, "acme", made["tenant"])
	require.Equal(t, "standard", made["policy"])
	require.EqualValues(t, 10, made["max_in_flight"], "the policy's default (S09)")
	require.Equal(t, map[string]any{}, made["headers"])
	require.Equal(t, []Defaults{{Policy: "standard", MaxInFlight: 10, LeaseSeconds: 60}}, r.defaults)

	again := r.call("POST", "/v1/webhook_endpoints", acmeKey, body, "Idempotency-Key", "once").object(t, http.StatusOK)
	require.Equal(t, made["id"], again["id"])
	require.NotContains(t, again, "secret")
	r.call("POST", "/v1/webhook_endpoints", acmeKey, `{"url":"https://y.example"}`, "Idempotency-Key", "once").problem(t, IdempotencyKeyReused)

	path := "/v1/webhook_endpoints/" + made["id"].(string)
	for _, answer := range []reply{
		r.call("GET", path, acmeKey, ""), r.call("GET", "/v1/webhook_endpoints", acmeKey, ""), r.call("GET", path+"/secrets", acmeKey, ""),
		r.call("PATCH", path, acmeKey, `{"description":"x"}`), r.call("POST", path+"/enable", acmeKey, ""),
	} {
		require.Equal(t, http.StatusOK, answer.Code)
		require.NotContains(t, answer.Body.String(), secret)
	}
	require.NotContains(t, r.log.String(), secret)
}

func TestEndpoint_TakesASecretOfOnesOwn(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	own := webhook.GenerateSecret().Reveal()
	pasted := `{"url":"https://x.example","secret":" ` + strings.TrimPrefix(own, "whsec_") + `\n"}`
	made := r.call("POST", "/v1/webhook_endpoints", acmeKey, pasted).object(t, http.StatusCreated)
	require.Equal(t, own, made["secret"], "in its canonical form")
}

func TestEndpoint_ShowsHowItIsDoing(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	path := "/v1/webhook_endpoints/" + r.acme.Format(delivery.EndpointPrefix)
	one := r.call("GET", path, readKey, "").object(t, http.StatusOK)
	require.EqualValues(t, 7, one["pending"])
	require.InDelta(t, 90, one["oldest_pending_age_seconds"], 5)
	require.Nil(t, one["last_success_at"])
	require.Equal(t, map[string]any{"Authorization": hidden}, one["headers"], "who only reads sees no credentials of the receiver's")
	for _, key := range []string{acmeKey, adminKey} {
		require.Equal(t, map[string]any{"Authorization": "Bearer receiver"}, r.call("GET", path, key, "").object(t, http.StatusOK)["headers"])
	}
	row := r.call("GET", "/v1/webhook_endpoints", readKey, "").object(t, http.StatusOK)["data"].([]any)[0].(map[string]any)
	require.Equal(t, map[string]any{"Authorization": hidden}, row["headers"])
	require.Contains(t, row, "pending")
	require.Nil(t, row["pending"], "not counted")
}

func TestEndpoint_HeadersThatAreOurs(t *testing.T) {
	t.Parallel()
	dracma, _ := policy.Preset("dracma")
	standard, _ := policy.Preset("standard")
	for _, name := range []string{
		"Host", "host", "Content-Type", "content-length", "Content-Encoding", "Transfer-Encoding", "Connection", "Keep-Alive",
		"Upgrade", "TE", "Trailer", "Proxy-Authorization", "webhook-id", "Webhook-Signature", "WEBHOOK-anything", "Expect",
		"User-Agent", "Date", "Accept-Encoding", "", "a b", "é", "a:b", "a\n",
	} {
		require.Error(t, checkHeaders(map[string]string{name: "x"}, standard), "%q", name)
	}
	for _, value := range []string{"a\r\nb: c", "a\nb", "a\r", "\x00", "\x7f"} {
		require.Error(t, checkHeaders(map[string]string{"X-A": value}, standard), "%q", value)
	}
	require.NoError(t, checkHeaders(map[string]string{"Authorization": "Bearer x", "X-Api-Key": "é\t", "Cookie": "a=b"}, standard))
	require.Error(t, checkHeaders(map[string]string{"X-A": "1", "x-a": "2"}, standard))
	require.Error(t, checkHeaders(map[string]string{"X-A": strings.Repeat("x", maxHeaderBytes)}, standard))
	many := map[string]string{}
	for i := range maxHeaders + 1 {
		many[fmt.Sprint("X-", i)] = "x"
	}
	require.Error(t, checkHeaders(many, standard))
	delete(many, "X-0")
	require.NoError(t, checkHeaders(many, standard))
	for _, name := range policyHeaders(dracma) {
		require.Error(t, checkHeaders(map[string]string{strings.ToLower(name): "x"}, dracma), name)
	}
	require.Contains(t, policyHeaders(dracma), "Dracma-Event-Id", "header names are part of the policy (D12)")
}

func TestEndpoint_APolicysHeadersCountWhenItChanges(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	path := "/v1/webhook_endpoints/" + r.acme.Format(delivery.EndpointPrefix)
	r.call("PATCH", path, acmeKey, `{"headers":{"Dracma-Event-Id":"x"}}`).object(t, http.StatusOK)
	p := r.call("PATCH", path, acmeKey, `{"policy":"dracma"}`).problem(t, InvalidRequest)
	require.Equal(t, "headers.Dracma-Event-Id", p.Errors[0].Field)
	r.call("PATCH", path, acmeKey, `{"policy":"dracma","headers":{}}`).object(t, http.StatusOK)
	require.Equal(t, "dracma", r.endpoints[r.acme].Policy)
	require.Equal(t, "dracma", r.defaults[len(r.defaults)-1].Policy)
	r.call("PATCH", path, acmeKey, `{}`).object(t, http.StatusOK)
	r.call("PATCH", path, acmeKey, `{"url":null,"max_in_flight":0}`).object(t, http.StatusOK)
	require.Equal(t, "https://example.com/acme", r.endpoints[r.acme].URL)
}

func TestEndpoint_Actions(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	path := "/v1/webhook_endpoints/" + r.acme.Format(delivery.EndpointPrefix)
	for _, c := range []struct{ action, status string }{
		{"disable", "disabled_by_user"}, {"enable", "active"}, {"pause", "paused"}, {"resume", "active"},
	} {
		object := r.call("POST", path+"/"+c.action, acmeKey, "").object(t, http.StatusOK)
		require.Equal(t, c.status, object["status"], c.action)
		if c.action == "enable" {
			require.EqualValues(t, 3, object["replayed_count"])
		} else {
			require.NotContains(t, object, "replayed_count")
		}
	}
	test := r.call("POST", path+"/test", acmeKey, "").object(t, http.StatusOK)
	require.Contains(t, test["event_id"], "evt_")
	attempt := test["attempt"].(map[string]any)
	require.NotNil(t, attempt["started_at"])
	delete(attempt, "started_at")
	delete(attempt, "scheduled_at")
	require.Equal(t, map[string]any{
		"number": 1.0, "trigger": "test", "duration_ms": 12.0, "response_status": 503.0,
		"error_code": "http_status", "error": delivery.HTTPStatus.Explain(), "response_body": "busy \uFFFD",
	}, attempt)
	require.EqualValues(t, 5, r.call("POST", path+"/discard", acmeKey, "").object(t, http.StatusOK)["discarded_count"])
	require.Equal(t, []delivery.ID{r.acme}, r.discarded)
	require.Equal(t, http.StatusNoContent, r.call("DELETE", path, acmeKey, "").Code)
	r.call("GET", path, acmeKey, "").problem(t, NotFound)
}

func TestSecrets_RotatedListedRevoked(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	path := "/v1/webhook_endpoints/" + r.acme.Format(delivery.EndpointPrefix) + "/secrets"
	added := r.call("POST", path, acmeKey, "", "Idempotency-Key", "k").object(t, http.StatusCreated)
	require.Contains(t, added["value"], "whsec_")
	require.NotContains(t, r.call("POST", path, acmeKey, "", "Idempotency-Key", "k").object(t, http.StatusOK), "value")

	for body, overlap := range map[string]string{"": "24h", `{}`: "24h", `{"overlap":"0s"}`: "0s", `{"overlap":"90m"}`: "1h30m", `{"overlap":"720h"}`: "720h"} {
		r.call("POST", path+"/rotate", acmeKey, body).object(t, http.StatusCreated)
		require.Equal(t, overlap, span(r.overlaps[len(r.overlaps)-1]).String(), body)
	}
	list := r.call("GET", path, acmeKey, "").object(t, http.StatusOK)["data"].([]any)
	require.Len(t, list, 6)
	for _, row := range list {
		require.ElementsMatch(t, []string{"id", "created_at", "expires_at"}, keysOf(row))
	}
	require.Equal(t, http.StatusNoContent, r.call("DELETE", path+"/"+added["id"].(string), acmeKey, "").Code)
	r.call("DELETE", path+"/"+added["id"].(string), acmeKey, "").problem(t, NotFound)
}

func keysOf(object any) []string {
	names := []string{}
	for name := range maps.Keys(object.(map[string]any)) {
		names = append(names, name)
	}
	return names
}
