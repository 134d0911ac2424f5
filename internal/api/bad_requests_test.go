package api

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

// badRequest is one way to get something wrong. {acme} in a path is an endpoint
// of acme's, {dead} a dead delivery of it, {source} a source, {none} and
// {nosource} ids of the right kind that nothing has.
type badRequest struct {
	name, method, path, body string
	code                     Code
	field                    string
}

var badRequests = []badRequest{
	{"tenant without an id", "POST", "/v1/tenants", `{}`, InvalidRequest, "body"},
	{"tenant with a wrong id", "POST", "/v1/tenants", `{"id":"a b"}`, InvalidRequest, "id"},
	{"tenant with a long id", "POST", "/v1/tenants", `{"id":"` + strings.Repeat("a", 65) + `"}`, InvalidRequest, "id"},
	{"tenant with a number for an id", "POST", "/v1/tenants", `{"id":7}`, InvalidRequest, "id"},
	{"tenant with NUL", "POST", "/v1/tenants", `{"id":"a","name":"\u0000"}`, InvalidRequest, "name"},
	{"tenant with a member twice", "POST", "/v1/tenants", `{"id":"a","id":"b"}`, InvalidRequest, "id"},
	{"tenant with an unknown member", "POST", "/v1/tenants", `{"id":"a","colour":1}`, InvalidRequest, "colour"},
	{"tenant in another case", "POST", "/v1/tenants", `{"ID":"a"}`, InvalidRequest, "ID"},
	{"tenant with six addresses", "POST", "/v1/tenants", `{"id":"a","alert_emails":["a@b.c","a@b.c","a@b.c","a@b.c","a@b.c","a@b.c"]}`, InvalidRequest, "alert_emails"},
	{"tenant with a wrong address", "POST", "/v1/tenants", `{"id":"a","alert_emails":["A <a@b.c>"]}`, InvalidRequest, "alert_emails"},
	{"tenant with a header in its address", "POST", "/v1/tenants", `{"id":"a","technical_contact":"a@b.c\r\nBcc: x@y.z"}`, InvalidRequest, "technical_contact"},
	{"tenant too important", "POST", "/v1/tenants", `{"id":"a","priority":100}`, InvalidRequest, "priority"},
	{"tenant with a huge number", "POST", "/v1/tenants", `{"id":"a","priority":1e999}`, InvalidRequest, "priority"},
	{"tenant with half a priority", "POST", "/v1/tenants", `{"id":"a","priority":1.5}`, InvalidRequest, "priority"},
	{"tenant with a number not in digits", "POST", "/v1/tenants", `{"id":"a","priority":1e1}`, InvalidRequest, "priority"},
	{"tenant that exists", "POST", "/v1/tenants", `{"id":"acme"}`, TenantExists, ""},
	{"half a tenant", "POST", "/v1/tenants", `{"id":"a"`, InvalidJSON, ""},
	{"two tenants", "POST", "/v1/tenants", `{"id":"a"}{"id":"b"}`, InvalidJSON, ""},
	{"nothing", "POST", "/v1/tenants", "", InvalidJSON, ""},
	{"a list", "POST", "/v1/tenants", "[]", InvalidRequest, "body"},
	{"tenant that is not there", "GET", "/v1/tenants/nobody", "", UnknownTenant, ""},
	{"tenant that cannot be", "GET", "/v1/tenants/%00", "", UnknownTenant, ""},
	{"tenants with a wrong cursor", "GET", "/v1/tenants?cursor=x", "", InvalidCursor, ""},
	{"tenants with limit 0", "GET", "/v1/tenants?limit=0", "", InvalidRequest, "limit"},
	{"tenants with limit 251", "GET", "/v1/tenants?limit=251", "", InvalidRequest, "limit"},
	{"tenants with limit x", "GET", "/v1/tenants?limit=x", "", InvalidRequest, "limit"},
	{"tenants with another parameter", "GET", "/v1/tenants?lmit=1", "", InvalidRequest, "lmit"},

	{"key without a scope", "POST", "/v1/keys", `{"tenant":"acme"}`, InvalidRequest, "body"},
	{"key with a wrong scope", "POST", "/v1/keys", `{"tenant":"acme","scope":"root"}`, InvalidRequest, "scope"},
	{"key without a tenant", "POST", "/v1/keys", `{"scope":"read"}`, InvalidRequest, "tenant"},
	{"admin key with a tenant", "POST", "/v1/keys", `{"scope":"admin","tenant":"acme"}`, InvalidRequest, "tenant"},
	{"key for nobody", "POST", "/v1/keys", `{"scope":"read","tenant":"nobody"}`, UnknownTenant, ""},
	{"key that is not there", "DELETE", "/v1/keys/key_01h455vb4pex5vsknk084sn02q", "", NotFound, ""},
	{"key by itself", "DELETE", "/v1/keys/mlt_secret", "", NotFound, ""},

	{"endpoint without a URL", "POST", "/v1/webhook_endpoints", `{"tenant":"acme"}`, InvalidRequest, "body"},
	{"endpoint with a wrong URL", "POST", "/v1/webhook_endpoints", `{"tenant":"acme","url":"https://bad.example"}`, URLNotAllowed, "url"},
	{"endpoint without a tenant", "POST", "/v1/webhook_endpoints", `{"url":"https://x.example"}`, InvalidRequest, "tenant"},
	{"endpoint of nobody", "POST", "/v1/webhook_endpoints", `{"tenant":"nobody","url":"https://x.example"}`, UnknownTenant, ""},
	{"endpoint with no policy", "POST", "/v1/webhook_endpoints", `{"tenant":"acme","url":"https://x.example","policy":"none"}`, UnknownPolicy, ""},
	{"endpoint with an impossible policy", "POST", "/v1/webhook_endpoints", `{"tenant":"acme","url":"https://x.example","policy":"../x"}`, UnknownPolicy, ""},
	{"endpoint with a wrong type", "POST", "/v1/webhook_endpoints", `{"tenant":"acme","url":"https://x.example","event_types":["a b"]}`, InvalidRequest, "event_types"},
	{"endpoint with a wrong prefix", "POST", "/v1/webhook_endpoints", `{"tenant":"acme","url":"https://x.example","event_types":["a*"]}`, InvalidRequest, "event_types"},
	{"endpoint with an empty prefix", "POST", "/v1/webhook_endpoints", `{"tenant":"acme","url":"https://x.example","event_types":[".*"]}`, InvalidRequest, "event_types"},
	{"endpoint with a type twice", "POST", "/v1/webhook_endpoints", `{"tenant":"acme","url":"https://x.example","event_types":["a","a"]}`, InvalidRequest, "event_types"},
	{"endpoint without room", "POST", "/v1/webhook_endpoints", `{"tenant":"acme","url":"https://x.example","max_in_flight":0}`, InvalidRequest, "max_in_flight"},
	{"endpoint with too much room", "POST", "/v1/webhook_endpoints", `{"tenant":"acme","url":"https://x.example","max_in_flight":1001}`, InvalidRequest, "max_in_flight"},
	{"endpoint with half a room", "POST", "/v1/webhook_endpoints", `{"tenant":"acme","url":"https://x.example","max_in_flight":1.5}`, InvalidRequest, "max_in_flight"},
	{"endpoint with a weak secret", "POST", "/v1/webhook_endpoints", `{"tenant":"acme","url":"https://x.example","secret":"whsec_c2hvcnQ="}`, InvalidSecret, "secret"},
	{"endpoint with a public key", "POST", "/v1/webhook_endpoints", `{"tenant":"acme","url":"https://x.example","secret":"whpk_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="}`, InvalidSecret, "secret"},
	{"endpoint that is not there", "GET", "/v1/webhook_endpoints/{none}", "", NotFound, ""},
	{"endpoint by an event's id", "GET", "/v1/webhook_endpoints/evt_01h455vb4pex5vsknk084sn02q", "", NotFound, ""},
	{"endpoint without room, patched", "PATCH", "/v1/webhook_endpoints/{acme}", `{"max_in_flight":-1}`, InvalidRequest, "max_in_flight"},
	{"endpoint to a wrong URL, patched", "PATCH", "/v1/webhook_endpoints/{acme}", `{"url":"https://bad.example"}`, URLNotAllowed, "url"},
	{"endpoint of another tenant, patched", "PATCH", "/v1/webhook_endpoints/{acme}", `{"tenant":"globex"}`, InvalidRequest, "tenant"},
	{"endpoint's status, patched", "PATCH", "/v1/webhook_endpoints/{acme}", `{"status":"active"}`, InvalidRequest, "status"},
	{"test of none", "POST", "/v1/webhook_endpoints/{none}/test", "", NotFound, ""},
	{"discard of none", "POST", "/v1/webhook_endpoints/{none}/discard", "", NotFound, ""},
	{"no such action", "POST", "/v1/webhook_endpoints/{acme}/explode", "", UnknownRoute, ""},

	{"secret too short", "POST", "/v1/webhook_endpoints/{acme}/secrets", `{"value":"whsec_c2hvcnQ="}`, InvalidSecret, "value"},
	{"secret not base64", "POST", "/v1/webhook_endpoints/{acme}/secrets", `{"value":"whsec_*"}`, InvalidSecret, "value"},
	{"secret of another kind", "POST", "/v1/webhook_endpoints/{acme}/secrets", `{"value":"sk_live_1234567890123456789012345678"}`, InvalidSecret, "value"},
	{"rotation into the past", "POST", "/v1/webhook_endpoints/{acme}/secrets/rotate", `{"overlap":"-1h"}`, InvalidRequest, "overlap"},
	{"rotation without end", "POST", "/v1/webhook_endpoints/{acme}/secrets/rotate", `{"overlap":"721h"}`, InvalidRequest, "overlap"},
	{"rotation without a unit", "POST", "/v1/webhook_endpoints/{acme}/secrets/rotate", `{"overlap":"5"}`, InvalidRequest, "overlap"},
	{"rotation by a number", "POST", "/v1/webhook_endpoints/{acme}/secrets/rotate", `{"overlap":3600}`, InvalidRequest, "overlap"},
	{"rotation of none", "POST", "/v1/webhook_endpoints/{none}/secrets/rotate", "", NotFound, ""},
	{"secret that is not there", "DELETE", "/v1/webhook_endpoints/{acme}/secrets/sec_01h455vb4pex5vsknk084sn02q", "", NotFound, ""},

	{"events of all tenants", "GET", "/v1/events", "", InvalidRequest, "tenant"},
	{"events of an impossible tenant", "GET", "/v1/events?tenant=a%20b", "", UnknownTenant, ""},
	{"a query that is no text", "GET", "/v1/events?tenant=acme&external_id=%00", "", InvalidRequest, "query"},
	{"events of a wrong type", "GET", "/v1/events?tenant=acme&type=a%20b", "", InvalidRequest, "type"},
	{"events since a day", "GET", "/v1/events?tenant=acme&since=2026-03-01", "", InvalidRequest, "since"},
	{"events until before since", "GET", "/v1/events?tenant=acme&since=2026-03-02T00:00:00Z&until=2026-03-01T00:00:00Z", "", InvalidRequest, "until"},
	{"events with a wrong cursor", "GET", "/v1/events?tenant=acme&cursor=%21", "", InvalidCursor, ""},
	{"event that is not there", "GET", "/v1/events/evt_01h455vb4pex5vsknk084sn02q", "", NotFound, ""},
	{"event by a bare UUID", "GET", "/v1/events/0190e8b4-0000-7000-8000-000000000000", "", NotFound, ""},
	{"body of an event that is not there", "GET", "/v1/events/evt_01h455vb4pex5vsknk084sn02q/body", "", NotFound, ""},
	{"event without a tenant", "POST", "/v1/events", `{"type":"a","data":1}`, InvalidRequest, "tenant"},
	{"event with a parameter", "POST", "/v1/events?dry_run=true", `{"tenant":"acme","type":"a","data":1}`, InvalidRequest, "query"},
	{"event with another member", "POST", "/v1/events", `{"tenant":"acme","type":"a","data":1,"x":1}`, InvalidRequest, "x"},
	{"event with something after it", "POST", "/v1/events", `{"tenant":"acme","type":"a","data":1}]`, InvalidJSON, ""},

	{"deliveries in no state", "GET", "/v1/webhook_deliveries?state=lost", "", InvalidRequest, "state"},
	{"deliveries of a wrong event", "GET", "/v1/webhook_deliveries?event=whe_x", "", InvalidRequest, "event"},
	{"deliveries to a wrong endpoint", "GET", "/v1/webhook_deliveries?endpoint=x", "", InvalidRequest, "endpoint"},
	{"deliveries to none", "GET", "/v1/webhook_endpoints/{none}/deliveries", "", NotFound, ""},
	{"delivery that is not there", "GET", "/v1/webhook_deliveries/whd_01h455vb4pex5vsknk084sn02q", "", NotFound, ""},
	{"replay of nothing", "POST", "/v1/webhook_deliveries/replay", `{"ids":[]}`, InvalidRequest, "ids"},
	{"replay of 51", "POST", "/v1/webhook_deliveries/replay", `{"ids":["x"` + strings.Repeat(`,"x"`, 50) + `]}`, InvalidRequest, "ids"},
	{"replay of an event", "POST", "/v1/webhook_deliveries/replay", `{"ids":["evt_01h455vb4pex5vsknk084sn02q"]}`, InvalidRequest, "ids[0]"},
	{"replay of what is not there", "POST", "/v1/webhook_deliveries/whd_01h455vb4pex5vsknk084sn02q/replay", "", NotFound, ""},
	{"resolution of 51", "POST", "/v1/webhook_deliveries/resolve", `{"ids":["x"` + strings.Repeat(`,"x"`, 50) + `],"reason":"told them by phone"}`, InvalidRequest, "ids"},
	{"worklist of a wrong endpoint", "GET", "/v1/dead_letters?endpoint=x", "", InvalidRequest, "endpoint"},
	{"resolution without a reason", "POST", "/v1/webhook_deliveries/{dead}/resolve", `{}`, InvalidRequest, "body"},
	{"resolution with too little reason", "POST", "/v1/webhook_deliveries/{dead}/resolve", `{"reason":"   because    "}`, InvalidRequest, "reason"},
	{"resolution with too much reason", "POST", "/v1/webhook_deliveries/{dead}/resolve", `{"reason":"` + strings.Repeat("é", 1001) + `"}`, InvalidRequest, "reason"},

	{"policy that is not there", "GET", "/v1/policies/none", "", UnknownPolicy, ""},
	{"policy that cannot be", "GET", "/v1/policies/%00", "", UnknownPolicy, ""},
	{"schedule of none", "GET", "/v1/policies/none/schedule", "", UnknownPolicy, ""},
	{"policy that is no YAML", "POST", "/v1/policies", `{"yaml":"{{"}`, InvalidPolicy, "yaml"},
	{"policy with a wrong field", "POST", "/v1/policies", `{"yaml":"name: x\ndeadline: 5s\ncolour: red\n"}`, InvalidPolicy, "yaml"},

	{"source without a name", "POST", "/v1/sources", `{"tenant":"acme","provider":"stripe"}`, InvalidRequest, "body"},
	{"source without a provider", "POST", "/v1/sources", `{"tenant":"acme","name":"x"}`, InvalidRequest, "body"},
	{"source without a tenant", "POST", "/v1/sources", `{"name":"x","provider":"stripe"}`, InvalidRequest, "tenant"},
	{"source of nobody", "POST", "/v1/sources", `{"tenant":"nobody","name":"x","provider":"stripe"}`, UnknownTenant, ""},
	{"source of no provider", "POST", "/v1/sources", `{"tenant":"acme","name":"x","provider":"acme"}`, UnknownProvider, ""},
	{"source with odd settings", "POST", "/v1/sources", `{"tenant":"acme","name":"x","provider":"stripe","dedupe":"nonsense"}`, InvalidSourceSettings, "dedupe"},
	{"source with odd options", "POST", "/v1/sources", `{"tenant":"acme","name":"x","provider":"stripe","options":{"tolerance":"nonsense"}}`, InvalidSourceSettings, "options.tolerance"},
	{"source with another's rule", "POST", "/v1/sources", `{"tenant":"acme","name":"x","provider":"stripe","options":{"generic":{}}}`, InvalidSourceSettings, "options.generic.auth"},
	{"source with a setting in the wrong place", "POST", "/v1/sources", `{"tenant":"acme","name":"x","provider":"stripe","options":{"dedupe":"none"}}`, InvalidSourceSettings, "options.dedupe"},
	{"source with too many settings", "POST", "/v1/sources", `{"tenant":"acme","name":"x","provider":"stripe","options":{"x":"` + strings.Repeat("a", 16<<10) + `"}}`, InvalidSourceSettings, "options"},
	{"source with a number for dedupe", "POST", "/v1/sources", `{"tenant":"acme","name":"x","provider":"stripe","dedupe":7}`, InvalidRequest, "dedupe"},
	{"source with a tolerance in seconds", "POST", "/v1/sources", `{"tenant":"acme","name":"x","provider":"stripe","options":{"tolerance":300}}`, InvalidRequest, "options.tolerance"},
	{"source with headers in text", "POST", "/v1/sources", `{"tenant":"acme","name":"x","provider":"stripe","forward_headers":"X"}`, InvalidRequest, "forward_headers"},
	{"source with 11 secrets", "POST", "/v1/sources", `{"tenant":"acme","name":"x","provider":"stripe","secrets":["a"` + strings.Repeat(`,"a"`, 10) + `]}`, InvalidRequest, "secrets"},
	{"source with a weak secret", "POST", "/v1/sources", `{"tenant":"acme","name":"x","provider":"svix","secrets":["whsec_c2hvcnQ="]}`, InvalidSecret, "secrets[0].value"},
	{"source with a secret in spaces", "POST", "/v1/sources", `{"tenant":"acme","name":"x","provider":"stripe","secrets":[{"value":" a"}]}`, InvalidSecret, "secrets[0].value"},
	{"source with a secret for anything", "POST", "/v1/sources", `{"tenant":"acme","name":"x","provider":"stripe","secrets":[{"value":"a","role":"all"}]}`, InvalidRequest, "secrets[0]"},
	{"source that cannot be repaired with a token", "POST", "/v1/sources", `{"tenant":"acme","name":"x","provider":"slack","secrets":[{"value":"a","role":"repair"}]}`, InvalidSecret, "secrets[0].role"},
	{"source with an odd token", "POST", "/v1/sources", `{"tenant":"acme","name":"x","provider":"stripe","secrets":[{"value":"a b","role":"repair"}]}`, InvalidSecret, "secrets[0].value"},
	{"source that is not there", "GET", "/v1/sources/{nosource}", "", NotFound, ""},
	{"source by an endpoint's id", "GET", "/v1/sources/{acme}", "", NotFound, ""},
	{"source of another provider, patched", "PATCH", "/v1/sources/{source}", `{"provider":"github"}`, InvalidRequest, "provider"},
	{"source without a name, patched", "PATCH", "/v1/sources/{source}", `{"name":""}`, InvalidRequest, "name"},
	{"source with odd options, patched", "PATCH", "/v1/sources/{source}", `{"options":{"filter":"nonsense"}}`, InvalidSourceSettings, "options.filter"},
	{"source with a secret, patched", "PATCH", "/v1/sources/{source}", `{"secrets":["x"]}`, InvalidRequest, "secrets"},
	{"pause of none", "POST", "/v1/sources/{nosource}/pause", "", NotFound, ""},
	{"source's secret without a value", "POST", "/v1/sources/{source}/secrets", `{"name":"x"}`, InvalidRequest, "body"},
	{"source's secret empty", "POST", "/v1/sources/{source}/secrets", `{"value":""}`, InvalidRequest, "value"},
	{"source's secret of none", "POST", "/v1/sources/{nosource}/secrets", `{"value":"x"}`, NotFound, ""},
	{"source's rotation without end", "POST", "/v1/sources/{source}/secrets/rotate", `{"value":"x","overlap":"721h"}`, InvalidRequest, "overlap"},
	{"source's secret that is not there", "DELETE", "/v1/sources/{source}/secrets/sec_01h455vb4pex5vsknk084sn02q", "", NotFound, ""},
	{"rejections of none", "GET", "/v1/sources/{nosource}/rejections", "", NotFound, ""},
	{"rejections with a wrong cursor", "GET", "/v1/rejections?cursor=x", "", InvalidCursor, ""},
	{"rejections of nobody we know", "GET", "/v1/rejections?tenant=a%20b", "", UnknownTenant, ""},
	{"repair since ever", "POST", "/v1/sources/{source}/repair", `{}`, InvalidRequest, "body"},
	{"repair of an empty span", "POST", "/v1/sources/{source}/repair", `{"since":"2026-03-02T00:00:00Z","until":"2026-03-01T00:00:00Z"}`, InvalidRequest, "until"},
	{"repair of none", "POST", "/v1/sources/{nosource}/repair", `{"since":"2026-03-02T00:00:00Z"}`, NotFound, ""},
	{"providers by page", "GET", "/v1/source_providers?limit=1", "", InvalidRequest, "limit"},

	{"nowhere", "GET", "/v1/nowhere", "", UnknownRoute, ""},
	{"the root", "GET", "/", "", UnknownRoute, ""},
	{"a slash too many", "GET", "/v1/events/", "", UnknownRoute, ""},
	{"a method that does not go", "PUT", "/v1/tenants/acme", `{}`, MethodNotAllowed, ""},
	{"a method that nobody knows", "BREW", "/v1/events", "", MethodNotAllowed, ""},
	{"reading a place to write", "GET", "/v1/events/batch/x", "", UnknownRoute, ""},
}

func TestBadRequests(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	dead := r.addDelivery("acme", r.addEvent("acme", "a", []byte("1")), r.acme, delivery.Dead)
	src, _ := r.addSource(t, "acme", "stripe", "")
	documented := documentedCodes(t, r)
	names := strings.NewReplacer("{acme}", r.acme.Format(delivery.EndpointPrefix), "{none}", newID("acme").Format(delivery.EndpointPrefix),
		"{source}", src.Format(delivery.SourcePrefix), "{nosource}", newID("acme").Format(delivery.SourcePrefix),
		"{dead}", dead.Format(delivery.DeliveryPrefix))
	for _, bad := range badRequests {
		t.Run(bad.name, func(t *testing.T) {
			p := r.call(bad.method, names.Replace(bad.path), adminKey, bad.body).problem(t, bad.code)
			if codes := documented(bad.method, names.Replace(bad.path)); codes != nil {
				require.Contains(t, codes, bad.code, "the documentation does not know that the operation can answer this")
			}
			if bad.field != "" {
				require.NotEmpty(t, p.Errors, p.Detail)
				require.Equal(t, bad.field, p.Errors[0].Field)
				require.Contains(t, p.Detail, bad.field)
			}
			require.NotContains(t, r.call(bad.method, names.Replace(bad.path), adminKey, bad.body).Body.String(), "github.com")
		})
	}
	require.Len(t, r.tenants, 2, "something was written")
	require.Len(t, r.keys, 4)
	require.Len(t, r.endpoints, 2)
	require.Len(t, r.sources, 1)
	require.Equal(t, "it", r.sources[src].Name)
	require.Empty(t, r.secrets[src])
	require.Empty(t, r.repairs)
	require.Empty(t, r.overlaps)
	require.Empty(t, r.published)
	require.Empty(t, r.resolved)
	require.Empty(t, r.policies)
	require.NotContains(t, r.log.String(), "level=ERROR", "a bad request is not our failure")
}

// documentedCodes finds the operation that a request is for, and the codes that
// it may answer with; nil: there is no such operation.
func documentedCodes(t *testing.T, r *rig) func(method, path string) []Code {
	t.Helper()
	mux, codes := http.NewServeMux(), map[string][]Code{}
	for _, o := range operations(t, r) {
		mux.Handle(o.method+" "+o.path, http.NotFoundHandler())
		codes[o.method+" "+o.path] = o.Codes
	}
	return func(method, path string) []Code {
		_, pattern := mux.Handler(httptest.NewRequest(method, path, http.NoBody))
		return codes[pattern]
	}
}

func TestMethodNotAllowed_SaysWhatIs(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	answer := r.call("PUT", "/v1/webhook_endpoints/x", "", "")
	answer.problem(t, MethodNotAllowed)
	require.Equal(t, "DELETE, GET, HEAD, PATCH", answer.Header().Get("Allow"))
	require.Equal(t, http.StatusOK, r.call("HEAD", "/healthz", "", "").Code)
}
