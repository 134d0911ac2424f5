package app_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/app"
	"github.com/malotehq/malote/internal/store/pgtest"
)

// What one process did, another one tells.
func TestStats_NowIsOfAllProcesses(t *testing.T) {
	t.Parallel()
	receiver := newLedger(t, noContent)
	dsn := pgtest.DSN(t)
	worker := start(t, testOptions(dsn))
	reporting := testOptions(dsn)
	reporting.Roles = []app.Role{app.RoleAPI}
	reporter := start(t, reporting)
	endpoint := worker.endpoint("acme", receiver.URL, nil)
	for range 3 {
		worker.must(202, "POST", "/v1/events", `{"tenant":"acme","type":"a.b","data":1}`)
	}
	worker.awaitStates("acme", map[string]int{"delivered": 3})
	require.NoError(t, worker.stop(), "its last moments count, too")

	now := reporter.must(200, "GET", "/v1/stats/now", nil)
	window := now["window_seconds"].(float64)
	require.InDelta(t, 3, now["attempts_per_second"].(float64)*max(window, 1), .01)
	require.InDelta(t, 3, now["published_per_second"].(float64)*max(window, 1), .01)
	require.Equal(t, 1., now["success_rate"])
	require.NotNil(t, now["latency_p99_ms"])
	require.Zero(t, now["pending"])

	for _, query := range []string{"", "?tenant=acme", "?endpoint=" + endpoint["id"].(string)} {
		series := reporter.must(200, "GET", "/v1/stats/series"+query, nil)
		sent := 0.0
		for _, hour := range series["data"].([]any) {
			sent += hour.(map[string]any)["sent"].(float64)
		}
		require.Equal(t, 3., sent, query)
	}
	require.Zero(t, reporter.must(200, "GET", "/v1/stats/dead", nil)["total"])
}

// The row is there when the request is answered, and says where it came from.
func TestAudit_IsThereWhenTheRequestIsAnswered(t *testing.T) {
	t.Parallel()
	options := testOptions(pgtest.DSN(t))
	options.Roles = []app.Role{app.RoleAPI}
	s := start(t, options)
	endpoint := s.endpoint("acme", "http://127.0.0.1:1/", nil)["id"].(string)
	key := s.must(http.StatusCreated, "POST", "/v1/keys", `{"tenant":"acme","scope":"tenant","name":"theirs"}`)
	s.must(200, "PATCH", "/v1/webhook_endpoints/"+endpoint, `{"description":"x"}`)
	s.must(http.StatusNoContent, "DELETE", "/v1/keys/"+key["id"].(string), nil)
	s.must(http.StatusNoContent, "DELETE", "/v1/webhook_endpoints/"+endpoint, nil)

	var told []string
	for _, row := range s.must(200, "GET", "/v1/audit_log?tenant=acme", nil)["data"].([]any) {
		row := row.(map[string]any)
		told = append(told, row["operation"].(string))
		require.Equal(t, "127.0.0.1", row["address"])
		require.Equal(t, "admin_key", row["actor_kind"])
	}
	require.Equal(t, []string{"delete-webhook-endpoint", "revoke-key", "update-webhook-endpoint", "create-key", "create-webhook-endpoint", "create-tenant"}, told)
	require.Len(t, s.must(200, "GET", "/v1/audit_log?subject="+endpoint, nil)["data"], 3)
}

// "What did this customer get last week": one call, whatever there is.
func TestExport_A10_WhatACustomerGot(t *testing.T) {
	t.Parallel()
	receiver := newLedger(t, noContent)
	s := start(t, testOptions(pgtest.DSN(t)))
	endpoint := s.endpoint("acme", receiver.URL, map[string]any{"event_types": []string{"a.*"}})["id"].(string)
	other := s.endpoint("acme", receiver.URL, map[string]any{"event_types": []string{"a.b"}})["id"].(string)
	events := make([]string, 0, 120)
	for i := range 120 {
		kind := []string{"a.b", "a.c", "z"}[i%3]
		body := fmt.Sprintf(`{"tenant":"acme","type":%q,"data":%d,"external_id":"=%d"}`, kind, i, i)
		events = append(events, s.must(202, "POST", "/v1/events", body)["id"].(string))
	}
	s.awaitStates("acme", map[string]int{"delivered": 120, "skipped": 40})
	read := func(query string) []map[string]any {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/v1/events/export?tenant=acme"+query, http.NoBody)
		require.NoError(t, err)
		request.Header.Set("Authorization", "Bearer "+adminKey)
		answer, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		defer func() { require.NoError(t, answer.Body.Close()) }()
		require.Equal(t, http.StatusOK, answer.StatusCode)
		var rows []map[string]any
		for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
			var row map[string]any
			require.NoError(t, json.Unmarshal(lines.Bytes(), &row), lines.Text())
			rows = append(rows, row)
		}
		return rows
	}
	rows := read("")
	require.Len(t, rows, 160)
	var seen []string
	for _, row := range rows {
		id := row["event_id"].(string)
		if len(seen) == 0 || seen[len(seen)-1] != id {
			seen = append(seen, id)
		}
		if row["type"] != "z" {
			require.Equal(t, "delivered", row["state"])
			require.EqualValues(t, 204, row["last_response_status"])
		}
	}
	require.Equal(t, events, seen, "each once, in order")
	require.Len(t, read("&endpoint="+endpoint), 80)
	require.Len(t, read("&type=a.b&endpoint="+other), 40)
	require.Len(t, read("&since=2100-01-01T00:00:00Z"), 0)
	require.Equal(t, rows[100:], read("&from=" + rows[100]["event_id"].(string))[countBefore(rows, 100):])
}

// countBefore is how many rows of the same event stand before one.
func countBefore(rows []map[string]any, at int) int {
	n := 0
	for at-n > 0 && rows[at-n-1]["event_id"] == rows[at]["event_id"] {
		n++
	}
	return n
}
