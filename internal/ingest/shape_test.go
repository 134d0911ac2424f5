package ingest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/publish"
	"github.com/malotehq/malote/internal/source"
)

func TestShape_IsTheDoorsOwn(t *testing.T) {
	t.Parallel()
	stripe, known := source.Lookup("stripe")
	require.True(t, known)
	settings, err := ParseSettings(stripe, []byte(`{"event_type_from":"json:data.kind","filter":"data.amount > 10"}`), DefaultMaxBody)
	require.NoError(t, err)
	require.True(t, settings.KnowsRepetitionsByProvider())
	shape := settings.Shape(stripe)
	paid := publish.Request{Tenant: "acme", Type: "charge.succeeded", Body: []byte(`{"data":{"kind":"orders/paid"},"amount":1}`), ContentType: "application/json"}
	shape(&paid)
	require.Equal(t, "orders.paid", paid.Type)

	settings, err = ParseSettings(stripe, []byte(`{"filter":"data.amount > 10","dedupe":"body_hash"}`), DefaultMaxBody)
	require.NoError(t, err)
	require.False(t, settings.KnowsRepetitionsByProvider())
	for body, takes := range map[string]bool{`{"amount":11}`: true, `{"amount":10}`: false} {
		request := publish.Request{Tenant: "acme", Type: "charge.succeeded", Body: []byte(body), ContentType: "application/json"}
		require.Equal(t, takes, settings.Shape(stripe)(&request), body)
		require.Equal(t, "charge.succeeded", request.Type)
	}
}
