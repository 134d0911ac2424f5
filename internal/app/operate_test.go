package app_test

import (
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
