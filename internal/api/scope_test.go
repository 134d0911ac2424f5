package api

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

// allowedScopes says for every operation which scopes may call it: a for admin,
// t for tenant, p for publish, r for read, and - for "needs no key". It is
// written down a second time here, so that no operation is opened by mistake.
var allowedScopes = map[string]string{
	"create-tenant": "a", "list-tenants": "atr", "get-tenant": "atr", "update-tenant": "at", "delete-tenant": "a",
	"create-user": "a", "list-users": "a", "get-user": "a", "update-user": "a", "disable-user": "a", "enable-user": "a",
	"renew-user-link": "a", "delete-user": "a", "get-about": "a",
	"create-key": "at", "list-keys": "at", "revoke-key": "at", "make-portal-link": "at",
	"create-webhook-endpoint": "at", "list-webhook-endpoints": "atr", "get-webhook-endpoint": "atr",
	"update-webhook-endpoint": "at", "delete-webhook-endpoint": "at", "enable-webhook-endpoint": "at",
	"disable-webhook-endpoint": "at", "pause-webhook-endpoint": "at", "resume-webhook-endpoint": "at",
	"test-webhook-endpoint": "at", "discard-webhook-endpoint": "at",
	"add-secret": "at", "rotate-secret": "at", "list-secrets": "at", "revoke-secret": "at",
	"publish-event": "atp", "publish-events": "atp", "list-events": "atr", "get-event": "atr", "get-event-body": "atr",
	"list-webhook-deliveries": "atr", "list-deliveries-of-webhook-endpoint": "atr", "get-webhook-delivery": "atr", "get-webhook-delivery-body": "atr",
	"replay-webhook-delivery": "at", "replay-webhook-deliveries": "at", "resolve-webhook-delivery": "at",
	"list-policies": "atr", "create-policy": "a", "get-policy": "atr", "get-policy-schedule": "atr",
	"get-policy-contract": "atr", "recover-webhook-endpoint": "at", "list-webhook-endpoint-recoveries": "atr",
	"list-audit-log": "at", "search": "atr", "export-events": "atr", "get-recovery": "atr", "cancel-recovery": "at", "list-signals": "atr",
	"create-source": "at", "list-sources": "atr", "get-source": "atr", "update-source": "at", "delete-source": "at",
	"pause-source": "at", "resume-source": "at", "repair-source-gaps": "at",
	"add-source-secret": "at", "rotate-source-secret": "at", "list-source-secrets": "at", "revoke-source-secret": "at",
	"list-rejections": "atr", "list-source-rejections": "atr", "list-source-providers": "atr",
	"list-dead-letters": "atr", "get-source-series": "atr", "get-source-sums": "atr", "resolve-webhook-deliveries": "at",
	"get-lag": "atr", "get-now": "a", "get-series": "atr", "get-dead-letters": "atr", "get-health": "-", "get-readiness": "-",
}

// operation is what the document says of one.
type operation struct {
	method, path string
	OperationID  string   `json:"operationId"`
	Scopes       []string `json:"x-scopes"`
	Codes        []Code   `json:"x-codes"`
	Security     []any
	Samples      []codeSample   `json:"x-codeSamples"`
	Responses    map[string]any // by status
}

func operations(t testing.TB, r *rig) []operation {
	t.Helper()
	var document struct {
		Paths map[string]map[string]operation
	}
	require.NoError(t, json.Unmarshal(r.call("GET", "/openapi.json", "", "").Body.Bytes(), &document))
	var all []operation
	for path, methods := range document.Paths {
		for method, o := range methods {
			o.method, o.path = strings.ToUpper(method), path
			all = append(all, o)
		}
	}
	slices.SortFunc(all, func(a, b operation) int { return strings.Compare(a.OperationID, b.OperationID) })
	return all
}

func TestScopes_EveryOperationTakesItsOwnOnly(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	names := strings.NewReplacer("{id}", "x", "{tenant}", "nobody", "{name}", "none", "{secret}", "x")
	var seen []string
	for _, o := range operations(t, r) {
		seen = append(seen, o.OperationID)
		allowed := allowedScopes[o.OperationID]
		if allowed == "-" {
			require.Empty(t, o.Security)
			require.Equal(t, http.StatusOK, r.call(o.method, o.path, "", "").Code)
			continue
		}
		require.NotEmpty(t, o.Security, o.OperationID)
		require.Len(t, o.Scopes, len(allowed), o.OperationID)
		path := names.Replace(o.path)
		answer := r.call(o.method, path, "", "")
		answer.problem(t, Unauthenticated)
		require.Equal(t, `Bearer realm="malote"`, answer.Header().Get("WWW-Authenticate"))
		r.call(o.method, path, "mlt_wrong", "").problem(t, Unauthenticated)
		for scope, key := range map[string]string{"a": adminKey, "t": acmeKey, "p": publishKey, "r": readKey} {
			got := r.call(o.method, path, key, "")
			if strings.Contains(allowed, scope) {
				require.NotContains(t, []int{401, 403}, got.Code, "%s with %s: %s", o.OperationID, key, got.Body)
				continue
			}
			p := got.problem(t, InsufficientScope)
			require.Contains(t, p.Detail, strings.Join(o.Scopes, " or "))
		}
	}
	require.ElementsMatch(t, slices.Collect(maps.Keys(allowedScopes)), seen)
}

func TestTenants_OneNeverSeesAnothers(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	event := r.addEvent("globex", "a.b", []byte("1"))
	dead := r.addDelivery("globex", event, r.globex, delivery.Dead)
	theirKey := r.keys[globexKey].ID
	theirJob, _, err := r.StartRecovery(t.Context(), "globex", RecoveryWindow{Endpoint: r.globex}, Once{})
	require.NoError(t, err)
	job := "/v1/recoveries/" + theirJob.ID.Format(delivery.RecoveryPrefix)
	endpoint := "/v1/webhook_endpoints/" + r.globex.Format(delivery.EndpointPrefix)
	theirSource, in := r.addSource(t, "globex", "stripe", "")
	deliveryPath := "/v1/webhook_deliveries/" + dead.Format(delivery.DeliveryPrefix)
	for _, c := range []struct{ method, path, body string }{
		{"GET", "/v1/tenants/globex", ""}, {"PATCH", "/v1/tenants/globex", `{"name":"x"}`},
		{"GET", "/v1/keys?tenant=globex", ""}, {"POST", "/v1/keys", `{"scope":"read","tenant":"globex"}`},
		{"DELETE", "/v1/keys/" + theirKey.Format(delivery.KeyPrefix), ""},
		{"POST", "/v1/webhook_endpoints", `{"tenant":"globex","url":"https://x.example"}`},
		{"GET", "/v1/webhook_endpoints?tenant=globex", ""},
		{"GET", endpoint, ""}, {"PATCH", endpoint, `{"description":"x"}`}, {"DELETE", endpoint, ""},
		{"POST", endpoint + "/enable", ""}, {"POST", endpoint + "/disable", ""}, {"POST", endpoint + "/pause", ""},
		{"POST", endpoint + "/resume", ""}, {"POST", endpoint + "/test", ""}, {"POST", endpoint + "/discard", ""},
		{"GET", endpoint + "/secrets", ""}, {"POST", endpoint + "/secrets", ""}, {"POST", endpoint + "/secrets/rotate", ""},
		{"DELETE", endpoint + "/secrets/sec_01h455vb4pex5vsknk084sn02q", ""}, {"GET", endpoint + "/deliveries", ""},
		{"POST", "/v1/events", `{"tenant":"globex","type":"a","data":1}`},
		{"POST", "/v1/events/batch", `{"events":[{"type":"a","data":1},{"tenant":"globex","type":"a","data":1}]}`},
		{"GET", "/v1/events?tenant=globex", ""}, {"GET", "/v1/events/" + event.Format(delivery.EventPrefix), ""},
		{"GET", "/v1/events/" + event.Format(delivery.EventPrefix) + "/body", ""},
		{"GET", "/v1/webhook_deliveries?tenant=globex", ""}, {"GET", deliveryPath, ""},
		{"POST", endpoint + "/recover", `{"since":"2026-01-01T00:00:00Z"}`}, {"GET", endpoint + "/recoveries", ""},
		{"GET", job, ""}, {"POST", job + "/cancel", ""}, {"GET", "/v1/signals?tenant=globex", ""},
		{"POST", deliveryPath + "/replay", ""}, {"POST", deliveryPath + "/resolve", `{"reason":"it is not needed"}`},
		{"POST", "/v1/sources", `{"tenant":"globex","name":"x","provider":"stripe"}`}, {"GET", "/v1/sources?tenant=globex", ""},
		{"GET", in, ""}, {"PATCH", in, `{"name":"x"}`}, {"DELETE", in, ""}, {"POST", in + "/pause", ""}, {"POST", in + "/resume", ""},
		{"GET", in + "/secrets", ""}, {"POST", in + "/secrets", `{"value":"x"}`}, {"POST", in + "/secrets/rotate", `{"value":"x"}`},
		{"DELETE", in + "/secrets/sec_01h455vb4pex5vsknk084sn02q", ""}, {"GET", in + "/rejections", ""},
		{"GET", "/v1/rejections?tenant=globex", ""}, {"POST", in + "/repair", `{"since":"2026-01-01T00:00:00Z"}`},
	} {
		theirs := r.call(c.method, c.path, acmeKey, c.body)
		require.Equal(t, http.StatusNotFound, theirs.Code, "%s %s: %s", c.method, c.path, theirs.Body)
		// What exists elsewhere and what exists nowhere look the same.
		nowhere := strings.NewReplacer("globex", "nobody", r.globex.Format(delivery.EndpointPrefix), newID("globex").Format(delivery.EndpointPrefix),
			event.Format(delivery.EventPrefix), newID("globex").Format(delivery.EventPrefix),
			dead.Format(delivery.DeliveryPrefix), newID("globex").Format(delivery.DeliveryPrefix),
			theirSource.Format(delivery.SourcePrefix), newID("globex").Format(delivery.SourcePrefix),
			theirJob.ID.Format(delivery.RecoveryPrefix), newID("globex").Format(delivery.RecoveryPrefix))
		require.Equal(t, theirs.Body.String(), r.call(c.method, nowhere.Replace(c.path), acmeKey, nowhere.Replace(c.body)).Body.String())
	}
	require.Empty(t, r.published)
	require.Empty(t, r.resolved)
	require.Empty(t, r.discarded)
	require.Len(t, r.recoveries, 1)
	require.Equal(t, "running", r.recoveries[0].Status)
	require.Equal(t, "globex", r.tenants["globex"].Name)
	require.Equal(t, delivery.Active, r.endpoints[r.globex].Status)
	require.Len(t, r.endpoints, 2)
	require.Len(t, r.sources, 1)
	require.Equal(t, "it", r.sources[theirSource].Name)
	require.True(t, r.sources[theirSource].PausedAt.IsZero())
	require.Empty(t, r.secrets[theirSource])
	require.Empty(t, r.repairs)
}

func TestTenants_ListsHoldOnlyOnesOwn(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for _, tenant := range []string{"acme", "globex"} {
		endpoint := map[string]delivery.ID{"acme": r.acme, "globex": r.globex}[tenant]
		r.addDelivery(tenant, r.addEvent(tenant, "a.b", []byte("1")), endpoint, delivery.Dead)
		r.signals = append(r.signals, Signal{ID: newID(tenant), Tenant: tenant, Kind: "delivery_dead", CreatedAt: time.Now()})
		id, _ := r.addSource(t, tenant, "stripe", "")
		r.rejections = append(r.rejections, Rejection{ID: newID(tenant), SourceID: id, Tenant: tenant, Reason: "wrong_secret"})
	}
	for _, path := range []string{"/v1/tenants", "/v1/webhook_endpoints", "/v1/events", "/v1/webhook_deliveries", "/v1/signals", "/v1/sources", "/v1/rejections"} {
		data := r.call("GET", path, acmeKey, "").object(t, http.StatusOK)["data"].([]any)
		require.Len(t, data, 1, path)
		require.NotContains(t, r.call("GET", path, acmeKey, "").Body.String(), "globex")
		if path != "/v1/events" {
			require.Len(t, r.call("GET", path, adminKey, "").object(t, http.StatusOK)["data"], 2, path)
		}
	}
	require.Len(t, r.call("GET", "/v1/keys", acmeKey, "").object(t, http.StatusOK)["data"], 3)
	// An endpoint of another's in the filter is no way around it.
	path := "/v1/webhook_deliveries?endpoint=" + r.globex.Format(delivery.EndpointPrefix)
	require.Empty(t, r.call("GET", path, acmeKey, "").object(t, http.StatusOK)["data"])
}

func TestScopes_WhatOnlyAnAdminMayDoWithinAnOperation(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.call("PATCH", "/v1/tenants/acme", acmeKey, `{"priority":5}`).problem(t, InsufficientScope)
	r.call("PATCH", "/v1/tenants/acme", adminKey, `{"priority":5}`).object(t, http.StatusOK)
	r.call("PATCH", "/v1/tenants/acme", acmeKey, `{"name":"A"}`).object(t, http.StatusOK)
	require.Equal(t, Tenant{ID: "acme", Name: "A", Priority: 5, CreatedAt: r.tenants["acme"].CreatedAt, UpdatedAt: r.tenants["acme"].UpdatedAt}, r.tenants["acme"])
	r.call("POST", "/v1/keys", acmeKey, `{"scope":"admin"}`).problem(t, InsufficientScope)
	require.Len(t, r.keys, 4)
	r.call("POST", "/v1/keys", adminKey, `{"scope":"admin"}`).object(t, http.StatusCreated)
}

func TestOwner_ZeroOwnsNothing(t *testing.T) {
	t.Parallel()
	require.False(t, Owner{}.Owns(""))
	require.False(t, Owner{}.Owns("acme"))
	require.True(t, AnyTenant.Owns("acme"))
	require.False(t, OfTenant("acme").Owns("globex"))
}
