package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

// Entering the DLQ leaves what the e-mail to the tenant says, in the transaction
// that closes the delivery.
func TestDracma_D08_EnteringTheDLQIsSignalledWithTypeAndEvent(t *testing.T) {
	f := newFixture(t)
	f.endpoint("acme", 4)
	published := f.publish(draft("acme", "1"), draft("acme", "2"), draft("acme", "3"))
	claims := f.claim(3)
	f.answer(413, claims[0])
	f.answer(200, claims[1])
	f.answer(500, claims[2])
	require.Equal(t, 1, scalar[int](f, `SELECT count(*)::int FROM malote.signals`))
	var tenant, kind, eventType, reason string
	var event, dead delivery.ID
	require.NoError(t, f.store.Pool().QueryRow(t.Context(), `SELECT tenant, kind, event_type, detail, event_id, delivery_id FROM malote.signals`).
		Scan(&tenant, &kind, &eventType, &reason, &event, &dead))
	require.Equal(t, []string{"acme", string(delivery.DeliveryDead), "test.event", "too_large"}, []string{tenant, kind, eventType, reason})
	require.Equal(t, claims[0].DeliveryID, dead)
	require.Contains(t, []delivery.ID{published[0].ID, published[1].ID, published[2].ID}, event)
	require.Equal(t, claims[0].Event.ID, event)
}

// A claim that was given up after its worker died knows its event's type too.
func TestDracma_D08_ALostWorkersDeliveryIsSignalledLikeAnyOther(t *testing.T) {
	f := newFixture(t)
	f.endpoint("acme", 4)
	f.publish(draft("acme", "1"))
	f.claim(1)
	f.exec(`UPDATE malote.queue SET lease_until = now() - interval '1 second'`)
	expired, _, err := f.store.ExpiredLeases(t.Context(), 10)
	require.NoError(t, err)
	require.Len(t, expired, 1)
	require.Equal(t, "test.event", expired[0].Event.Type)
}
