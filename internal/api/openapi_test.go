package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

func TestOpenAPI_IsSound(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	answer := r.call("GET", "/openapi.json", "", "")
	require.Equal(t, "application/json", answer.Header().Get("Content-Type"))
	document := answer.object(t, http.StatusOK)
	require.Equal(t, "3.1.0", document["openapi"])
	require.Equal(t, "1.2.3", document["info"].(map[string]any)["version"])

	schemas := document["components"].(map[string]any)["schemas"].(map[string]any)
	for _, match := range regexp.MustCompile(`"\$ref":"([^"]+)"`).FindAllStringSubmatch(answer.Body.String(), -1) {
		require.Contains(t, schemas, strings.TrimPrefix(match[1], schemaPrefix))
	}
	seen := map[string]bool{}
	for path, item := range document["paths"].(map[string]any) {
		for method, value := range item.(map[string]any) {
			o := value.(map[string]any)
			id := o["operationId"].(string)
			require.False(t, seen[id], "%s is there twice", id)
			seen[id] = true
			require.NotEmpty(t, o["summary"], id)
			require.Contains(t, o["responses"], "default", id)
			for _, name := range regexp.MustCompile(`\{(\w+)\}`).FindAllStringSubmatch(path, -1) {
				require.True(t, slices.ContainsFunc(o["parameters"].([]any), func(p any) bool {
					return p.(map[string]any)["name"] == name[1] && p.(map[string]any)["in"] == "path" && p.(map[string]any)["required"] == true
				}), "%s %s: %s is not declared", method, path, name[1])
			}
			if strings.HasPrefix(id, "create-") || strings.HasPrefix(id, "add-") || strings.HasPrefix(id, "rotate-") || id == "publish-event" {
				require.Contains(t, fmt.Sprint(o["parameters"]), "Idempotency-Key", "%s creates", id)
				require.True(t, id == "publish-event" || o["responses"].(map[string]any)["200"] != nil, "%s may be repeated", id)
			}
		}
	}
	require.NotContains(t, answer.Body.String(), "JSON\"", "a name of ours shines through")
	for name, schema := range schemas {
		closed := schema.(map[string]any)["additionalProperties"] == false
		isRequest := strings.HasPrefix(name, "New") || strings.HasSuffix(name, "Patch") || strings.HasSuffix(name, "Request") ||
			slices.Contains([]string{"Resolution", "Rotation"}, name)
		require.Equal(t, isRequest, closed, "%s: requests name all that they may hold, answers may gain members", name)
	}
}

// contract compiles the document's schemas, to hold answers against them.
func contract(t testing.TB, r *rig) func(name string, answer reply) {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(r.call("GET", "/openapi.json", "", "").Body.Bytes()))
	require.NoError(t, err)
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	require.NoError(t, compiler.AddResource("https://malote.test/openapi.json", document))
	return func(name string, answer reply) {
		schema, err := compiler.Compile("https://malote.test/openapi.json" + schemaPrefix + name)
		require.NoError(t, err)
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(answer.Body.Bytes()))
		require.NoError(t, err)
		require.NoError(t, schema.Validate(value), "%s: %s", name, answer.Body)
	}
}

func TestAnswers_AreWhatTheDocumentSays(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	event := r.addEvent("acme", "a.b", []byte("1"))
	dead := r.addDelivery("acme", event, r.acme, delivery.Dead)
	endpoint, one := "/v1/webhook_endpoints/"+r.acme.Format(delivery.EndpointPrefix), "/v1/webhook_deliveries/"+dead.Format(delivery.DeliveryPrefix)
	_, in := r.addSource(t, "acme", "stripe", `,"forward_headers":["X-A"],"options":{"tolerance":"90s","rate_limit":{"per_second":2.5,"burst":3},"success":{"status":202},"repair":{"types":["a"]}}`)
	r.progress = GapProgress{CheckedAt: time.Now(), Found: 3}
	r.rejections = []Rejection{{ID: newID("acme"), SourceID: newID("acme"), Tenant: "acme", Reason: "too_old", FirstAt: time.Now(), LastAt: time.Now()}}
	holds := contract(t, r)
	r.signals = []Signal{{ID: newID("acme"), Tenant: "acme", Kind: "delivery_dead", EventID: event, EventType: "a.b", CreatedAt: time.Now()}}
	for _, c := range []struct {
		name, method, path, body string
		status                   int
	}{
		{"Tenant", "POST", "/v1/tenants", `{"id":"new","alert_emails":["a@b.c"]}`, 201}, {"ListTenant", "GET", "/v1/tenants", "", 200},
		{"Key", "POST", "/v1/keys", `{"scope":"read","tenant":"acme"}`, 201}, {"ListKey", "GET", "/v1/keys", "", 200},
		{"Endpoint", "POST", "/v1/webhook_endpoints", `{"tenant":"acme","url":"https://x.example"}`, 201}, {"Endpoint", "GET", endpoint, "", 200},
		{"ListEndpoint", "GET", "/v1/webhook_endpoints", "", 200}, {"Endpoint", "POST", endpoint + "/enable", "", 200},
		{"TestResult", "POST", endpoint + "/test", "", 200}, {"Discarded", "POST", endpoint + "/discard", "", 200},
		{"Secret", "POST", endpoint + "/secrets", "", 201}, {"ListSecret", "GET", endpoint + "/secrets", "", 200},
		{"Published", "POST", "/v1/events", `{"tenant":"acme","type":"a","data":1}`, 202},
		{"PublishedBatch", "POST", "/v1/events/batch", `{"events":[{"tenant":"acme","type":"a","data":1}]}`, 202},
		{"EventList", "GET", "/v1/events?tenant=acme", "", 200}, {"Event", "GET", "/v1/events/" + event.Format(delivery.EventPrefix), "", 200},
		{"ListDelivery", "GET", "/v1/webhook_deliveries", "", 200}, {"Delivery", "GET", one, "", 200},
		{"Replayed", "POST", one + "/replay", "", 202},
		{"ReplayResult", "POST", "/v1/webhook_deliveries/replay", `{"preview":true,"ids":["` + dead.Format(delivery.DeliveryPrefix) + `"]}`, 200},
		{"ListDelivery", "GET", "/v1/dead_letters", "", 200}, {"SourceSums", "GET", "/v1/stats/sources", "", 200},
		{"ResolveManyResult", "POST", "/v1/webhook_deliveries/resolve", `{"reason":"told them by phone","ids":["` + dead.Format(delivery.DeliveryPrefix) + `"]}`, 200},
		{"ListPolicy", "GET", "/v1/policies", "", 200}, {"Schedule", "GET", "/v1/policies/dracma/schedule", "", 200},
		{"Recovery", "POST", endpoint + "/recover", `{"since":"2026-01-01T00:00:00Z"}`, 202},
		{"Recovery", "POST", endpoint + "/recover", `{"since":"2026-01-01T00:00:00Z","dry_run":true}`, 200},
		{"ListRecovery", "GET", endpoint + "/recoveries", "", 200}, {"ListSignal", "GET", "/v1/signals", "", 200},
		{"Source", "POST", "/v1/sources", `{"tenant":"acme","name":"x","provider":"github","secrets":["a"]}`, 201},
		{"Source", "GET", in, "", 200}, {"ListSource", "GET", "/v1/sources", "", 200}, {"Source", "POST", in + "/pause", "", 200},
		{"SourceSecret", "POST", in + "/secrets", `{"value":"x"}`, 201}, {"SourceSecret", "POST", in + "/secrets/rotate", `{"value":"y"}`, 201},
		{"ListSourceSecret", "GET", in + "/secrets", "", 200}, {"ListRejection", "GET", "/v1/rejections", "", 200},
		{"ListSourceProvider", "GET", "/v1/source_providers", "", 200}, {"GapReport", "POST", in + "/repair", `{"since":"2026-03-01T00:00:00Z"}`, 200},
		{"Lag", "GET", "/v1/stats/lag", "", 200}, {"Status", "GET", "/readyz", "", 200},
		{"Problem", "POST", "/v1/tenants", `{"id":"a b"}`, 400}, {"Problem", "GET", "/nowhere", "", 404},
		{"Problem", "POST", "/v1/events/batch", `{"events":[{"tenant":"acme"}]}`, 400},
	} {
		answer := r.call(c.method, c.path, adminKey, c.body)
		require.Equal(t, c.status, answer.Code, "%s %s: %s", c.method, c.path, answer.Body)
		holds(c.name, answer)
	}
}

func TestCodes_AreEnumeratedOnce(t *testing.T) {
	t.Parallel()
	require.Len(t, meaningOf, len(meanings))
	require.Zero(t, Code("no_such_code").Status())
	var schema struct{ Enum []Code }
	text, err := json.Marshal(Code("").Schema(nil))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &schema))
	require.Len(t, schema.Enum, len(meanings))
}
