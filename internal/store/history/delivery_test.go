package history

import (
	"crypto/rand"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

func TestDelivery_D09_WithItsAttempts(t *testing.T) {
	t.Parallel()
	s, r := seeded(t)
	tenant := s.tenant("acme")
	endpoint := s.endpoint(tenant)
	at := time.Now().Add(-24 * time.Hour)
	_, ids := s.write(seedEvent{tenant, "a", at, []seedDelivery{{endpoint, delivery.Dead}, {endpoint, delivery.Pending}}})
	s.exec(`UPDATE malote.deliveries SET closed_at = now() WHERE shard = $1`, endpoint.Shard())
	for _, id := range ids {
		// The first was claimed by a worker whose clock is some minutes late.
		for i, claimed := range []time.Time{at.Add(-5 * time.Minute), at.Add(time.Hour), time.Now()} {
			token := delivery.NewID(endpoint.Shard(), claimed, rand.Reader)
			s.exec(`INSERT INTO malote.attempts (shard, delivery_id, claim_token, number, trigger, scheduled_at, started_at,
				duration_ms, response_status, error_code, error, response) VALUES ($1, $2, $3, $4, 'schedule', $5, $6, 1234, 503, 'http_status', 'HTTP 503', 'oops')`,
				id.Shard(), id, token, i+1, at, claimed)
		}
	}
	for i, id := range ids {
		found, attempts, err := r.Delivery(t.Context(), id)
		require.NoError(t, err)
		require.Equal(t, []delivery.State{delivery.Dead, delivery.Pending}[i], found.State)
		require.Equal(t, "a", found.EventType)
		require.Len(t, attempts, 3)
		for n, a := range attempts {
			require.Equal(t, n+1, a.Number)
			require.Equal(t, delivery.TriggerSchedule, a.Trigger)
			require.WithinDuration(t, at, a.ScheduledAt, time.Millisecond)
			require.Equal(t, 1234*time.Millisecond, a.Outcome.Duration)
			require.Equal(t, 503, a.Outcome.Status)
			require.Equal(t, delivery.HTTPStatus, a.Outcome.Error)
			require.Equal(t, "HTTP 503", a.Outcome.ErrorText)
			require.Equal(t, []byte("oops"), a.Outcome.Response)
		}
	}
}
