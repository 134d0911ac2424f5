package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// recoveringServer makes a fake whose recovery goes through the statuses, one a look.
func recoveringServer(t testing.TB, statuses ...string) *fake {
	t.Helper()
	return newFake(t, func(n int, w http.ResponseWriter, r *http.Request) {
		status := statuses[min(n, len(statuses))-1]
		if status == "away" {
			answerJSON(w, http.StatusServiceUnavailable, problemJSON("unavailable", "The database is away."))
			return
		}
		answerJSON(w, http.StatusAccepted, fmt.Sprintf(`{"id":"rec_1","endpoint_id":"whe_1","status":%q,"states":["dead"],"total":4,"recovered":%d,
			"passed_over":0,"detail":null,"since":"2026-03-01T12:00:00Z","until":null}`, status, min(n, 4)))
	})
}

func TestEndpointsRecover_WaitsUntilItIsDone(t *testing.T) {
	t.Parallel()
	server := recoveringServer(t, "running", "running", "away", "done")
	got := malote(t, server.with("endpoints", "recover", "whe_1", "--since", "2026-03-01", "--until", "2026-03-02", "--state", "dead,discarded", "--wait")...)
	require.Zero(t, got.code, got.stderr)
	require.Contains(t, got.stdout, "done")
	require.Contains(t, got.stderr, "rec_1 recovers 4 deliveries; ^C leaves it running.")
	requests := server.seen()
	require.Equal(t, "/v1/webhook_endpoints/whe_1/recover", requests[0].path)
	require.JSONEq(t, `{"since":"2026-03-01T00:00:00Z","until":"2026-03-02T00:00:00Z","states":["dead","discarded"],"dry_run":false}`, requests[0].body)
	require.NotEmpty(t, requests[0].header.Get("Idempotency-Key"), "a repeat must not be another job")
	require.Equal(t, "/v1/recoveries/rec_1", requests[1].path)
	require.Len(t, requests, 4)
}

func TestEndpointsRecover_ElsewhereThanAtATerminalItDoesNotWait(t *testing.T) {
	t.Parallel()
	server := recoveringServer(t, "running")
	got := malote(t, server.with("endpoints", "recover", "whe_1", "--since", "1h")...)
	require.Zero(t, got.code)
	require.Contains(t, got.stderr, "malote endpoints recovery rec_1 shows")
	require.Len(t, server.seen(), 1)
}

func TestEndpointsRecover_FailsWithTheRecovery(t *testing.T) {
	t.Parallel()
	for _, status := range []string{"failed", "cancelled"} {
		got := malote(t, recoveringServer(t, "running", status).with("endpoints", "recover", "whe_1", "--since", "1h", "--wait")...)
		require.Equal(t, 1, got.code)
		require.Contains(t, got.stdout, status)
		require.Contains(t, got.stderr, "it is "+status)
	}
	gone := newFake(t, func(n int, w http.ResponseWriter, _ *http.Request) {
		if n > 1 {
			answerJSON(w, http.StatusNotFound, problemJSON("not_found", "There is none."))
			return
		}
		answerJSON(w, http.StatusAccepted, `{"id":"rec_1","status":"running","total":4}`)
	})
	got := malote(t, gone.with("endpoints", "recover", "whe_1", "--since", "1h", "--wait")...)
	require.Equal(t, 1, got.code)
	require.Contains(t, got.stderr, "There is none.; the recovery goes on by itself")
}

func TestEndpointsRecover_InterruptedItGoesOn(t *testing.T) {
	t.Parallel()
	server := recoveringServer(t, "running")
	b := inBackground(t, server.with("endpoints", "recover", "whe_1", "--since", "1h", "--wait")...)
	require.Eventually(t, func() bool { return len(server.seen()) > 1 }, patience, 5*time.Millisecond)
	b.stop()
	require.Equal(t, 1, <-b.done)
	require.Contains(t, b.stderr.String(), "malote endpoints recovery rec_1 --wait watches it again, with --cancel stops it")
	require.Empty(t, b.stdout.String())
	for _, r := range server.seen() {
		require.NotContains(t, r.path, "cancel")
	}
}

func TestCLI_RecoverWhatWasSkipped(t *testing.T) {
	t.Parallel()
	server := startServer(t)
	_, address := listening(t)
	succeeds(t, server.with("tenants", "create", "acme")...)
	id := idPattern.FindString(succeeds(t, server.with("endpoints", "create", address, "--tenant", "acme")...))
	succeeds(t, server.with("endpoints", "disable", id)...)
	event := idPattern.FindString(succeeds(t, server.with("publish", "a.b", "--tenant", "acme", "--data", "1")...))
	recover := server.with("endpoints", "recover", id, "--since", "1h")
	require.Contains(t, malote(t, recover...).fails(t, 1), "enable it first")
	require.Contains(t, succeeds(t, server.with("endpoints", "enable", id)...), "0 dead deliveries went back into the queue")

	require.Equal(t, "1 delivery would go back into the queue.\n", succeeds(t, append(recover, "--dry-run")...))
	require.Nil(t, field[*string](t, succeeds(t, append(recover, "--dry-run", "--json")...), "id"))
	done := succeeds(t, append(recover, "--wait", "--json")...)
	require.Equal(t, 1, field[int](t, done, "recovered"))
	server.awaitDelivery(t, event, "delivered", 1)

	recovery := field[string](t, done, "id")
	require.Contains(t, succeeds(t, server.with("endpoints", "recoveries", id)...), recovery)
	require.Contains(t, succeeds(t, server.with("endpoints", "recovery", recovery)...), "skipped and dead deliveries")
	require.Contains(t, succeeds(t, server.with("endpoints", "recovery", recovery, "--wait")...), "done")
	require.Contains(t, malote(t, server.with("endpoints", "recovery", recovery, "--cancel")...).fails(t, 1), "has ended already")
}

func TestBar(t *testing.T) {
	t.Parallel()
	for want, is := range map[string][2]int{
		"[------------------------] 0 of 9":  {0, 9},
		"[############------------] 5 of 10": {5, 10},
		"[########################] 9 of 9":  {9, 9},
		"[########################] 0 of 0":  {0, 0},
		"[########################] 3 of 3":  {4, 3},
	} {
		require.Equal(t, want, bar(is[0], is[1]))
	}
	require.Equal(t, barWidth, strings.Count(bar(1, 3), "#")+strings.Count(bar(1, 3), "-"))
}
