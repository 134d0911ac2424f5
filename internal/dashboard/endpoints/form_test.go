package endpoints

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/malotehq/malote/internal/dashboard/lang"
	"github.com/malotehq/malote/internal/dashboard/page"
	"github.com/malotehq/malote/internal/dashboard/records"
)

func encoded(t *testing.T, m members) string {
	t.Helper()
	text, err := json.Marshal(m)
	require.NoError(t, err)
	return string(text)
}

func TestCreation(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		form form
		want string
	}{
		"only what is needed": {form{Tenant: "acme", URL: "https://x.example"}, `{"tenant":"acme","url":"https://x.example"}`},
		"a customer's own":    {form{URL: "https://x.example"}, `{"url":"https://x.example"}`},
		"everything": {
			form{
				Tenant: "acme", URL: "https://x.example", EventTypes: "a.b, c.*\r\nd", Policy: "standard", Description: "for tests",
				MaxInFlight: "5", RateLimit: "2,5", FIFO: yes, Filter: "data.a > 1\r\n&& true", Headers: "X-A: 1\r\nX-B: a: b",
				SecretHeaders: "Authorization: Bearer x", Metadata: "team: a", AtMostOnce: true, Secret: "whsec_x",
			},
			`{"at_most_once":true,"description":"for tests","event_types":["a.b","c.*","d"],"fifo":true,"filter":"data.a \u003e 1\n\u0026\u0026 true",` +
				`"headers":{"Authorization":"Bearer x","X-A":"1","X-B":"a: b"},"max_in_flight":5,"metadata":{"team":"a"},"policy":"standard",` +
				`"rate_limit":2.5,"secret":"whsec_x","secret_headers":["Authorization"],"tenant":"acme","url":"https://x.example"}`,
		},
		"unordered, whatever the policy says": {form{URL: "u", FIFO: no}, `{"fifo":false,"url":"u"}`},
	} {
		body, faults := test.form.creation(t.Context())
		require.Empty(t, faults, name)
		require.Equal(t, test.want, encoded(t, body), name)
	}
}

func TestCreation_SaysWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	f := form{URL: "u", MaxInFlight: "five", RateLimit: "1e999", Headers: "X-A: 1\nnonsense", SecretHeaders: "T: 1", Metadata: "a: 1\na: 2"}
	_, faults := f.creation(t.Context())
	require.ElementsMatch(t, []string{"max_in_flight", "rate_limit", "headers", "metadata"}, slices.Collect(maps.Keys(faults)))
	require.Contains(t, faults["headers"], "nonsense")
	_, faults = form{URL: "u", Headers: "T: 1", SecretHeaders: "T: 2"}.creation(t.Context())
	require.Contains(t, faults["secret_headers"], "T ")
}

func present() records.Endpoint {
	rate := 2.5
	return records.Endpoint{
		ID: "whe_1", Tenant: "acme", URL: "https://x.example", Policy: "standard", EventTypes: []string{"a.b", "c.*"}, MaxInFlight: 10,
		RateLimit: &rate, Filter: "data.a > 1", Headers: map[string]string{"Authorization": hidden, "X-A": "1"},
		SecretHeaders: []string{"Authorization"}, Metadata: map[string]string{"team": "a"}, Description: "d",
		UpdatedAt: time.Date(2026, 3, 1, 12, 0, 0, 123e6, time.UTC),
	}
}

func TestChanges(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		edit func(*form)
		want string
	}{
		"none":                  {func(*form) {}, `{}`},
		"as browsers send it":   {func(f *form) { f.EventTypes, f.Headers = "a.b\r\nc.*", f.Headers+"\r\n" }, `{}`},
		"URL":                   {func(f *form) { f.URL = "https://y.example" }, `{"url":"https://y.example"}`},
		"the policy's defaults": {func(f *form) { f.MaxInFlight, f.RateLimit = "", "" }, `{"max_in_flight":0,"rate_limit":0}`},
		"every type":            {func(f *form) { f.EventTypes = "" }, `{"event_types":[]}`},
		"no filter, no words":   {func(f *form) { f.Filter, f.Description = "", "" }, `{"description":"","filter":""}`},
		"order and repeats":     {func(f *form) { f.FIFO, f.AtMostOnce = yes, true }, `{"at_most_once":true,"fifo":true}`},
		"one more header keeps the secret one": {
			func(f *form) { f.Headers += "\nX-B: 2" },
			`{"headers":{"Authorization":"[hidden]","X-A":"1","X-B":"2"},"secret_headers":["Authorization"]}`,
		},
		"no headers":  {func(f *form) { f.Headers, f.SecretHeaders = "", "" }, `{"headers":{},"secret_headers":[]}`},
		"no metadata": {func(f *form) { f.Metadata = "" }, `{"metadata":{}}`},
	} {
		f := formFor(present())
		test.edit(&f)
		body, faults := f.changes(t.Context(), present())
		require.Empty(t, faults, name)
		require.Equal(t, test.want, encoded(t, body), name)
	}
}

func TestChanges_LeavesAloneWhatItCannotShow(t *testing.T) {
	t.Parallel()
	e := present()
	e.Metadata = map[string]string{"two": "lines\nhere", "a:b": "c"}
	body, faults := form{URL: e.URL, Policy: e.Policy}.changes(t.Context(), e)
	require.Empty(t, faults)
	require.NotContains(t, body, "metadata")
}

// Whatever an endpoint is like: who saves the form as it was shown changes nothing.
func TestChanges_NoneIfNobodyTouchedTheForm(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[ -~ã]{0,20}`)
		names := rapid.StringMatching(`[A-Za-z-]{1,10}`)
		e := present()
		e.Description, e.Filter = text.Draw(t, "description"), text.Draw(t, "filter")
		e.EventTypes = rapid.SliceOfN(rapid.StringMatching(`[a-z_.*-]{1,9}`), 0, 4).Draw(t, "types")
		e.Metadata = rapid.MapOfN(text, text, 0, 4).Draw(t, "metadata")
		e.Headers = rapid.MapOfN(names, rapid.Map(text, strings.TrimSpace), 0, 4).Draw(t, "headers")
		e.SecretHeaders = nil
		for name := range e.Headers {
			if rapid.Bool().Draw(t, "secret") {
				e.Headers[name], e.SecretHeaders = hidden, append(e.SecretHeaders, name)
			}
		}
		e.FIFO, e.AtMostOnce, e.MaxInFlight = rapid.Bool().Draw(t, "fifo"), rapid.Bool().Draw(t, "once"), rapid.IntRange(1, 1000).Draw(t, "limit")
		if rapid.Bool().Draw(t, "unlimited") {
			e.RateLimit = nil
		}
		f := formFor(e)
		for _, lines := range []*string{&f.Description, &f.EventTypes, &f.Headers, &f.SecretHeaders, &f.Metadata, &f.Filter} {
			*lines = strings.TrimSpace(strings.ReplaceAll(*lines, "\n", "\r\n"))
		}
		body, faults := f.changes(t.Context(), e)
		if len(body) != 0 || len(faults) != 0 {
			t.Fatalf("%v %v", body, faults)
		}
	})
}

func TestFaultsOf(t *testing.T) {
	t.Parallel()
	f := form{SecretHeaders: "Authorization: x"}
	for name, test := range map[string]struct {
		problem page.Problem
		want    map[string]string
		rest    bool
	}{
		"field":    {page.Problem{Errors: []page.Fault{{Field: "url", Detail: "no"}}}, map[string]string{"url": "no"}, false},
		"twice":    {page.Problem{Errors: []page.Fault{{Field: "event_types[0]", Detail: "a"}, {Field: "event_types[1]", Detail: "b"}}}, map[string]string{"event_types": "a; b"}, false},
		"header":   {page.Problem{Errors: []page.Fault{{Field: "headers.Host", Detail: "no"}}}, map[string]string{"headers": "Host: no"}, false},
		"secret":   {page.Problem{Errors: []page.Fault{{Field: "headers.Authorization", Detail: "no"}}}, map[string]string{"secret_headers": "Authorization: no"}, false},
		"tenant":   {page.Problem{Code: "unknown_tenant"}, map[string]string{"tenant": unknownTenantFault.EN}, false},
		"policy":   {page.Problem{Code: "unknown_policy"}, map[string]string{"policy": unknownPolicyFault.EN}, false},
		"none":     {page.Problem{Code: "webhook_endpoint_policy_changed"}, map[string]string{}, true},
		"no field": {page.Problem{Errors: []page.Fault{{Field: "Idempotency-Key", Detail: "no"}}}, map[string]string{}, true},
	} {
		got, rest := f.faultsOf(t.Context(), &test.problem)
		require.Equal(t, test.want, got, name)
		require.Equal(t, test.rest, rest, name)
	}
	portuguese := lang.With(t.Context(), lang.Portuguese)
	got, _ := f.faultsOf(portuguese, &page.Problem{Code: "unknown_tenant"})
	require.Equal(t, unknownTenantFault.PT, got["tenant"])
}

func FuzzPairsIn(f *testing.F) {
	for _, seed := range []string{"", "a: b", "a:b\r\n c : d ", "a", ":", "a: b: c", "a:1\na:2"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		pairs, wrong := pairsIn(text)
		if wrong != "" {
			require.Contains(t, text, wrong)
			return
		}
		again, wrong := pairsIn(pairLines(pairs, nil))
		require.Empty(t, wrong)
		require.Equal(t, pairs, again)
	})
}
