package demo

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

func serving(t *testing.T, handle http.HandlerFunc) *client {
	server := httptest.NewServer(handle)
	c := newClient(server.URL+"/", "key", 2)
	t.Cleanup(func() {
		c.close()
		server.Close()
	})
	return c
}

func TestClient_RepeatsWhatMayWorkLater(t *testing.T) {
	t.Parallel()
	var requests atomic.Int32
	c := serving(t, func(w http.ResponseWriter, r *http.Request) {
		switch requests.Add(1) {
		case 1:
			w.WriteHeader(http.StatusServiceUnavailable)
		case 2:
			panic(http.ErrAbortHandler) // the answer is lost
		default:
			fmt.Fprintf(w, `{"id":"evt_1","deliveries":3,"skipped":1}`)
		}
	})
	answer, err := c.publish(t.Context(), []byte(`{}`))
	require.NoError(t, err)
	require.Equal(t, receipt{ID: "evt_1", Deliveries: 3, Skipped: 1}, answer)
	require.EqualValues(t, 3, requests.Load())
}

func TestClient_AcceptsARefusal(t *testing.T) {
	t.Parallel()
	var requests atomic.Int32
	c := serving(t, func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		w.WriteHeader(http.StatusConflict)
		fmt.Fprint(w, `{"status":409,"code":"tenant_exists","detail":"There is one already."}`)
	})
	err := c.createTenant(t.Context(), "a", "A")
	require.ErrorContains(t, err, "409 tenant_exists: There is one already.")
	require.EqualValues(t, 1, requests.Load())
}

func TestClient_StopsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	c := serving(t, func(w http.ResponseWriter, r *http.Request) {
		cancel()
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	_, err := c.endpoints(ctx)
	require.Error(t, err)
}

func TestClient_ReadsAllPages(t *testing.T) {
	t.Parallel()
	c := serving(t, func(w http.ResponseWriter, r *http.Request) {
		require.Equal(t, "Bearer key", r.Header.Get("Authorization"))
		require.Equal(t, "250", r.FormValue("limit"))
		switch r.FormValue("cursor") {
		case "":
			fmt.Fprint(w, `{"data":[{"id":"1","endpoint_id":null,"next_attempt_at":null,"last_response_status":null}],"next_cursor":"two&more"}`)
		case "two&more":
			fmt.Fprint(w, `{"data":[],"next_cursor":"three"}`)
		default:
			fmt.Fprint(w, `{"data":[{"id":"2","next_attempt_at":"2026-03-02T12:00:00.000Z"}],"next_cursor":null}`)
		}
	})
	all, err := c.deliveriesOf(t.Context(), "a")
	require.NoError(t, err)
	require.Len(t, all, 2)
	require.True(t, all[0].NextAttempt.IsZero())
	require.Equal(t, noon, all[1].NextAttempt)
}

func TestPublishers_GiveUpWhenNobodyAnswersAndGoOnAfterARefusal(t *testing.T) {
	t.Parallel()
	c := serving(t, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) })
	c.tries = 2
	l := newLedger()
	err := publishers{client: c, ledger: l, number: 3}.run(t.Context(), exampleTraffic("r"))
	require.ErrorContains(t, err, "503")
	require.Empty(t, l.snapshot())

	c = serving(t, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusBadRequest) })
	all := exampleTraffic("r")
	all.events, all.rate = 20, 1000
	require.NoError(t, publishers{client: c, ledger: l, number: 3}.run(t.Context(), all))
	require.Equal(t, PublishFailed, l.allFaults()[0].Kind)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.NoError(t, publishers{client: c, ledger: l, number: 3}.run(ctx, all), "an interrupted demo says so itself")
}
