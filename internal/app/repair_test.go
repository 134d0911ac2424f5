package app_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/store/pgtest"
)

// TestRepair_WhatStripeSentAndNeverCameIsBroughtIn out of Stripe's own list, once,
// and goes on to the consumers byte for byte.
func TestRepair_WhatStripeSentAndNeverCameIsBroughtIn(t *testing.T) {
	t.Parallel()
	happened := time.Now().Add(-20 * time.Minute).Unix()
	event := func(n int) string {
		return fmt.Sprintf(`{"id": "evt_%d",  "object":"event","type":"charge.succeeded","created":%d,"data":{"object":{"amount":1%d.0}}}`, n, happened+int64(n), n)
	}
	stripe := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer sk_test_of_the_repair" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"object":"list","url":"/v1/events","has_more":false,"data":[%s,%s,%s]}`, event(3), event(2), event(1))
	}))
	t.Cleanup(stripe.Close)
	consumer := newLedger(t, noContent)
	dsn := pgtest.DSN(t)
	s := start(t, testOptions(dsn))
	s.endpoint("acme", consumer.URL, nil)
	made := s.must(201, "POST", "/v1/sources", map[string]any{
		"tenant": "acme", "name": "payments", "provider": "stripe",
		"secrets": []any{providerSecret, map[string]any{"role": "repair", "value": "sk_test_of_the_repair"}},
		"options": map[string]any{"repair": map[string]any{"base_url": stripe.URL}},
	})
	conn, err := pgx.Connect(t.Context(), dsn)
	require.NoError(t, err)
	defer conn.Close(t.Context()) //nolint:errcheck // the test is over
	_, err = conn.Exec(t.Context(), `UPDATE malote.sources SET created_at = now() - interval '1 hour'`)
	require.NoError(t, err)

	path := "/v1/sources/" + made["id"].(string) + "/repair"
	since := map[string]any{"since": time.Now().Add(-30 * time.Minute)}
	dry := s.must(200, "POST", path, map[string]any{"since": since["since"], "dry_run": true})
	require.EqualValues(t, []any{3.0, 3.0, 0.0}, []any{dry["listed"], dry["missing"], dry["fed"]}, dry)
	require.EqualValues(t, 3, s.must(200, "POST", path, since)["fed"])
	again := s.must(200, "POST", path, since)
	require.EqualValues(t, []any{3.0, 0.0}, []any{again["known"], again["missing"]}, again)
	s.awaitStates("acme", map[string]int{"delivered": 3})
	var bodies []string
	for _, a := range consumer.arrivals() {
		bodies = append(bodies, string(a.body))
	}
	require.ElementsMatch(t, []string{event(1), event(2), event(3)}, bodies)
}

// TestRepair_NobodyLeadsATokenElsewhere who may change a source's settings but not
// read its secrets.
func TestRepair_NobodyLeadsATokenElsewhere(t *testing.T) {
	t.Parallel()
	var stolen atomic.Int32
	list := func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, `{"object":"list","has_more":false,"data":[]}`)
	}
	own := httptest.NewServer(http.HandlerFunc(list))
	t.Cleanup(own.Close)
	thief := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == "Bearer sk_test_of_the_repair" {
			stolen.Add(1)
		}
		list(w, r)
	}))
	t.Cleanup(thief.Close)
	s := start(t, testOptions(pgtest.DSN(t)))
	s.must(201, "POST", "/v1/tenants", map[string]any{"id": "acme"})
	token := map[string]any{"name": "api", "role": "repair", "value": "sk_test_of_the_repair"}
	at := func(base any) map[string]any { return map[string]any{"base_url": base} }
	source := func(repair any) string {
		made := s.must(201, "POST", "/v1/sources", map[string]any{
			"tenant": "acme", "name": "payments", "provider": "stripe", "secrets": []any{providerSecret, token},
			"options": map[string]any{"repair": repair},
		})
		return "/v1/sources/" + made["id"].(string)
	}
	repair := func(path string, status int) map[string]any {
		return s.must(status, "POST", path+"/repair", map[string]any{"since": time.Now().Add(-30 * time.Minute)})
	}
	patch := func(path string, status int, repair any) map[string]any {
		return s.must(status, "PATCH", path, map[string]any{"name": "it", "options": map[string]any{"repair": repair}})
	}
	atOwn, atHome := source(at(own.URL)), source(map[string]any{})
	for path, elsewhere := range map[string][]any{
		atOwn:  {at(thief.URL), map[string]any{"BASE_URL": thief.URL}, map[string]any{}, nil, at("https://api.stripe.com")},
		atHome: {at(thief.URL), at(own.URL)},
	} {
		for _, to := range elsewhere {
			refused := patch(path, 422, to)
			require.Equal(t, "invalid_source_settings", refused["code"])
			require.Contains(t, refused["detail"], "revoke that secret", to)
		}
	}
	repair(atOwn, 200)
	patch(atOwn, 200, map[string]any{"base_url": own.URL + "/other", "interval": "10m"})
	patch(atOwn, 200, at(strings.ToUpper(own.URL[:4])+own.URL[4:]))
	patch(atHome, 200, map[string]any{"types": []any{"invoice.paid"}})
	require.Zero(t, stolen.Load())

	secrets := s.must(200, "GET", atOwn+"/secrets", nil)["data"].([]any)
	for _, one := range secrets {
		if one := one.(map[string]any); one["role"] == "repair" {
			status, _, _ := s.tryCall(http.DefaultClient, "DELETE", atOwn+"/secrets/"+one["id"].(string), nil) // it has no body
			require.Equal(t, http.StatusNoContent, status)
		}
	}
	require.Equal(t, "source_not_repairable", repair(atOwn, 409)["code"])
	patch(atOwn, 200, at(thief.URL))
	repair(atOwn, 409)
	require.Zero(t, stolen.Load(), "it is forgotten")
	s.must(201, "POST", atOwn+"/secrets", token)
	repair(atOwn, 200)
	require.NotZero(t, stolen.Load(), "whoever adds it again sends it there")
}

// TestRepair_BusyOrTooMuch are answers that people can do something about.
func TestRepair_BusyOrTooMuch(t *testing.T) {
	t.Parallel()
	var page atomic.Int64
	entered, leave := make(chan struct{}), make(chan struct{})
	stripe := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !r.URL.Query().Has("created[gte]") { // the first comparison that Malote makes by itself
			fmt.Fprint(w, `{"object":"list","has_more":false,"data":[]}`)
			return
		}
		n := page.Add(1)
		if n == 1 {
			close(entered)
			<-leave
		}
		fmt.Fprintf(w, `{"object":"list","has_more":true,"data":[{"id":"evt_%d","type":"a","created":%d}]}`, n, time.Now().Add(-10*time.Minute).Unix())
	}))
	t.Cleanup(stripe.Close)
	s := start(t, testOptions(pgtest.DSN(t)))
	s.must(201, "POST", "/v1/tenants", map[string]any{"id": "acme"})
	made := s.must(201, "POST", "/v1/sources", map[string]any{
		"tenant": "acme", "name": "payments", "provider": "stripe", "secrets": []any{map[string]any{"role": "repair", "value": "sk_test"}},
		"options": map[string]any{"repair": map[string]any{"base_url": stripe.URL, "interval": "1h"}},
	})
	path := "/v1/sources/" + made["id"].(string) + "/repair"
	ask := map[string]any{"since": time.Now().Add(-30 * time.Minute), "dry_run": true}
	type outcome struct {
		status int
		answer map[string]any
		err    error
	}
	first := make(chan outcome, 1)
	go func() {
		status, answer, err := s.tryCall(http.DefaultClient, "POST", path, ask)
		first <- outcome{status, answer, err}
	}()
	<-entered
	busy := s.must(409, "POST", path, ask)
	require.Equal(t, "source_not_repairable", busy["code"])
	require.Contains(t, busy["detail"], "a repair of this source is under way")
	close(leave)
	ended := <-first
	require.NoError(t, ended.err)
	require.Equal(t, 400, ended.status, ended.answer)
	require.Contains(t, ended.answer["detail"], "since: is too far back: the provider lists more")
}
