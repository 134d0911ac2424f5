package app_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
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
