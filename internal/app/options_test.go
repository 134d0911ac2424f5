package app_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/app"
	"github.com/malotehq/malote/internal/seal"
	"github.com/malotehq/malote/internal/store/pgtest"
)

func (s *server) publish(tenant, eventType string, data any) map[string]any {
	s.t.Helper()
	return s.must(202, "POST", "/v1/events", map[string]any{"tenant": tenant, "type": eventType, "data": data})
}

// TestOptions_OfALaneHoldOverHTTP: strict order through failures, a filter, a
// secret header that reaches the receiver and nobody else.
func TestOptions_OfALaneHoldOverHTTP(t *testing.T) {
	t.Parallel()
	var refusals atomic.Int32
	receiver := newLedger(t, func(w http.ResponseWriter, _ *http.Request) {
		if refusals.Add(1) <= 2 {
			w.WriteHeader(http.StatusInternalServerError)
		}
	})
	s := start(t, testOptions(pgtest.DSN(t)))
	s.must(201, "POST", "/v1/policies", map[string]any{"yaml": "name: eager\ndeadline: 5s\n" +
		"schedule: {kind: table, waits: [1s], then: repeat, jitter: {kind: none}}\ngive_up: {attempts: 5}\n"})
	made := s.endpoint("acme", receiver.URL, map[string]any{
		"policy": "eager", "fifo": true, "filter": "data.n % 2 == 0", "headers": map[string]string{"Authorization": "Basic hush"},
	})
	require.NotContains(t, fmt.Sprint(made), "hush")
	for n := range 6 {
		s.publish("acme", "a.b", map[string]any{"n": n})
	}
	s.awaitStates("acme", map[string]int{"delivered": 3, "skipped": 3})
	var seen []string
	for _, a := range receiver.arrivals() {
		require.Equal(t, "Basic hush", a.header.Get("Authorization"))
		seen = append(seen, strings.SplitAfter(string(a.body), `"data":`)[1])
	}
	require.Equal(t, []string{`{"n":0}}`, `{"n":0}}`, `{"n":0}}`, `{"n":2}}`, `{"n":4}}`}, seen)
}

// TestRouta_R06_EnablingReplaysWhatDied over the API, in one answer.
func TestRouta_R06_EnablingReplaysWhatDied(t *testing.T) {
	t.Parallel()
	var well atomic.Bool
	receiver := newLedger(t, func(w http.ResponseWriter, _ *http.Request) {
		if !well.Load() {
			w.WriteHeader(http.StatusGone) // R03: abandoned at once
		}
	})
	s := start(t, testOptions(pgtest.DSN(t)))
	path := "/v1/webhook_endpoints/" + s.endpoint("acme", receiver.URL, map[string]any{"policy": "routa"})["id"].(string)
	for n := range 5 {
		s.publish("acme", "a.b", n)
	}
	s.awaitStates("acme", map[string]int{"dead": 5})
	require.Len(t, s.must(200, "GET", "/v1/signals?tenant=acme&kind=delivery_dead", nil)["data"], 5)
	s.must(200, "POST", path+"/disable", nil)
	well.Store(true)
	require.EqualValues(t, 5, s.must(200, "POST", path+"/enable", nil)["replayed_count"])
	s.awaitStates("acme", map[string]int{"delivered": 5})
	require.EqualValues(t, 0, s.must(200, "POST", path+"/enable", nil)["replayed_count"])
}

func TestRecover_DeliversWhatWasSkipped(t *testing.T) {
	t.Parallel()
	receiver := newLedger(t, noContent)
	s := start(t, testOptions(pgtest.DSN(t)))
	path := "/v1/webhook_endpoints/" + s.endpoint("acme", receiver.URL, nil)["id"].(string)
	s.must(200, "POST", path+"/disable", nil)
	for n := range 7 {
		s.publish("acme", "a.b", n)
	}
	window := map[string]any{"since": time.Now().Add(-time.Hour)}
	status, refused := s.call("POST", path+"/recover", window)
	require.Equal(t, 409, status, refused)
	s.must(200, "POST", path+"/enable", nil)
	require.Empty(t, receiver.arrivals())
	require.EqualValues(t, 7, s.must(200, "POST", path+"/recover", map[string]any{"since": window["since"], "dry_run": true})["total"])
	job := s.must(202, "POST", path+"/recover", window)
	s.awaitStates("acme", map[string]int{"delivered": 7})
	require.Eventually(t, func() bool {
		_, got := s.call("GET", "/v1/recoveries/"+job["id"].(string), nil)
		return got["status"] == "done" && got["recovered"] == 7.0
	}, 20*time.Second, 50*time.Millisecond)
	for _, a := range receiver.arrivals() {
		require.Equal(t, "recover", a.header.Get("webhook-trigger"))
	}
	status, refused = s.call("POST", path+"/recover", map[string]any{"since": "2200-01-01T00:00:00Z"})
	require.Equal(t, 400, status, refused)
}

// TestSecrets_AreSealedInTheDatabase, and whoever comes with another key does not
// get to start.
func TestSecrets_AreSealedInTheDatabase(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DSN(t)
	receiver := newLedger(t, noContent)
	s := start(t, testOptions(dsn))
	made := s.endpoint("acme", receiver.URL, map[string]any{"headers": map[string]string{"X-Api-Key": "hush"}})
	conn, err := pgx.Connect(t.Context(), dsn)
	require.NoError(t, err)
	defer conn.Close(t.Context()) //nolint:errcheck // the test is over
	var everything string
	require.NoError(t, conn.QueryRow(t.Context(), `SELECT concat((SELECT string_agg(encode(value, 'escape'), '') FROM malote.endpoint_secrets),
		(SELECT string_agg(e::text || encode(coalesce(secret_headers, ''), 'escape'), '') FROM malote.endpoints e))`).Scan(&everything))
	require.NotContains(t, everything, strings.TrimPrefix(made["secret"].(string), "whsec_"))
	require.NotContains(t, everything, "hush")
	s.publish("acme", "a.b", 1)
	s.awaitStates("acme", map[string]int{"delivered": 1})
	require.Equal(t, "hush", receiver.arrivals()[0].header.Get("X-Api-Key"))
	require.NoError(t, s.stop())

	other, err := seal.ParseKey("mlk_" + strings.Repeat("Qk", 21) + "E=")
	require.NoError(t, err)
	options := testOptions(dsn)
	options.SecretKeys = []seal.Key{other}
	err = app.Run(t.Context(), options, func(app.Info) { t.Error("it started") })
	require.ErrorContains(t, err, secretKey.ID())
	require.ErrorContains(t, err, "MALOTE_SECRET_KEY")
	options.SecretKeys = append(options.SecretKeys, secretKey)
	rotated := start(t, options)
	rotated.publish("acme", "a.b", 2)
	rotated.awaitStates("acme", map[string]int{"delivered": 2})
}

// Without a key of the operator's, the first start makes one beside the data.
func TestSecrets_TheFirstStartLeavesAKey(t *testing.T) {
	t.Parallel()
	dsn, dir := pgtest.DSN(t), t.TempDir()
	options := testOptions(dsn)
	options.SecretKeys, options.DataDir = nil, dir
	s := start(t, options)
	s.endpoint("acme", "http://127.0.0.1:1/", nil)
	require.NoError(t, s.stop())
	again := start(t, options)
	again.must(200, "GET", "/v1/webhook_endpoints", nil)
	require.NoError(t, again.stop())
	options.DataDir = t.TempDir() // another machine
	err := app.Run(t.Context(), options, func(app.Info) { t.Error("it started") })
	require.ErrorContains(t, err, "secret-key")
	require.NoFileExists(t, options.DataDir+"/secret-key", "a key that is of no use is not left behind")
}

// What an older version left unsealed is sealed by who starts next, and signs on.
func TestSecrets_WhatAnOlderVersionLeftIsSealed(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DSN(t)
	receiver := newLedger(t, noContent)
	s := start(t, testOptions(dsn))
	made := s.endpoint("acme", receiver.URL, nil)
	require.NoError(t, s.stop())
	conn, err := pgx.Connect(t.Context(), dsn)
	require.NoError(t, err)
	defer conn.Close(t.Context()) //nolint:errcheck // the test is over
	_, err = conn.Exec(t.Context(), `UPDATE malote.endpoint_secrets SET value = convert_to($1, 'UTF8'), key_id = ''`, made["secret"])
	require.NoError(t, err)
	again := start(t, testOptions(dsn))
	require.Eventually(t, func() bool {
		var keyID string
		require.NoError(t, conn.QueryRow(t.Context(), `SELECT key_id FROM malote.endpoint_secrets`).Scan(&keyID))
		return keyID == secretKey.ID()
	}, 10*time.Second, 20*time.Millisecond)
	again.publish("acme", "a.b", 1)
	again.awaitStates("acme", map[string]int{"delivered": 1})
}

// TestSecrets_TwoFirstStartsAtOnceShareOneKey in a directory that both use.
func TestSecrets_TwoFirstStartsAtOnceShareOneKey(t *testing.T) {
	t.Parallel()
	dsn, dir := pgtest.DSN(t), t.TempDir()
	options := testOptions(dsn)
	options.SecretKeys, options.DataDir = nil, dir
	ctx, cancel := context.WithCancel(t.Context())
	var both sync.WaitGroup
	ready := make(chan app.Info, 2)
	for range 2 {
		both.Go(func() { assert.NoError(t, app.Run(ctx, options, func(info app.Info) { ready <- info })) })
	}
	for range 2 {
		select {
		case info := <-ready:
			(&server{t: t, url: info.BaseURL}).endpoint("acme", "http://127.0.0.1:1/", nil)
		case <-time.After(30 * time.Second):
			t.Fatal("they did not start")
		}
	}
	cancel()
	both.Wait()
	again := start(t, options)
	require.Len(t, again.must(200, "GET", "/v1/webhook_endpoints", nil)["data"], 2)
}
