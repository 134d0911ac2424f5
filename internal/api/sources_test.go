package api

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/source"
)

func TestSource_CreatedWithAllThatItHas(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	body := `{"tenant":"acme","name":"Stripe","provider":"stripe","description":"live",
		"secrets":["whsec_hunter2",{"name":"old","role":"signature","value":"whsec_hunter1"},{"name":"api","role":"repair","value":"rk_live_hunter3"}],
		"dedupe":"json:id","event_type_from":"fixed:stripe.event","forward_headers":[],
		"options":{"tolerance":"90s","filter":"data.a < 1 && type != 'x'","rate_limit":{"per_second":2.5}}}`
	answer := r.call("POST", "/v1/sources", adminKey, body, "Idempotency-Key", "k")
	made := answer.object(t, http.StatusCreated)
	require.NotContains(t, answer.Body.String(), "hunter", "a secret is in the answer")
	id, err := delivery.ParseID(delivery.SourcePrefix, made["id"].(string))
	require.NoError(t, err)
	require.Equal(t, "/in/"+made["id"].(string), made["receive_path"])
	require.Equal(t, "https://hooks.example.com/in/"+made["id"].(string), made["receive_url"])
	require.Equal(t, "active", made["status"])
	require.Equal(t, "json:id", made["dedupe"])
	require.Equal(t, "fixed:stripe.event", made["event_type_from"])
	require.Equal(t, []any{}, made["forward_headers"])
	require.Equal(t, map[string]any{
		"tolerance": "90s", "filter": "data.a < 1 && type != 'x'", "rate_limit": map[string]any{"per_second": 2.5},
	}, made["options"])
	require.Len(t, made["secret_names"], 3)
	require.Equal(t, []string{"old", "api"}, []string{made["secret_names"].([]any)[1].(string), made["secret_names"].([]any)[2].(string)})
	require.Contains(t, string(r.sources[id].Settings), "data.a < 1 && type", "it is stored as it was written")
	require.Equal(t, []source.Secret{
		{Name: "api", Role: RoleRepair, Value: "rk_live_hunter3"}, {Name: "old", Role: source.RoleSignature, Value: "whsec_hunter1"},
		{Value: "whsec_hunter2"},
	}, r.secrets[id])

	again := r.call("POST", "/v1/sources", adminKey, body, "Idempotency-Key", "k").object(t, http.StatusOK)
	require.Equal(t, made["id"], again["id"])
	r.call("POST", "/v1/sources", adminKey, strings.Replace(body, "live", "test", 1), "Idempotency-Key", "k").problem(t, IdempotencyKeyReused)
}

func TestSource_Defaults(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	made := r.call("POST", "/v1/sources", acmeKey, `{"name":"GitHub","provider":"github","dedupe":null,"options":{}}`).object(t, http.StatusCreated)
	for member, want := range map[string]any{
		"tenant": "acme", "dedupe": "provider", "event_type_from": "provider", "forward_headers": nil, "options": map[string]any{},
		"secret_names": []any{}, "paused_at": nil, "description": "",
	} {
		require.Contains(t, made, member)
		require.Equal(t, want, made[member], member)
	}
	aliased := r.call("POST", "/v1/sources", acmeKey, `{"name":"x","provider":"generic_hmac","options":{"generic":{"header":"X"}}}`)
	require.Equal(t, "generic", aliased.object(t, http.StatusCreated)["provider"])
}

func TestSource_AnUnknownPublicAddressIsNotGuessed(t *testing.T) {
	t.Parallel()
	s := &server{}
	require.Nil(t, s.showSource(Source{ID: newID("acme")}).ReceiveURL)
}

// addSource makes a source of a tenant's and gives its path.
func (r *rig) addSource(t testing.TB, tenant, provider, more string) (delivery.ID, string) {
	t.Helper()
	body := fmt.Sprintf(`{"tenant":%q,"name":"it","provider":%q%s}`, tenant, provider, more)
	made := r.call("POST", "/v1/sources", adminKey, body).object(t, http.StatusCreated)
	id, err := delivery.ParseID(delivery.SourcePrefix, made["id"].(string))
	require.NoError(t, err)
	return id, "/v1/sources/" + made["id"].(string)
}

func TestSource_ChangesOnlyWhatIsNamed(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	id, path := r.addSource(t, "acme", "stripe", `,"dedupe":"json:id","forward_headers":["X-A"],"options":{"tolerance":"90s","max_body_bytes":512}`)
	changed := r.call("PATCH", path, acmeKey, `{"name":"new","options":{"tolerance":"2m"}}`).object(t, http.StatusOK)
	require.Equal(t, "new", changed["name"])
	require.Equal(t, "json:id", changed["dedupe"])
	require.Equal(t, []any{"X-A"}, changed["forward_headers"])
	require.Equal(t, map[string]any{"tolerance": "2m", "max_body_bytes": 512.}, changed["options"])

	before := string(r.sources[id].Settings)
	r.call("PATCH", path, acmeKey, `{"description":"x"}`).object(t, http.StatusOK)
	require.Equal(t, before, string(r.sources[id].Settings))
	p := r.call("PATCH", path, acmeKey, `{"name":"lost","dedupe":"nonsense"}`).problem(t, InvalidSourceSettings)
	require.Equal(t, []Fault{{Field: "dedupe", Detail: "makes no sense"}}, p.Errors)
	require.Equal(t, before, string(r.sources[id].Settings))
	require.Equal(t, "new", r.sources[id].Name)

	reset := r.call("PATCH", path, acmeKey, `{"dedupe":null,"forward_headers":null,"options":{"tolerance":null}}`).object(t, http.StatusOK)
	require.Equal(t, "provider", reset["dedupe"])
	require.Nil(t, reset["forward_headers"])
	require.Equal(t, map[string]any{"max_body_bytes": 512.}, reset["options"])
}

// refusingSources takes no settings after the present ones.
type refusingSources struct{ *memory }

func (refusingSources) UpdateSource(context.Context, Owner, delivery.ID, SourceChange) (Source, error) {
	return Source{}, fmt.Errorf("changing: %w", &SettingsRefusal{Field: "options.repair.base_url", Text: "must stay"})
}

func TestSource_SettingsThatMayNotFollowThePresentOnes(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	_, path := r.addSource(t, "acme", "stripe", "")
	m := r.memory
	r.handler = New(Options{
		Publisher: m, Keys: m, Tenants: m, Endpoints: m, Policies: m, History: m, Redelivery: m, Recoveries: m, Signals: m, AuditLog: m, Stats: m, Users: m, About: m, PortalLinks: m,
		Sources: refusingSources{m}, SourceRules: m, Rejections: m, Arrivals: m, GapRepairs: m, Tester: m, URLs: urls{}, Prober: m,
		Translate: translate, MaxBodyBytes: 4096, Log: slog.New(slog.DiscardHandler),
	})
	p := r.call("PATCH", path, acmeKey, `{"options":{"repair":{"base_url":"https://b.example"}}}`).problem(t, InvalidSourceSettings)
	require.Equal(t, "options.repair.base_url: must stay.", p.Detail)
	require.Equal(t, []Fault{{Field: "options.repair.base_url", Detail: "must stay"}}, p.Errors)
}

func TestSource_PauseResumeDelete(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	_, path := r.addSource(t, "acme", "stripe", "")
	paused := r.call("POST", path+"/pause", acmeKey, "").object(t, http.StatusOK)
	require.Equal(t, "paused", paused["status"])
	require.NotNil(t, paused["paused_at"])
	require.Equal(t, "active", r.call("POST", path+"/resume", acmeKey, "").object(t, http.StatusOK)["status"])
	require.Equal(t, http.StatusNoContent, r.call("DELETE", path, acmeKey, "").Code)
	r.call("GET", path, acmeKey, "").problem(t, NotFound)
	r.call("DELETE", path, acmeKey, "").problem(t, NotFound)
}

func TestSource_SecretsAreNeverShown(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	id, path := r.addSource(t, "acme", "github", `,"secrets":[{"name":"a","value":"hunter0"}]`)
	added := r.call("POST", path+"/secrets", acmeKey, `{"name":"b","role":"any","value":"hunter1"}`, "Idempotency-Key", "k")
	require.Equal(t, "b", added.object(t, http.StatusCreated)["name"])
	require.Equal(t, "any", added.object(t, http.StatusCreated)["role"])
	again := r.call("POST", path+"/secrets", acmeKey, `{"name":"b","role":"any","value":"hunter1"}`, "Idempotency-Key", "k")
	require.Equal(t, added.object(t, http.StatusCreated)["id"], again.object(t, http.StatusOK)["id"])
	rotated := r.call("POST", path+"/secrets/rotate", acmeKey, `{"name":"c","role":"signature","value":"hunter2","overlap":"48h"}`)
	require.Equal(t, "signature", rotated.object(t, http.StatusCreated)["role"])
	r.call("POST", path+"/secrets/rotate", acmeKey, `{"value":"hunter3"}`).object(t, http.StatusCreated)
	require.Equal(t, []time.Duration{-1, -1, 48 * time.Hour, defaultOverlap}, r.overlaps)
	require.Equal(t, "hunter2", r.secrets[id][2].Value)
	require.Equal(t, source.RoleAny, r.secrets[id][1].Role)

	r.call("POST", path+"/secrets", acmeKey, `{"name":"b","value":"hunter4"}`).problem(t, SecretNameTaken)
	list := r.call("GET", path+"/secrets", acmeKey, "")
	require.Len(t, list.object(t, http.StatusOK)["data"], 4)
	for _, answer := range []reply{added, again, rotated, list, r.call("GET", path, acmeKey, ""), r.call("GET", "/v1/sources", acmeKey, "")} {
		require.NotContains(t, answer.Body.String(), "hunter")
	}
	require.NotContains(t, r.log.String(), "hunter")
	one := path + "/secrets/" + added.object(t, http.StatusCreated)["id"].(string)
	require.Equal(t, http.StatusNoContent, r.call("DELETE", one, acmeKey, "").Code)
	r.call("DELETE", one, acmeKey, "").problem(t, NotFound)
}

// Whoever gets a secret wrong must not read it in a log that keeps answers.
func TestSource_ARefusedSecretIsNotRepeated(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	_, path := r.addSource(t, "acme", "standard_webhooks", "")
	for _, body := range []string{
		`{"value":"whsec_aHVudGVyMg=="}`, `{"value":" hunter2"}`, `{"value":"hunter2 ","role":"repair"}`, `{"value":{"hunter2":1}}`,
	} {
		answer := r.call("POST", path+"/secrets", acmeKey, body)
		require.GreaterOrEqual(t, answer.Code, 400)
		require.NotContains(t, answer.Body.String(), "hunter2")
		require.NotContains(t, answer.Body.String(), "aHVudGVyMg")
	}
	for _, secrets := range []string{`[7]`, `[{"hunter2":"hunter2"}]`, `[{"name":"x"}]`, `[""]`, `[null]`} {
		answer := r.call("POST", "/v1/sources", acmeKey, `{"name":"x","provider":"stripe","secrets":`+secrets+`}`)
		require.Contains(t, answer.problem(t, InvalidRequest).Errors[0].Field, "secrets[0]", answer.Body.String())
	}
	require.NotContains(t, r.log.String(), "hunter2")
}

func TestRejections_ByTenantSourceAndTime(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	first, path := r.addSource(t, "acme", "stripe", "")
	second, _ := r.addSource(t, "acme", "github", "")
	theirs, _ := r.addSource(t, "globex", "github", "")
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for i, id := range []delivery.ID{first, second, theirs, first, first} {
		tenant := map[bool]string{true: "globex", false: "acme"}[id == theirs]
		last := at.Add(time.Duration(i) * time.Hour)
		r.rejections = append(r.rejections, Rejection{
			ID: newID(tenant), SourceID: id, Tenant: tenant, Reason: "wrong_secret", Explanation: "It is the wrong one.", Count: int64(i + 1), FirstAt: last, LastAt: last,
		})
	}
	length := func(path, key string) int {
		return len(r.call("GET", path, key, "").object(t, http.StatusOK)["data"].([]any))
	}
	require.Equal(t, 5, length("/v1/rejections", adminKey))
	require.Equal(t, 4, length("/v1/rejections", readKey))
	require.Equal(t, 1, length("/v1/rejections?tenant=globex", adminKey))
	require.Equal(t, 2, length("/v1/rejections?since=2026-03-01T15:00:00Z", readKey))
	require.Equal(t, 3, length(path+"/rejections", readKey))
	page := r.call("GET", path+"/rejections?limit=2", readKey, "").object(t, http.StatusOK)
	require.Equal(t, map[string]any{
		"source_id": first.Format(delivery.SourcePrefix), "tenant": "acme", "reason": "wrong_secret", "explanation": "It is the wrong one.",
		"detail": nil, "count": 5., "first_at": "2026-03-01T16:00:00.000Z", "last_at": "2026-03-01T16:00:00.000Z",
	}, page["data"].([]any)[0])
	rest := r.call("GET", path+"/rejections?limit=2&cursor="+page["next_cursor"].(string), readKey, "").object(t, http.StatusOK)
	require.Len(t, rest["data"], 1)
	require.Nil(t, rest["next_cursor"])
	r.call("GET", "/v1/rejections?cursor="+page["next_cursor"].(string), readKey, "").problem(t, InvalidCursor)
}

func TestGaps_RepairedAndReported(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	id, path := r.addSource(t, "acme", "stripe", "")
	report := r.call("POST", path+"/repair", acmeKey, `{"since":"2026-03-01T12:00:00Z","until":"2026-03-02T12:00:00Z","dry_run":true}`).object(t, http.StatusOK)
	require.Equal(t, map[string]any{
		"dry_run": true, "listed": 5., "known": 3., "missing": 2., "fed": 2., "asked": 0., "filtered": 0., "refused": 0., "given_up": 0.,
	}, report)
	since := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	require.Equal(t, []gapAsked{{id, since, since.Add(24 * time.Hour), true}}, r.repairs)

	for _, c := range []struct {
		err  error
		code Code
		says string
	}{
		{&GapRefusal{Field: "since", Text: "must be later"}, InvalidRequest, "since: must be later."},
		{&GapRefusal{Text: "It lacks a token."}, SourceNotRepairable, "It lacks a token."},
		{&GapFailure{Text: "stripe's API has trouble", Wait: 1500 * time.Millisecond}, ProviderFailed, "trouble. Until then 2 of 2 missing were brought in"},
		{errors.New("secret detail"), Internal, "log"},
	} {
		r.gaps = func() (GapReport, error) {
			return GapReport{Missing: 2, Fed: 1, Asked: 1}, fmt.Errorf("repairing: %w", c.err)
		}
		answer := r.call("POST", path+"/repair", acmeKey, `{"since":"2026-03-01T12:00:00Z"}`)
		require.Contains(t, answer.problem(t, c.code).Detail, c.says)
		require.NotContains(t, answer.Body.String(), "secret detail")
		if c.code == ProviderFailed {
			require.Equal(t, "2", answer.Header().Get("Retry-After"))
		}
	}
	r.progress = GapProgress{CheckedAt: since, Found: 2}
	progress := r.call("GET", path, readKey, "").object(t, http.StatusOK)["gap_repair"].(map[string]any)
	require.Equal(t, map[string]any{"checked_until": "2026-03-01T12:00:00.000Z", "found": 2., "failed_at": nil, "error": nil}, progress)
	_, other := r.addSource(t, "acme", "slack", "")
	require.Nil(t, r.call("GET", other, readKey, "").object(t, http.StatusOK)["gap_repair"])
}

func TestSourceProviders_AreAllThere(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	data := r.call("GET", "/v1/source_providers", readKey, "").object(t, http.StatusOK)["data"].([]any)
	require.Len(t, data, len(source.Providers()))
	byName := map[string]map[string]any{}
	for _, one := range data {
		provider := one.(map[string]any)
		byName[provider["name"].(string)] = provider
		require.Contains(t, provider["methods"], "POST")
	}
	require.Equal(t, "5m", byName["stripe"]["tolerance"])
	require.Equal(t, true, byName["stripe"]["gap_repair"])
	require.Equal(t, false, byName["slack"]["gap_repair"])
	require.Nil(t, byName["github"]["tolerance"])
	require.Nil(t, byName["github"]["success"])
	require.Equal(t, map[string]any{"status": 200., "body": "[accepted]", "content_type": "text/plain"}, byName["adyen"]["success"])
}

func TestEvent_SaysWhereItCameIn(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	id := r.addEvent("acme", "a.b", []byte("1"))
	path := "/v1/events/" + id.Format(delivery.EventPrefix)
	published := r.call("GET", path, readKey, "").object(t, http.StatusOK)
	require.Nil(t, published["source_id"])
	require.Equal(t, []any{}, published["headers"])
	event := &r.events[0]
	event.SourceID = newID("acme")
	event.Headers = []delivery.Header{{Name: "X-Github-Event", Value: "push"}, {Name: "X-Github-Event", Value: "twice"}}
	received := r.call("GET", path, readKey, "").object(t, http.StatusOK)
	require.Equal(t, event.SourceID.Format(delivery.SourcePrefix), received["source_id"])
	require.Equal(t, []any{
		map[string]any{"name": "X-Github-Event", "value": "push"}, map[string]any{"name": "X-Github-Event", "value": "twice"},
	}, received["headers"])
}
