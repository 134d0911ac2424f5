package redelivery

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

// mostlyDelivered seeds n deliveries that arrived, and after them a few that were
// missed.
func (s seeder) mostlyDelivered(endpoint delivery.ID, n, missed int) {
	s.t.Helper()
	s.closedMany("acme", endpoint, n, delivery.Delivered, 40*time.Minute)
	s.closedMany("acme", endpoint, missed, delivery.Skipped, time.Minute)
}

func (s seeder) positionOf(job delivery.ID) (position delivery.ID) {
	s.t.Helper()
	require.NoError(s.t, s.store.Pool().QueryRow(s.t.Context(), `SELECT position FROM malote.recoveries WHERE shard = $1 AND id = $2`,
		job.Shard(), job).Scan(&position))
	return position
}

// A window in which almost all went well is looked through stretch by stretch, and
// the position moves over those that hold nothing. Somebody has the lane all the
// while: to look takes no lock of it.
func TestRecover_MovesOverWhatWentWell(t *testing.T) {
	t.Parallel()
	s, w := seeded(t)
	w.stretchRows = 100
	endpoint := s.endpoint("acme")
	ids := s.closedMany("acme", endpoint, 450, delivery.Delivered, 40*time.Minute)
	missed := s.closedMany("acme", endpoint, 3, delivery.Skipped, time.Minute)
	job := s.start(w, lastHour(endpoint))
	require.Equal(t, 3, job.Total)

	tx := s.begin()
	_, err := lockLane(t.Context(), tx, endpoint)
	require.NoError(t, err)
	for i := range 4 {
		moved, lanes := s.batch(w, job.ID)
		require.True(t, moved)
		require.Empty(t, lanes)
		require.Equal(t, ids[100*i+99], s.positionOf(job.ID))
		require.Equal(t, RecoveryRunning, s.recovery(w, job.ID).Status)
	}
	require.NoError(t, tx.Rollback(t.Context()))

	_, lanes := s.batch(w, job.ID)
	require.Len(t, lanes, 1)
	require.Equal(t, missed[2], s.positionOf(job.ID))
	done := s.recovery(w, job.ID)
	require.Equal(t, RecoveryDone, done.Status)
	require.Equal(t, []int{3, 3, 0}, []int{done.Total, done.Recovered, done.PassedOver})
}

// Stretches and batches end anywhere, also at the same row: nothing is left out,
// and nothing is taken twice.
func TestRecover_StretchesEndAnywhere(t *testing.T) {
	t.Parallel()
	s, w := seeded(t)
	for rows := 1; rows <= 9; rows++ {
		w.stretchRows = rows
		endpoint := s.endpoint("acme")
		s.setLimit(endpoint, 1) // batches of three
		s.mostlyDelivered(endpoint, 2, 3)
		s.mostlyDelivered(endpoint, 0, 4)
		job := s.start(w, lastHour(endpoint))
		require.Equal(t, 7, job.Total)
		done := s.recoverAll(w, job.ID)
		s.deliverPending(endpoint)
		require.Equal(t, []int{7, 0}, []int{done.Recovered, done.PassedOver}, rows)
		require.Equal(t, 7, s.count(`SELECT count(*) FROM malote.deliveries WHERE endpoint_id = $1 AND trigger = 'recover'`, endpoint))
	}
}

// setLimit lets so few be in flight, so slowly, that as few are queued.
func (s seeder) setLimit(endpoint delivery.ID, slots int) {
	s.t.Helper()
	s.exec(`UPDATE malote.lanes SET claim_limit = $3 WHERE shard = $1 AND endpoint_id = $2`, endpoint.Shard(), endpoint, slots)
	s.exec(`INSERT INTO malote.lane_stats (shard, endpoint_id, hour, ok, total_ms) VALUES ($1, $2, date_trunc('hour', now()), 3, 5000)`,
		endpoint.Shard(), endpoint)
}

// What cannot be counted in time is not told as if it had been, and is recovered
// all the same.
func TestRecover_StartsUncounted(t *testing.T) {
	t.Parallel()
	s, w := seeded(t)
	w.stretchRows, w.countingTime = 10, 0
	endpoint := s.endpoint("acme")
	s.mostlyDelivered(endpoint, 8, 24)
	_, err := w.CountRecoverable(t.Context(), lastHour(endpoint))
	require.ErrorIs(t, err, ErrUncounted)
	job := s.start(w, lastHour(endpoint))
	require.Equal(t, 2, job.Total, "as far as it was counted")
	done := s.recoverAll(w, job.ID)
	require.Equal(t, []int{2, 24, 0}, []int{done.Total, done.Recovered, done.PassedOver})

	w.countingTime = time.Minute
	s.mostlyDelivered(endpoint, 0, 25)
	count, err := w.CountRecoverable(t.Context(), lastHour(endpoint))
	require.NoError(t, err)
	require.Equal(t, 25, count)
}
