package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

func TestLife_PublishedClaimedDelivered(t *testing.T) {
	f := newFixture(t)
	e := f.endpoint("acme", 4)
	body := "{\"nul\":\"\\u0000\", \"big\":12345678901234567890 ,\"emoji\":\"\U0001F9F5\"}"
	published := f.publish(draft("acme", body))
	require.NoError(t, published[0].Err)
	require.Equal(t, 1, published[0].Deliveries)

	claims := f.claim(10)
	require.Len(t, claims, 1)
	require.Equal(t, body, string(claims[0].Event.Body), "the bytes that came in are the bytes that go out")
	require.Equal(t, published[0].ID, claims[0].Event.ID)
	require.Equal(t, e.ID, claims[0].Endpoint.ID)
	require.Equal(t, 1, claims[0].Attempt)
	require.Empty(t, f.claim(10), "what is claimed cannot be claimed again")

	f.answer(200, claims...)
	require.Equal(t, map[string]int{"delivered": 1}, f.states())
	require.Equal(t, 1, scalar[int](f, `SELECT count(*)::int FROM malote.attempts WHERE response_status = 200`))
	require.Equal(t, 1, scalar[int](f, `SELECT sum(ok)::int FROM malote.lane_stats`))
}

func TestFairQueue_F07_FailedIsRetriedLater(t *testing.T) {
	f := newFixture(t)
	f.endpoint("acme", 4)
	f.publishMany("acme", 1)
	f.answer(500, f.claim(1)...)
	require.Equal(t, map[string]int{"pending": 1}, f.states())
	claimed, err := f.store.Claim(t.Context(), 1)
	require.NoError(t, err)
	require.Empty(t, claimed.Claims, "a retry is never immediate (F07)")
	require.InDelta(t, 22.5, claimed.NextDue.Seconds(), 1, "the wait is half of 30 s and half of the other half")
	require.Equal(t, 1, scalar[int](f, `SELECT consecutive_failures FROM malote.lanes`))
}

func TestLife_UnknownTenantIsRefusedAlone(t *testing.T) {
	f := newFixture(t)
	f.endpoint("acme", 4)
	published := f.publish(draft("nobody", "1"), draft("acme", "2"))
	require.ErrorIs(t, published[0].Err, delivery.ErrUnknownTenant)
	require.NoError(t, published[1].Err)
	require.Equal(t, map[string]int{"pending": 1}, f.states())
	require.Equal(t, 1, scalar[int](f, `SELECT count(*)::int FROM malote.events`))
}
