package api

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

// auditCase is one operation that changes something. Names in braces are ids.
type auditCase struct {
	path, body string
	kind       SubjectKind
	detail     string // a part of it
}

// auditCases has every operation but those that only read, and publishing.
var auditCases = map[string]auditCase{
	"create-tenant":            {"/v1/tenants", `{"id":"new"}`, SubjectTenant, ""},
	"update-tenant":            {"/v1/tenants/acme", `{"priority":null,"name":"A","alert_emails":["a@example.com"]}`, SubjectTenant, "alert_emails, name"},
	"delete-tenant":            {"/v1/tenants/globex", "", SubjectTenant, ""},
	"create-key":               {"/v1/keys", `{"scope":"read","tenant":"acme","name":"secret name"}`, SubjectKey, "scope: read"},
	"revoke-key":               {"/v1/keys/{key}", "", SubjectKey, "scope: tenant"},
	"create-webhook-endpoint":  {"/v1/webhook_endpoints", `{"tenant":"acme","url":"https://x.example/"}`, SubjectEndpoint, ""},
	"update-webhook-endpoint":  {"/v1/webhook_endpoints/{endpoint}", `{"url":"https://x.example/","headers":{"Authorization":"s3cret"}}`, SubjectEndpoint, "headers, url"},
	"delete-webhook-endpoint":  {"/v1/webhook_endpoints/{endpoint}", "", SubjectEndpoint, ""},
	"enable-webhook-endpoint":  {"/v1/webhook_endpoints/{endpoint}/enable", "", SubjectEndpoint, "replayed_count"},
	"disable-webhook-endpoint": {"/v1/webhook_endpoints/{endpoint}/disable", "", SubjectEndpoint, ""},
	"pause-webhook-endpoint":   {"/v1/webhook_endpoints/{endpoint}/pause", "", SubjectEndpoint, ""},
	"resume-webhook-endpoint":  {"/v1/webhook_endpoints/{endpoint}/resume", "", SubjectEndpoint, ""},
	"test-webhook-endpoint":    {"/v1/webhook_endpoints/{endpoint}/test", "", SubjectEndpoint, "evt_"},
	"discard-webhook-endpoint": {"/v1/webhook_endpoints/{endpoint}/discard", "", SubjectEndpoint, "discarded_count"},
	"recover-webhook-endpoint": {"/v1/webhook_endpoints/{endpoint}/recover", `{"since":"2026-01-01T00:00:00Z"}`, SubjectRecovery, "whe_"},
	"cancel-recovery":          {"/v1/recoveries/{recovery}/cancel", "", SubjectRecovery, "whe_"},

	"add-secret":                 {"/v1/webhook_endpoints/{endpoint}/secrets", "", SubjectSecret, "whe_"},
	"rotate-secret":              {"/v1/webhook_endpoints/{endpoint}/secrets/rotate", "", SubjectSecret, "whe_"},
	"revoke-secret":              {"/v1/webhook_endpoints/{endpoint}/secrets/{secret}", "", SubjectSecret, "whe_"},
	"replay-webhook-delivery":    {"/v1/webhook_deliveries/{delivery}/replay", "", SubjectDelivery, "was dead"},
	"replay-webhook-deliveries":  {"/v1/webhook_deliveries/replay", `{"ids":["{delivery}","{another}"]}`, SubjectDelivery, "was dead"},
	"resolve-webhook-delivery":   {"/v1/webhook_deliveries/{delivery}/resolve", `{"reason":"told them by phone"}`, SubjectDelivery, ""},
	"create-policy":              {"/v1/policies", `{"yaml":"name: nightly\ndeadline: 10s\nschedule: {kind: table, waits: [1m], then: end}\n"}`, SubjectPolicy, ""},
	"create-source":              {"/v1/sources", `{"tenant":"acme","name":"it","provider":"stripe"}`, SubjectSource, "provider: stripe"},
	"update-source":              {"/v1/sources/{source}", `{"name":"b","dedupe":null}`, SubjectSource, "dedupe, name"},
	"delete-source":              {"/v1/sources/{source}", "", SubjectSource, ""},
	"pause-source":               {"/v1/sources/{source}/pause", "", SubjectSource, ""},
	"resume-source":              {"/v1/sources/{source}/resume", "", SubjectSource, ""},
	"repair-source-gaps":         {"/v1/sources/{source}/repair", `{"since":"2026-01-01T00:00:00Z"}`, SubjectSource, "fed: 2"},
	"add-source-secret":          {"/v1/sources/{source}/secrets", `{"value":"whsec_s3cret"}`, SubjectSourceSecret, "src_"},
	"rotate-source-secret":       {"/v1/sources/{source}/secrets/rotate", `{"value":"whsec_s3cret"}`, SubjectSourceSecret, "src_"},
	"create-user":                {"/v1/users", `{"name":"eve","role":"support"}`, SubjectUser, "eve, role: support"},
	"update-user":                {"/v1/users/{user}", `{"role":"admin"}`, SubjectUser, "bob, role: admin"},
	"disable-user":               {"/v1/users/{user}/disable", "", SubjectUser, "bob"},
	"enable-user":                {"/v1/users/{user}/enable", "", SubjectUser, "bob"},
	"renew-user-link":            {"/v1/users/{user}/link", "", SubjectUser, "bob"},
	"delete-user":                {"/v1/users/{user}", "", SubjectUser, "bob"},
	"revoke-source-secret":       {"/v1/sources/{source}/secrets/{source_secret}", "", SubjectSourceSecret, "src_"},
	"resolve-webhook-deliveries": {"/v1/webhook_deliveries/resolve", `{"ids":["{delivery}","{another}"],"reason":"told them by phone"}`, SubjectDelivery, ""},
	"make-portal-link":           {"/v1/portal_links", `{"tenant":"acme","role":"support"}`, SubjectPortal, "role: support, for 15m"},
}

// unaudited are the operations that change nothing, or are their own record.
var unaudited = []string{"publish-event", "publish-events"}

// auditedThings makes one of everything, and says what stands for the braces.
func auditedThings(t *testing.T, r *rig) *strings.Replacer {
	t.Helper()
	target := r.addEndpoint("acme")
	endpoint := "/v1/webhook_endpoints/" + target.Format(delivery.EndpointPrefix)
	event := r.addEvent("acme", "a.b", []byte("1"))
	dead, another := r.addDelivery("acme", event, target, delivery.Dead), r.addDelivery("acme", event, target, delivery.Dead)
	job, _, err := r.StartRecovery(t.Context(), "acme", RecoveryWindow{Endpoint: target}, Once{})
	require.NoError(t, err)
	_, key, err := r.CreateKey(t.Context(), ScopeTenant, "acme", "", Once{})
	require.NoError(t, err)
	secret := r.call("POST", endpoint+"/secrets", acmeKey, "").object(t, http.StatusCreated)["id"].(string)
	source, path := r.addSource(t, "acme", "stripe", "")
	sourceSecret := r.call("POST", path+"/secrets", acmeKey, `{"value":"whsec_first"}`).object(t, http.StatusCreated)["id"].(string)
	clear(r.users)
	user, _, err := r.CreateUser(t.Context(), "bob", RoleViewer, Once{})
	require.NoError(t, err)
	r.lastAct()
	return strings.NewReplacer(
		"{user}", user.ID.Format(delivery.UserPrefix),
		"{endpoint}", target.Format(delivery.EndpointPrefix), "{delivery}", dead.Format(delivery.DeliveryPrefix),
		"{another}", another.Format(delivery.DeliveryPrefix), "{recovery}", job.ID.Format(delivery.RecoveryPrefix),
		"{key}", key.ID.Format(delivery.KeyPrefix), "{secret}", secret,
		"{source}", source.Format(delivery.SourcePrefix), "{source_secret}", sourceSecret,
	)
}

// Every operation that changes something leaves a row that says what, and
// nothing that must not be read there.
func TestAudit_EveryChangeLeavesARow(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	var changing []string
	for _, o := range operations(t, r) {
		if o.method == http.MethodGet || slices.Contains(unaudited, o.OperationID) {
			continue
		}
		changing = append(changing, o.OperationID)
		test := auditCases[o.OperationID]
		things := auditedThings(t, r)
		answer := r.call(o.method, things.Replace(test.path), adminKey, things.Replace(test.body))
		require.Less(t, answer.Code, 300, "%s: %s", o.OperationID, answer.Body)
		act := r.lastAct()
		require.Equal(t, o.OperationID, act.Operation)
		require.Equal(t, Actor{Kind: ActorAdminKey}, act.Actor)
		require.True(t, act.ByOperator)
		require.Equal(t, "192.0.2.1", act.Address.String(), "as httptest has it")
		require.NotEmpty(t, act.Subjects)
		for _, subject := range act.Subjects {
			require.Equal(t, test.kind, subject.Kind, o.OperationID)
			require.NotEmpty(t, subject.ID, o.OperationID)
			require.Contains(t, subject.Detail, test.detail, o.OperationID)
			require.NotContains(t, fmt.Sprint(subject), "s3cret", o.OperationID)
			require.NotContains(t, fmt.Sprint(subject), "phone", o.OperationID)
			if test.kind != SubjectPolicy && test.kind != SubjectUser {
				require.NotEmpty(t, subject.Tenant, o.OperationID)
			}
		}
	}
	require.ElementsMatch(t, slices.Collect(maps.Keys(auditCases)), changing)
}

func TestAudit_WhatChangesNothingLeavesNone(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	things := auditedThings(t, r)
	r.call("POST", "/v1/tenants", adminKey, `{"id":"new"}`, "Idempotency-Key", "k").object(t, http.StatusCreated)
	require.Len(t, r.acts, 1)
	for _, c := range []struct{ method, path, body string }{
		{"POST", "/v1/tenants", `{"id":"new"}`}, // the repeat
		{"POST", "/v1/tenants", `{"id":"acme"}`},
		{"POST", "/v1/events", `{"tenant":"acme","type":"a","data":1}`},
		{"POST", "/v1/webhook_deliveries/replay", `{"ids":["{delivery}"],"preview":true}`},
		{"POST", "/v1/webhook_endpoints/{endpoint}/recover", `{"since":"2026-01-01T00:00:00Z","dry_run":true}`},
		{"POST", "/v1/sources/{source}/repair", `{"since":"2026-01-01T00:00:00Z","dry_run":true}`},
		{"PATCH", "/v1/webhook_endpoints/{endpoint}", `{"url":"https://bad.example/"}`},
		{"GET", "/v1/webhook_endpoints/{endpoint}", ""},
	} {
		header := []string{}
		if c.path == "/v1/tenants" && strings.Contains(c.body, "new") {
			header = []string{"Idempotency-Key", "k"}
		}
		r.call(c.method, things.Replace(c.path), adminKey, things.Replace(c.body), header...)
		require.Len(t, r.acts, 1, "%s %s %s", c.method, c.path, c.body)
	}
}

func TestAudit_SaysWhoItWas(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	pause := "/v1/webhook_endpoints/" + r.acme.Format(delivery.EndpointPrefix) + "/pause"
	r.call("POST", pause, acmeKey, "").object(t, http.StatusOK)
	act := r.lastAct()
	require.Equal(t, Actor{Kind: ActorKey, ID: r.keys[acmeKey].ID.Format(delivery.KeyPrefix)}, act.Actor)
	require.False(t, act.ByOperator)

	portal := Actor{Kind: ActorPortal, ID: "ps_1", Name: "Ana"}
	address := netip.MustParseAddr("2001:db8::7")
	r.callAs(Caller{Scope: ScopeTenant, Tenant: "acme", Actor: portal, Address: address}, "POST", pause, "").object(t, http.StatusOK)
	act = r.lastAct()
	require.Equal(t, portal, act.Actor)
	require.Equal(t, address, act.Address)
	require.False(t, act.ByOperator)

	user := Actor{Kind: ActorUser, ID: "usr_1", Name: "Bo"}
	r.callAs(Caller{Scope: ScopeTenant, Tenant: "acme", Actor: user}, "POST", pause, "").object(t, http.StatusOK)
	require.True(t, r.lastAct().ByOperator, "whatever it is narrowed to")
}

// A tenant sees that the operator did something, not who of them from where.
func TestAuditLog_ATenantSeesItsOwnRowsAndNothingOfTheOperators(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	at := func(tenant string, actor Actor, operator bool) {
		r.audited = append(r.audited, AuditEntry{
			ID: newID(tenant), Actor: actor, ByOperator: operator, Operation: "pause-source", Address: "203.0.113.9",
			Subject: Subject{Tenant: tenant, Kind: SubjectSource, ID: "src_1"}, At: time.Now(),
		})
	}
	at("acme", Actor{Kind: ActorUser, ID: "usr_1", Name: "Bo"}, true)
	at("globex", Actor{Kind: ActorKey, ID: "key_2", Name: "theirs"}, false)
	at("acme", Actor{Kind: ActorKey, ID: "key_1", Name: "ours"}, false)
	list := func(key, query string) []any {
		return r.call("GET", "/v1/audit_log?"+query, key, "").object(t, http.StatusOK)["data"].([]any)
	}
	require.Len(t, list(adminKey, ""), 3)
	require.Len(t, list(adminKey, "tenant=globex"), 1)
	require.Equal(t, "usr_1", list(adminKey, "tenant=acme")[1].(map[string]any)["actor_id"])
	ours := list(acmeKey, "")
	require.Len(t, ours, 2)
	own, operators := ours[0].(map[string]any), ours[1].(map[string]any)
	require.Equal(t, "key_1", own["actor_id"])
	require.Equal(t, "ours", own["actor_name"])
	require.Equal(t, "203.0.113.9", own["address"])
	require.Equal(t, "user", operators["actor_kind"])
	for _, hidden := range []string{"actor_id", "actor_name", "address"} {
		require.Nil(t, operators[hidden], hidden)
	}
	r.call("GET", "/v1/audit_log?tenant=globex", acmeKey, "").problem(t, UnknownTenant)

	list(acmeKey, "actor=usr_1&actor_kind=user&operation=pause-source&subject=src_1&since=2026-01-01T00:00:00Z&until=2026-02-01T00:00:00Z&limit=7")
	asked := r.auditFilters[len(r.auditFilters)-1]
	require.Equal(t, AuditFilter{
		Tenant: "acme", ActorKind: ActorUser, ActorID: "usr_1", Operation: "pause-source", SubjectID: "src_1",
		Since: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), Until: time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC), Limit: 7, OwnActors: true,
	}, asked)
	r.call("GET", "/v1/audit_log?since=2026-02-01T00:00:00Z&until=2026-01-01T00:00:00Z", acmeKey, "").problem(t, InvalidRequest)

	first := r.call("GET", "/v1/audit_log?limit=1", acmeKey, "").object(t, http.StatusOK)
	rest := list(acmeKey, "limit=1&cursor="+first["next_cursor"].(string))
	require.Equal(t, operators, rest[0])
}

// The change holds: nobody is told that it failed.
func TestAudit_AFailureIsTheOperatorsToKnow(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.actErr = errors.New("the disk is full")
	r.call("POST", "/v1/webhook_endpoints/"+r.acme.Format(delivery.EndpointPrefix)+"/pause", acmeKey, "").object(t, http.StatusOK)
	for _, told := range []string{"the audit log lacks an act", "pause-webhook-endpoint", r.acme.Format(delivery.EndpointPrefix), "the disk is full"} {
		require.Contains(t, r.log.String(), told)
	}
}
