package app_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

// reachWorld is two tenants with one of everything, and keys of every scope.
type reachWorld struct {
	t               *testing.T
	s               *server
	keys            map[string]string // by tenant and scope
	globex, nowhere *strings.Replacer // what stands for names in braces: globex's, and nobody's
	secrets         []string          // what no answer to acme may hold
	ids             *regexp.Regexp
}

func newReachWorld(t *testing.T, s *server) *reachWorld {
	t.Helper()
	refuses := newLedger(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadRequest) })
	w := &reachWorld{t: t, s: s, keys: make(map[string]string), ids: regexp.MustCompile(`[a-z]{3}_[0-9a-z]{26}|nobody`)}
	things := make(map[string]map[string]string)
	for _, tenant := range []string{"acme", "globex"} {
		things[tenant] = w.populate(tenant, refuses.URL+"/of-"+tenant)
	}
	var own, none []string
	for _, name := range slices.Sorted(maps.Keys(things["globex"])) {
		id := things["globex"][name]
		own = append(own, "{"+name+"}", id)
		none = append(none, "{"+name+"}", strangeID(t, id))
		w.secrets = append(w.secrets, id)
	}
	w.globex = strings.NewReplacer(own...)
	w.nowhere = strings.NewReplacer(append(none, "globex", "nobody")...)
	w.secrets = append(w.secrets, "globex")
	return w
}

// strangeID is of the same kind, and nobody's.
func strangeID(t *testing.T, id string) string {
	t.Helper()
	prefix, _, isTyped := strings.Cut(id, "_")
	if !isTyped {
		parsed, err := delivery.ParseUUID(id)
		require.NoError(t, err)
		parsed[9] ^= 0x55
		return parsed.String()
	}
	parsed, err := delivery.ParseID(delivery.Prefix(prefix), id)
	require.NoError(t, err)
	parsed[9] ^= 0x55
	return parsed.Format(delivery.Prefix(prefix))
}

// populate makes one of everything, and gives the ids.
func (w *reachWorld) populate(tenant, url string) map[string]string {
	w.t.Helper()
	s, things := w.s, make(map[string]string)
	endpoint := s.endpoint(tenant, url, map[string]any{"policy": "gateway", "description": "endpoint of " + tenant})
	for _, scope := range []string{"tenant", "read", "publish"} {
		made := s.must(201, "POST", "/v1/keys", map[string]any{"tenant": tenant, "scope": scope, "name": "key of " + tenant})
		w.keys[tenant+" "+scope], things["actor"] = made["key"].(string), made["id"].(string)
	}
	things["key"] = s.must(201, "POST", "/v1/keys", map[string]any{"tenant": tenant, "scope": "read"})["id"].(string)
	// Users are nobody's but the operator's, whoever they were made for.
	things["user"] = s.must(201, "POST", "/v1/users", map[string]any{"name": "user for " + tenant, "role": "viewer"})["id"].(string)
	things["endpoint"] = endpoint["id"].(string)
	root := "/v1/webhook_endpoints/" + things["endpoint"]
	things["secret"] = s.must(201, "POST", root+"/secrets", "{}")["id"].(string)
	things["source"] = s.must(201, "POST", "/v1/sources", map[string]any{"tenant": tenant, "name": "source of " + tenant, "provider": "stripe"})["id"].(string)
	things["source_secret"] = s.must(201, "POST", "/v1/sources/"+things["source"]+"/secrets", `{"value":"whsec_first"}`)["id"].(string)
	event := s.must(202, "POST", "/v1/events", fmt.Sprintf(`{"tenant":%q,"type":"a.b","data":"body of %s","idempotency_key":"key-of-%s","external_id":"external-of-%s"}`,
		tenant, tenant, tenant, tenant))["id"].(string)
	s.awaitStates(tenant, map[string]int{"dead": 1})
	id, err := delivery.ParseID(delivery.EventPrefix, event)
	require.NoError(w.t, err)
	things["event"], things["event_uuid"] = event, id.String()
	dead := s.must(200, "GET", "/v1/webhook_deliveries?event="+event, nil)["data"].([]any)[0].(map[string]any)
	things["delivery"] = dead["id"].(string)
	things["recovery"] = s.must(202, "POST", root+"/recover", `{"since":"2026-01-01T00:00:00Z","states":["discarded"]}`)["id"].(string)
	require.Eventually(w.t, func() bool {
		return s.must(200, "GET", "/v1/recoveries/"+things["recovery"], nil)["status"] == "done"
	}, 30*time.Second, 10*time.Millisecond)
	return things
}

// ask sends a request with a key, and gives the answer as it came.
func (w *reachWorld) ask(key, method, path, body string) (int, string) {
	w.t.Helper()
	var reader io.Reader = http.NoBody
	if body != "" {
		reader = strings.NewReader(body)
	}
	request, err := http.NewRequestWithContext(w.t.Context(), method, w.s.url+path, reader)
	require.NoError(w.t, err)
	request.Header.Set("Authorization", "Bearer "+key)
	answer, err := http.DefaultClient.Do(request)
	require.NoError(w.t, err)
	defer func() { require.NoError(w.t, answer.Body.Close()) }()
	text, err := io.ReadAll(answer.Body)
	require.NoError(w.t, err)
	return answer.StatusCode, string(text)
}

// requireNothingOfGlobex looks for its ids and its name, but for those that were
// in the request.
func (w *reachWorld) requireNothingOfGlobex(name, asked, answer string) {
	w.t.Helper()
	for _, secret := range w.secrets {
		if !strings.Contains(asked, secret) {
			require.NotContains(w.t, answer, secret, name)
		}
	}
	for _, words := range []string{"of globex", "of-globex/", "/of-globex"} {
		require.NotContains(w.t, answer, words, name)
	}
}

// globexAsTheAdminSeesIt is all that there is of it.
func (w *reachWorld) globexAsTheAdminSeesIt() map[string]string {
	w.t.Helper()
	endpoint, source := w.globex.Replace("/v1/webhook_endpoints/{endpoint}"), w.globex.Replace("/v1/sources/{source}")
	all := make(map[string]string)
	for _, path := range []string{
		"/v1/tenants/globex", "/v1/keys?tenant=globex", "/v1/webhook_endpoints?tenant=globex", endpoint, endpoint + "/secrets", endpoint + "/recoveries",
		"/v1/webhook_deliveries?tenant=globex", w.globex.Replace("/v1/webhook_deliveries/{delivery}"), "/v1/sources?tenant=globex", source + "/secrets",
		"/v1/signals?tenant=globex", "/v1/audit_log?tenant=globex", "/v1/events/export?tenant=globex", "/v1/stats/dead?tenant=globex", "/v1/rejections?tenant=globex",
	} {
		status, answer := w.ask(adminKey, "GET", path, "")
		require.Equal(w.t, http.StatusOK, status, "%s: %s", path, answer)
		all[path] = answer
	}
	return all
}

// apiDocument is the OpenAPI document, as far as this test reads it.
type apiDocument struct {
	Paths      map[string]map[string]apiOperation
	Components struct{ Schemas map[string]apiSchema }
}

type apiOperation struct {
	method, path string
	OperationID  string   `json:"operationId"`
	Scopes       []string `json:"x-scopes"`
	Parameters   []apiParameter
	RequestBody  *apiBody
}

// neededBeside is what an operation cannot do without, to go behind a parameter.
func (o apiOperation) neededBeside(name string) (query string) {
	for _, p := range o.Parameters {
		if p.In == "query" && p.Required && p.Name != name {
			query += "&" + p.Name + "=" + reachedParameters[p.Name][0]
		}
	}
	return query
}

type apiParameter struct {
	Name, In string
	Required bool
}

type apiBody struct {
	Content map[string]struct{ Schema apiSchema }
}

func (b *apiBody) schema() apiSchema { return b.Content["application/json"].Schema }

type apiSchema struct {
	Ref        string `json:"$ref"`
	Properties map[string]apiSchema
	Items      *apiSchema
}

func (w *reachWorld) document() *apiDocument {
	w.t.Helper()
	_, text := w.ask("", "GET", "/openapi.json", "")
	var document apiDocument
	require.NoError(w.t, json.Unmarshal([]byte(text), &document))
	require.Greater(w.t, len(document.operations()), 50)
	return &document
}

func (d *apiDocument) operations() []apiOperation {
	var all []apiOperation
	for path, methods := range d.Paths {
		for method, o := range methods {
			o.method, o.path = strings.ToUpper(method), path
			all = append(all, o)
		}
	}
	slices.SortFunc(all, func(a, b apiOperation) int { return strings.Compare(a.OperationID, b.OperationID) })
	return all
}

// members names the members of a body, and of the elements of its lists; what is
// deeper, such as a source's options, is about the thing itself.
func (d *apiDocument) members(s apiSchema) []string {
	var names []string
	for name, inner := range d.resolved(s).Properties {
		names = append(names, name)
		if inner.Items != nil {
			names = append(names, slices.Collect(maps.Keys(d.resolved(*inner.Items).Properties))...)
		}
	}
	return names
}

func (d *apiDocument) resolved(s apiSchema) apiSchema {
	if s.Ref == "" {
		return s
	}
	return d.Components.Schemas[s.Ref[strings.LastIndex(s.Ref, "/")+1:]]
}
