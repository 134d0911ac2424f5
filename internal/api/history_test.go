package api

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
)

func TestEventBody_IsTheExactBytes(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	bodies := [][]byte{[]byte(`{"b":1, "a":12345678901234567890}`), {0, 0xff, '\n'}, {}, []byte("<script>alert(1)</script>")}
	for _, body := range bodies {
		id := r.addEvent("acme", "a.b", body)
		r.events[len(r.events)-1].ContentType = "text/html"
		answer := r.call("GET", "/v1/events/"+id.Format(delivery.EventPrefix)+"/body", readKey, "")
		require.Equal(t, http.StatusOK, answer.Code)
		require.Equal(t, string(body), answer.Body.String())
		require.Equal(t, "text/html", answer.Header().Get("Content-Type"))
		require.Equal(t, "nosniff", answer.Header().Get("X-Content-Type-Options"))
		require.Equal(t, "attachment", answer.Header().Get("Content-Disposition"), "a browser must not show a publisher's page as ours")
		require.Contains(t, answer.Header().Get("Content-Security-Policy"), "sandbox")
	}
}

func TestEvents_D15_SayUntilWhenTheyAreComplete(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.addEvent("acme", "a.b", []byte("1"))
	r.addEvent("acme", "c.d", []byte("2"))
	page := r.call("GET", "/v1/events?type=a.b&since=2026-01-01T00:00:00%2B02:00&until=2999-01-01T00:00:00Z", readKey, "").object(t, http.StatusOK)
	require.Len(t, page["data"], 1)
	_, err := time.Parse(timestampLayout, page["complete_until"].(string))
	require.NoError(t, err)
	require.Contains(t, page, "next_cursor")
	event := page["data"].([]any)[0].(map[string]any)
	one := r.call("GET", "/v1/events/"+event["id"].(string), readKey, "").object(t, http.StatusOK)
	require.Equal(t, event, one)
	require.Nil(t, one["idempotency_key"])
}

func TestDelivery_D09_ShowsItsAttempts(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	event := r.addEvent("acme", "a.b", []byte("1"))
	dead := r.addDelivery("acme", event, r.acme, delivery.Dead)
	skipped := r.addDelivery("acme", event, delivery.ID{}, delivery.Skipped)

	one := r.call("GET", "/v1/webhook_deliveries/"+dead.Format(delivery.DeliveryPrefix), readKey, "").object(t, http.StatusOK)
	require.Equal(t, "attempts_exhausted", one["dead_reason"])
	require.Nil(t, one["skip_reason"])
	require.Nil(t, one["next_attempt_at"])
	attempt := one["attempts"].([]any)[0].(map[string]any)
	require.EqualValues(t, 1500, attempt["duration_ms"])
	require.EqualValues(t, 500, attempt["response_status"])
	require.Equal(t, "http_status", attempt["error_code"])

	rows := r.call("GET", "/v1/webhook_deliveries?event="+event.Format(delivery.EventPrefix), readKey, "").object(t, http.StatusOK)["data"].([]any)
	require.Len(t, rows, 2)
	for _, row := range rows {
		object := row.(map[string]any)
		require.NotContains(t, object, "attempts")
		if object["id"] == skipped.Format(delivery.DeliveryPrefix) {
			require.Nil(t, object["endpoint_id"])
			require.Nil(t, object["dead_reason"])
			require.NotNil(t, object["skip_reason"])
		}
	}
	path := "/v1/webhook_endpoints/" + r.acme.Format(delivery.EndpointPrefix) + "/deliveries"
	require.Len(t, r.call("GET", path, readKey, "").object(t, http.StatusOK)["data"], 1)
	require.Empty(t, r.call("GET", path+"?state=pending", readKey, "").object(t, http.StatusOK)["data"])
}

func TestReplay_R05(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	event := r.addEvent("acme", "a.b", []byte("1"))
	dead, other := r.addDelivery("acme", event, r.acme, delivery.Dead), r.addDelivery("acme", event, r.acme, delivery.Delivered)
	path := "/v1/webhook_deliveries/" + dead.Format(delivery.DeliveryPrefix) + "/replay"
	require.Nil(t, r.call("POST", path, acmeKey, "").object(t, http.StatusAccepted)["refusal"])

	for refusal, sentence := range replayRefusals {
		r.replayable = func(delivery.ID) ReplayRefusal { return refusal }
		if refusal == ReplayNotFound {
			r.call("POST", path, acmeKey, "").problem(t, NotFound)
			continue
		}
		require.Contains(t, r.call("POST", path, acmeKey, "").problem(t, DeliveryNotReplayable).Detail, sentence)
	}

	r.replayable = func(id delivery.ID) ReplayRefusal {
		if id == other {
			return ReplayNotReplayable
		}
		return ""
	}
	both := `{"ids":["` + dead.Format(delivery.DeliveryPrefix) + `","` + other.Format(delivery.DeliveryPrefix) + `"]`
	preview := r.call("POST", "/v1/webhook_deliveries/replay", acmeKey, both+`,"preview":true}`).object(t, http.StatusOK)
	require.Equal(t, false, preview["replayed"])
	require.Nil(t, preview["data"].([]any)[0].(map[string]any)["refusal"])
	require.Equal(t, "not_replayable", preview["data"].([]any)[1].(map[string]any)["refusal"])
	p := r.call("POST", "/v1/webhook_deliveries/replay", acmeKey, both+`}`).problem(t, DeliveryNotReplayable)
	require.Equal(t, []Fault{{Field: "ids[1]", Detail: replayRefusals[ReplayNotReplayable]}}, p.Errors)

	one := r.call("POST", "/v1/webhook_deliveries/replay", acmeKey, strings.Replace(both, `,"`+other.Format(delivery.DeliveryPrefix)+`"`, "", 1)+`}`)
	require.Equal(t, true, one.object(t, http.StatusAccepted)["replayed"])
}

func TestResolve_D11(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	event := r.addEvent("acme", "a.b", []byte("1"))
	dead, delivered := r.addDelivery("acme", event, r.acme, delivery.Dead), r.addDelivery("acme", event, r.acme, delivery.Delivered)
	path := func(id delivery.ID) string {
		return "/v1/webhook_deliveries/" + id.Format(delivery.DeliveryPrefix) + "/resolve"
	}
	reason := strings.Repeat("é", 10)
	require.Equal(t, http.StatusNoContent, r.call("POST", path(dead), acmeKey, `{"reason":" `+reason+`\n"}`).Code)
	require.Equal(t, map[delivery.ID]string{dead: reason}, r.resolved)
	r.call("POST", path(delivered), acmeKey, `{"reason":"it is not needed"}`).problem(t, DeliveryNotResolvable)
}

func TestPolicies(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	source := "name: mine\ndescription: my own\ndeadline: 5s\nlease: 60s\nschedule: {kind: table, waits: [1m, 1h30m], then: end}\n"
	quoted := strings.ReplaceAll(source, "\n", `\n`)
	made := r.call("POST", "/v1/policies", adminKey, `{"yaml":"`+quoted+`"}`).object(t, http.StatusCreated)
	require.Equal(t, "mine", made["name"])
	require.Equal(t, source, r.policies["mine"].Source, "as it came")
	one := r.call("GET", "/v1/policies/mine", readKey, "").object(t, http.StatusOK)
	require.Equal(t, "my own", one["description"])
	require.Equal(t, false, one["preset"])

	for _, name := range append(policy.PresetNames(), "mine") {
		require.Contains(t, r.call("GET", "/v1/policies", readKey, "").Body.String(), `"name":"`+name+`"`)
		r.call("GET", "/v1/policies/"+name, readKey, "").object(t, http.StatusOK)
		table := r.call("GET", "/v1/policies/"+name+"/schedule", readKey, "").object(t, http.StatusOK)
		require.Equal(t, name, table["policy"])
		require.NotEmpty(t, table["attempts"])
	}
	attempts := r.call("GET", "/v1/policies/mine/schedule", readKey, "").object(t, http.StatusOK)["attempts"].([]any)
	require.Equal(t, "1h31m", attempts[2].(map[string]any)["without_jitter"])

	r.call("POST", "/v1/webhook_endpoints", acmeKey, `{"url":"https://x.example","policy":"mine"}`).object(t, http.StatusCreated)
	require.Equal(t, "mine", r.defaults[0].Policy)
}

func TestHealth(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	lag := r.call("GET", "/v1/stats/lag", adminKey, "").object(t, http.StatusOK)
	require.EqualValues(t, 60, lag["oldest_pending_age_seconds"])
	require.Len(t, lag["webhook_endpoints"], 2)
	r.call("GET", "/readyz", "", "").object(t, http.StatusOK)
	r.broken = errors.New("no connection to 10.1.2.3")
	answer := r.call("GET", "/readyz", "", "")
	answer.problem(t, Unavailable)
	require.NotContains(t, answer.Body.String(), "10.1.2.3")
	r.call("GET", "/healthz", "", "").object(t, http.StatusOK)
}

func TestWorklist_D11_ListsAndResolvesMany(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	event := r.addEvent("acme", "a.b", []byte("1"))
	dead, delivered := r.addDelivery("acme", event, r.acme, delivery.Dead), r.addDelivery("acme", event, r.acme, delivery.Delivered)
	foreign := r.addDelivery("globex", r.addEvent("globex", "a.b", []byte("1")), r.globex, delivery.Dead)

	list := r.call("GET", "/v1/dead_letters?order=newest&type=a.b&error_code=timeout&dead_reason=gone", acmeKey, "").object(t, http.StatusOK)
	require.Empty(t, list["data"])
	require.Equal(t, Worklist{
		DeadFilter:  DeadFilter{Tenant: "acme", EventType: "a.b", Reason: delivery.Gone, ErrorCode: delivery.Timeout},
		NewestFirst: true, Limit: 50,
	}, r.worklist)
	require.Len(t, r.call("GET", "/v1/dead_letters", acmeKey, "").object(t, http.StatusOK)["data"], 1)
	require.False(t, r.worklist.NewestFirst)
	r.call("GET", "/v1/dead_letters?tenant=globex", acmeKey, "").problem(t, UnknownTenant)
	r.call("GET", "/v1/dead_letters?order=random", acmeKey, "").problem(t, InvalidRequest)

	ids := ""
	for _, id := range []delivery.ID{dead, delivered, foreign} {
		ids += `,"` + id.Format(delivery.DeliveryPrefix) + `"`
	}
	const path = "/v1/webhook_deliveries/resolve"
	r.call("POST", path, acmeKey, `{"ids":[`+ids[1:]+`],"reason":" too short "}`).problem(t, InvalidRequest)
	r.call("POST", path, readKey, `{"ids":[`+ids[1:]+`],"reason":"settled by phone"}`).problem(t, InsufficientScope)
	result := r.call("POST", path, acmeKey, `{"ids":[`+ids[1:]+`],"reason":" settled by phone "}`).object(t, http.StatusOK)
	require.Equal(t, map[delivery.ID]string{dead: "settled by phone"}, r.resolved)
	require.Equal(t, float64(1), result["resolved"])
	require.Equal(t, []any{
		map[string]any{"id": dead.Format(delivery.DeliveryPrefix), "state": "resolved", "resolved": true},
		map[string]any{"id": delivered.Format(delivery.DeliveryPrefix), "state": "delivered", "resolved": false},
		map[string]any{"id": foreign.Format(delivery.DeliveryPrefix), "state": nil, "resolved": false},
	}, result["data"], "another tenant's is not there")
}
