package app_test

import (
	"cmp"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/store/pgtest"
)

// reachedPaths says what stands for a path's names: globex's things.
var reachedPaths = [][2]string{
	{"/sources/{id}/secrets/{secret}", "/sources/{source}/secrets/{source_secret}"}, {"/sources/{id}", "/sources/{source}"},
	{"/webhook_endpoints/{id}", "/webhook_endpoints/{endpoint}"}, {"/webhook_deliveries/{id}", "/webhook_deliveries/{delivery}"},
	{"/events/{id}", "/events/{event}"}, {"/recoveries/{id}", "/recoveries/{recovery}"}, {"/keys/{id}", "/keys/{key}"}, {"/users/{id}", "/users/{user}"},
	{"/tenants/{tenant}", "/tenants/globex"},
}

// reachedParameters are those of queries by which something of another tenant's
// could be named, with what names it.
var reachedParameters = map[string][]string{
	"tenant": {"globex"}, "endpoint": {"{endpoint}"}, "event": {"{event}"}, "source": {"{source}"}, "from": {"{event}"},
	"subject": {"{endpoint}"}, "actor": {"{actor}"}, "external_id": {"external-of-globex"}, "idempotency_key": {"key-of-globex"},
	"text": {"globex"},
	"q":    {"{event}", "{event_uuid}", "{delivery}", "{endpoint}", "{source}", "{recovery}", "globex", "key-of-globex", "external-of-globex"},
}

// harmlessParameters name nothing of anybody's.
var harmlessParameters = []string{
	"limit", "cursor", "since", "until", "type", "state", "kind", "format", "lang", "counts", "operation", "actor_kind", "dead_reason", "error_code", "status", "circuit", "order", "policy",
}

// reachedBodies are what is sent where a body is taken. Each member of a request
// by which something could be named must be in one of them.
var reachedBodies = map[string][]string{
	"update-tenant":            {`{"name":"x"}`},
	"make-portal-link":         {`{"tenant":"globex"}`},
	"create-key":               {`{"scope":"read","tenant":"globex"}`},
	"create-webhook-endpoint":  {`{"tenant":"globex","url":"http://127.0.0.1:1/"}`},
	"update-webhook-endpoint":  {`{"description":"x"}`},
	"recover-webhook-endpoint": {`{"since":"2026-01-01T00:00:00Z"}`, `{"since":"2026-01-01T00:00:00Z","dry_run":true}`},
	"add-secret":               {`{}`, ``}, "rotate-secret": {`{}`, ``},
	"publish-event": {
		`{"tenant":"globex","type":"a.b","data":1}`, `{"type":"a.b","data":1,"endpoint_ids":["{endpoint}"]}`,
	},
	"publish-events": {
		`{"events":[{"type":"a.b","data":1},{"tenant":"globex","type":"a.b","data":1}]}`, `{"events":[{"type":"a.b","data":1,"endpoint_ids":["{endpoint}"]}]}`,
	},
	"replay-webhook-deliveries":  {`{"ids":["{delivery}"]}`, `{"ids":["{delivery}"],"preview":true}`},
	"resolve-webhook-delivery":   {`{"reason":"nobody will ever ask"}`},
	"resolve-webhook-deliveries": {`{"ids":["{delivery}"],"reason":"nobody will ever ask"}`},
	"create-source":              {`{"tenant":"globex","name":"x","provider":"stripe"}`},
	"update-source":              {`{"name":"x"}`},
	"repair-source-gaps":         {`{"since":"2026-01-01T00:00:00Z"}`},
	"add-source-secret":          {`{"value":"whsec_abc"}`},
	"rotate-source-secret":       {`{"value":"whsec_def"}`},
}

// ofNobody are the operations about what no tenant owns.
var ofNobody = []string{
	"list-policies", "get-policy", "get-policy-schedule", "get-policy-contract", "list-source-providers", "get-health", "get-readiness",
}

// namesSomething recognises members that name a thing.
var namesSomething = regexp.MustCompile(`^(tenant|ids?|events?|endpoints?|sources?|deliver(y|ies)|.*_ids?)$`)

// ownWords are members that look like it, and name nothing of Malote's.
var ownWords = []string{"external_id"}

// reach is one request for something of globex's.
type reach struct{ operation, method, path, body string }

// reaches are all requests by which an operation could reach for another's. It
// fails for an operation that nobody has thought about.
func (d *apiDocument) reaches(t *testing.T, o apiOperation) []reach {
	t.Helper()
	path := o.path
	for _, names := range reachedPaths {
		path = strings.ReplaceAll(path, names[0], names[1])
	}
	require.NotRegexp(t, `\{(id|tenant|name)\}`, path, "%s: say in reachedPaths what its path names", o.OperationID)
	if slices.Equal(o.Scopes, []string{"admin"}) {
		return []reach{{o.OperationID, o.method, path, ""}}
	}
	bodies := []string{""}
	if o.RequestBody != nil {
		bodies = reachedBodies[o.OperationID]
		require.NotEmpty(t, bodies, "%s: say in reachedBodies what its body could name of another's", o.OperationID)
		for _, member := range d.members(o.RequestBody.schema()) {
			if namesSomething.MatchString(member) && !slices.Contains(ownWords, member) {
				require.Contains(t, strings.Join(bodies, " "), `"`+member+`"`, "%s: a body that names another's by this member", o.OperationID)
			}
		}
	}
	var all []reach
	for _, body := range bodies {
		if o.neededBeside("") == "" {
			all = append(all, reach{o.OperationID, o.method, path, body})
		}
	}
	for _, parameter := range o.Parameters {
		if parameter.In != "query" || slices.Contains(harmlessParameters, parameter.Name) {
			continue
		}
		values := reachedParameters[parameter.Name]
		require.NotEmpty(t, values, "%s: say whether the parameter %s is harmless, or what it could name of another's", o.OperationID, parameter.Name)
		for _, value := range values {
			all = append(all, reach{o.OperationID, o.method, path + "?" + parameter.Name + "=" + value + o.neededBeside(parameter.Name), bodies[0]})
		}
	}
	return all
}

// Whatever a key of one tenant asks for by another's id, name or key: nothing is
// there, and nothing happens.
func TestReach_NoKeyReachesAnotherTenantsThings(t *testing.T) {
	t.Parallel()
	w := newReachWorld(t, start(t, testOptions(pgtest.DSN(t))))
	document := w.document()
	before := w.globexAsTheAdminSeesIt()
	var tried []reach
	for _, o := range document.operations() {
		if slices.Contains(ofNobody, o.OperationID) {
			continue
		}
		for _, r := range document.reaches(t, o) {
			tried = append(tried, r)
			for _, scope := range []string{"tenant", "read", "publish"} {
				w.requireOutOfReach(r, scope, slices.Contains(o.Scopes, scope))
			}
		}
	}
	require.Equal(t, before, w.globexAsTheAdminSeesIt(), "and nothing of it has changed")
	w.requireOwnersReach(tried)
}

var instants = regexp.MustCompile(`\d{4}-\d\d-\d\dT[0-9:.]+Z`)

// requireOutOfReach sends the request with a key of acme's. A thing of another's
// looks like one that never was.
func (w *reachWorld) requireOutOfReach(r reach, scope string, allowed bool) {
	w.t.Helper()
	name := scope + ": " + r.method + " " + r.path + " " + r.body
	status, answer := w.ask(w.keys["acme "+scope], r.method, w.globex.Replace(r.path), w.globex.Replace(r.body))
	if !allowed {
		require.Equal(w.t, http.StatusForbidden, status, "%s: %s", name, answer)
		return
	}
	w.requireNothingOfGlobex(name, w.globex.Replace(r.path+r.body), answer)
	var object map[string]any
	isObject := json.Unmarshal([]byte(answer), &object) == nil
	switch data, isList := object["data"].([]any); {
	case status == http.StatusNotFound:
	case status == http.StatusConflict:
		require.Equal(w.t, "replay-webhook-deliveries", r.operation, "%s: %s", name, answer)
	case status == http.StatusOK && !strings.Contains(r.path, "?"):
		// A list of the caller's own, or a preview that says that nothing was found.
	case status == http.StatusOK && isList && r.operation != "get-series":
		require.Empty(w.t, data, name)
	default:
		require.Equal(w.t, http.StatusOK, status, "%s: %s", name, answer)
		require.True(w.t, isObject || answer == "", "%s: %s", name, answer)
	}
	nowhereStatus, nowhere := w.ask(w.keys["acme "+scope], r.method, w.nowhere.Replace(r.path), w.nowhere.Replace(r.body))
	require.Equal(w.t, status, nowhereStatus, name)
	blank := func(text string) string { return w.ids.ReplaceAllString(instants.ReplaceAllString(text, "T"), "id") }
	require.Equal(w.t, blank(nowhere), blank(answer), name)
}

// requireOwnersReach does the same with globex's own key: were a path wrong, it
// would be out of everybody's reach.
func (w *reachWorld) requireOwnersReach(tried []reach) {
	rank := map[string]int{"GET": 1, "POST": 2, "PATCH": 3, "DELETE": 4}
	slices.SortStableFunc(tried, func(a, b reach) int {
		return cmp.Or(cmp.Compare(rank[a.method], rank[b.method]), cmp.Compare(len(b.path), len(a.path)))
	})
	for _, r := range tried {
		status, answer := w.ask(w.keys["globex tenant"], r.method, w.globex.Replace(r.path), w.globex.Replace(r.body))
		if status == http.StatusForbidden {
			continue // only an administrator may
		}
		require.NotContains(w.t, []int{400, 401, 404, 405, 415}, status, "%s %s %s: %s", r.method, r.path, r.body, answer)
		require.Less(w.t, status, 500, "%s %s: %s", r.method, r.path, answer)
	}
}
