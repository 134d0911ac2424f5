package inbound

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

func TestRecentIDs_G01_WhatTheStoreKnows(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	source, sibling := w.source("acme"), w.source("acme")
	noEndpoint := func(d *delivery.Draft, _ []*delivery.Endpoint) (delivery.Plan, error) {
		nobody := []delivery.Planned{{State: delivery.Skipped, Reason: delivery.NoEndpoint}}
		return delivery.Plan{Bodies: [][]byte{d.Event.Body}, Deliveries: nobody}, nil
	}
	publish := func(source delivery.ID, key string) {
		t.Helper()
		published, _, err := w.store.Publish(t.Context(), []*delivery.Draft{{
			Event: delivery.Event{
				Tenant: "acme", Type: "a.b", ContentType: "application/json", Body: []byte("{}"), IdempotencyKey: key, SourceID: source,
			},
			Fingerprint: sha256.Sum256([]byte(key)),
		}}, noEndpoint)
		require.NoError(t, err)
		require.NoError(t, published[0].Err)
	}
	for i := range 5 {
		publish(source, fmt.Sprint("evt_", i))
	}
	publish(sibling, "evt_7")
	publish(delivery.ID{}, "evt_8") // by the tenant itself
	w.exec(`UPDATE malote.event_keys SET expires_at = now() WHERE key = 'evt_3'`)

	known, err := w.RecentIDs(t.Context(), source, strings.Fields("evt_0 evt_3 evt_4 evt_4 evt_7 evt_8 evt_9"))
	require.NoError(t, err)
	require.Equal(t, map[string]bool{"evt_0": true, "evt_4": true}, known)
	known, err = w.RecentIDs(t.Context(), sibling, []string{"evt_0", "evt_7"})
	require.NoError(t, err)
	require.Equal(t, map[string]bool{"evt_7": true}, known)
	known, err = w.RecentIDs(t.Context(), source, nil)
	require.NoError(t, err)
	require.Empty(t, known)
}
