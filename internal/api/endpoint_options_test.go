package api

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

func TestEndpoint_LaneOptions(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	made := r.call("POST", "/v1/webhook_endpoints", acmeKey,
		`{"url":"https://x.example","rate_limit":2.5,"fifo":true,"filter":"data.total > 10"}`).object(t, http.StatusCreated)
	require.Equal(t, []any{2.5, true, "data.total > 10"}, []any{made["rate_limit"], made["fifo"], made["filter"]})
	path := "/v1/webhook_endpoints/" + made["id"].(string)
	changed := r.call("PATCH", path, acmeKey, `{"rate_limit":0,"fifo":false,"filter":""}`).object(t, http.StatusOK)
	require.Equal(t, []any{nil, false, ""}, []any{changed["rate_limit"], changed["fifo"], changed["filter"]})
	for _, rate := range []string{"0.0001", "0.000000000000001", "-1", "10001"} {
		r.call("PATCH", path, acmeKey, `{"rate_limit":`+rate+`}`).problem(t, InvalidRequest)
		r.call("POST", "/v1/webhook_endpoints", acmeKey, `{"url":"https://x.example","rate_limit":`+rate+`}`).problem(t, InvalidRequest)
	}
	plain := r.call("POST", "/v1/webhook_endpoints", acmeKey, `{"url":"https://x.example"}`).object(t, http.StatusCreated)
	require.Equal(t, []any{nil, false, ""}, []any{plain["rate_limit"], plain["fifo"], plain["filter"]})
}

func TestEndpoint_AFilterIsRefusedWithThePositionOfTheError(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for filter, position := range map[string]string{
		`data.total >`: "line 1, column", `"text"`: "line 1, column 1", "type == 'a' &&\n  nothing > 1": "line 2, column 3",
	} {
		body := `{"url":"https://x.example","filter":` + strconv.Quote(filter) + `}`
		p := r.call("POST", "/v1/webhook_endpoints", acmeKey, body).problem(t, InvalidFilter)
		require.Equal(t, "filter", p.Errors[0].Field)
		require.Contains(t, p.Errors[0].Detail, position)
		path := "/v1/webhook_endpoints/" + r.acme.Format(delivery.EndpointPrefix)
		r.call("PATCH", path, acmeKey, `{"filter":`+strconv.Quote(filter)+`}`).problem(t, InvalidFilter)
	}
}

func TestEndpoint_SecretHeadersAreWrittenAndNeverRead(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	made := r.call("POST", "/v1/webhook_endpoints", acmeKey,
		`{"url":"https://x.example","headers":{"X-Team":"one","authorization":"Basic hush","X-Route":"hush-too"},"secret_headers":["x-route"]}`)
	require.NotContains(t, made.Body.String(), "hush")
	view := made.object(t, http.StatusCreated)
	require.Equal(t, map[string]any{"X-Team": "one", "authorization": hidden, "X-Route": hidden}, view["headers"])
	require.Equal(t, []any{"X-Route", "authorization"}, view["secret_headers"])
	id, err := delivery.ParseID(delivery.EndpointPrefix, view["id"].(string))
	require.NoError(t, err)
	require.Equal(t, map[string]string{"authorization": "Basic hush", "X-Route": "hush-too"}, r.secretHeaders[id])

	path := "/v1/webhook_endpoints/" + view["id"].(string)
	kept := r.call("PATCH", path, acmeKey, `{"headers":{"X-Team":"two","authorization":"[hidden]","X-Route":"other"}}`)
	require.NotContains(t, kept.Body.String(), "other", "what was secret stays so")
	kept.object(t, http.StatusOK)
	require.Equal(t, map[string]string{"authorization": "Basic hush", "X-Route": "other"}, r.secretHeaders[id])
	require.Equal(t, map[string]string{"X-Team": "two"}, r.endpoints[id].Headers)

	r.call("PATCH", path, acmeKey, `{"headers":{"X-Team":"[hidden]"}}`).problem(t, InvalidRequest)
	r.call("PATCH", path, acmeKey, `{"secret_headers":["X-Team"]}`).problem(t, InvalidRequest)
	r.call("PATCH", path, acmeKey, `{"headers":{"A":"b"},"secret_headers":["X-Team"]}`).problem(t, InvalidRequest)
	r.call("POST", "/v1/webhook_endpoints", acmeKey, `{"url":"https://x.example","secret_headers":["X-Team"]}`).problem(t, InvalidRequest)

	gone := r.call("PATCH", path, acmeKey, `{"headers":{}}`).object(t, http.StatusOK)
	require.Empty(t, gone["headers"])
	require.Empty(t, gone["secret_headers"])
	require.NotContains(t, r.log.String(), "hush")
}

func TestRecovery_FromACountToItsEnd(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	path := "/v1/webhook_endpoints/" + r.acme.Format(delivery.EndpointPrefix)
	counted := r.call("POST", path+"/recover", acmeKey, `{"since":"2026-01-01T00:00:00Z","dry_run":true}`).object(t, http.StatusOK)
	require.Equal(t, []any{nil, nil, 12.0}, []any{counted["id"], counted["status"], counted["total"]})
	require.Empty(t, r.recoveries)

	const body = `{"since":"2026-01-01T00:00:00Z","until":"2026-01-02T00:00:00Z","states":["dead"]}`
	begun := r.call("POST", path+"/recover", acmeKey, body, "Idempotency-Key", "k").object(t, http.StatusAccepted)
	require.Equal(t, "running", begun["status"])
	require.Equal(t, []delivery.State{delivery.Dead}, r.recoveries[0].States)
	require.Equal(t, 24*time.Hour, r.recoveries[0].Until.Sub(r.recoveries[0].Since))
	again := r.call("POST", path+"/recover", acmeKey, body, "Idempotency-Key", "k").object(t, http.StatusOK)
	require.Equal(t, begun["id"], again["id"])

	job := "/v1/recoveries/" + begun["id"].(string)
	require.Equal(t, begun["id"], r.call("GET", job, readKey, "").object(t, http.StatusOK)["id"])
	require.Equal(t, "cancelled", r.call("POST", job+"/cancel", acmeKey, "").object(t, http.StatusOK)["status"])
	r.recoveries[0].Status = "done"
	r.call("POST", job+"/cancel", acmeKey, "").problem(t, RecoveryEnded)

	for range 3 {
		r.call("POST", path+"/recover", acmeKey, body).object(t, http.StatusAccepted)
	}
	page := r.call("GET", path+"/recoveries?limit=3", acmeKey, "").object(t, http.StatusOK)
	require.Len(t, page["data"], 3)
	rest := r.call("GET", path+"/recoveries?limit=3&cursor="+page["next_cursor"].(string), acmeKey, "").object(t, http.StatusOK)
	require.Len(t, rest["data"], 1)
	require.Nil(t, rest["next_cursor"])
}

func TestSignals_NewestFirstByKind(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for i, kind := range []string{"delivery_dead", "circuit_opened", "delivery_dead"} {
		r.signals = append(r.signals, Signal{ID: newID("acme"), Tenant: "acme", Kind: kind, Detail: string(rune('a' + i)), CreatedAt: time.Now()})
	}
	first := r.call("GET", "/v1/signals?kind=delivery_dead&limit=1", acmeKey, "").object(t, http.StatusOK)
	require.Equal(t, "c", first["data"].([]any)[0].(map[string]any)["detail"])
	second := r.call("GET", "/v1/signals?kind=delivery_dead&limit=1&cursor="+first["next_cursor"].(string), acmeKey, "").object(t, http.StatusOK)
	require.Equal(t, "a", second["data"].([]any)[0].(map[string]any)["detail"])
	require.Nil(t, second["next_cursor"])

	about := r.acme.Format(delivery.EndpointPrefix)
	require.Empty(t, r.call("GET", "/v1/signals?endpoint="+about, acmeKey, "").object(t, http.StatusOK)["data"])
	r.signals = append(r.signals, Signal{ID: newID("acme"), Tenant: "acme", Kind: "circuit_opened", EndpointID: r.acme, CreatedAt: time.Now()})
	require.Len(t, r.call("GET", "/v1/signals?endpoint="+about, acmeKey, "").object(t, http.StatusOK)["data"], 1)
	r.call("GET", "/v1/signals?endpoint=evt_1", acmeKey, "").problem(t, InvalidRequest)
}

func TestContract_InEveryFormAndLanguage(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for query, contentType := range map[string]string{
		"": "text/markdown; charset=utf-8", "?format=html": "text/html; charset=utf-8", "?format=html&lang=fa": "text/html; charset=utf-8",
		"?lang=pt": "text/markdown; charset=utf-8",
	} {
		answer := r.call("GET", "/v1/policies/dracma/contract"+query, readKey, "")
		require.Equal(t, http.StatusOK, answer.Code, query)
		require.Equal(t, contentType, answer.Header().Get("Content-Type"))
		require.Contains(t, answer.Body.String(), "Dracma-Event-Id")
	}
	browser := r.call("GET", "/v1/policies/dracma/contract", readKey, "", "Accept", "text/html,*/*")
	require.Equal(t, "text/html; charset=utf-8", browser.Header().Get("Content-Type"))
	r.call("GET", "/v1/policies/dracma/contract?lang=xx", readKey, "").problem(t, InvalidRequest)
	r.call("GET", "/v1/policies/dracma/contract?format=pdf", readKey, "").problem(t, InvalidRequest)
	r.call("GET", "/v1/policies/dracma/contract?x=y", readKey, "").problem(t, InvalidRequest)
	r.call("GET", "/v1/policies/none/contract", readKey, "").problem(t, UnknownPolicy)
	r.call("GET", "/v1/policies/dracma/contract", publishKey, "").problem(t, InsufficientScope)
	r.call("GET", "/v1/policies/dracma/contract", "", "").problem(t, Unauthenticated)
}
