package redelivery

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

func TestRecover_DryRunCountsAndWritesNothing(t *testing.T) {
	t.Parallel()
	s, w := seeded(t)
	endpoint, other := s.endpoint("acme"), s.endpoint("acme")
	for _, state := range delivery.States {
		for _, age := range []time.Duration{30 * time.Minute, 90 * time.Minute} {
			s.delivery(row{tenant: "acme", endpoint: endpoint, state: state, age: age})
		}
	}
	s.delivery(row{tenant: "acme", endpoint: other, state: delivery.Dead})
	s.delivery(row{tenant: "acme", state: delivery.Skipped}) // nobody's
	for name, c := range map[string]struct {
		change func(*Window)
		want   int
	}{
		"the last hour":    {func(*Window) {}, 2},
		"two hours":        {func(w *Window) { w.Since = w.Since.Add(-time.Hour) }, 4},
		"the hour before":  {func(w *Window) { w.Since, w.Until = w.Since.Add(-time.Hour), w.Since }, 2},
		"until tomorrow":   {func(w *Window) { w.Until = time.Now().Add(24 * time.Hour) }, 2},
		"with discarded":   {func(w *Window) { w.States = append(slices.Clone(usual), delivery.Discarded) }, 3},
		"before the epoch": {func(w *Window) { w.Since = time.Unix(-1, 0) }, 4},
	} {
		window := lastHour(endpoint)
		c.change(&window)
		count, err := w.CountRecoverable(t.Context(), window)
		require.NoError(t, err)
		require.Equal(t, c.want, count, name)
	}
	require.Zero(t, s.count(`SELECT count(*) FROM malote.recoveries`))
	require.Zero(t, s.count(`SELECT count(*) FROM malote.queue WHERE trigger = 'recover'`))
}

func TestRecover_StartIsRefusedWithAReason(t *testing.T) {
	t.Parallel()
	s, w := seeded(t)
	for status, want := range map[delivery.EndpointStatus]error{
		delivery.Active: nil, delivery.Paused: nil, delivery.Deleted: ErrEndpointDeleted,
		delivery.DisabledByUser: ErrEndpointDisabled, delivery.DisabledBySystem: ErrEndpointDisabled,
	} {
		endpoint := s.endpoint("acme")
		s.setStatus(endpoint, status)
		_, err := w.StartRecovery(t.Context(), newJob(endpoint), lastHour(endpoint))
		require.ErrorIs(t, err, want, status)
	}
	nowhere := newJob(s.endpoint("acme"))
	_, err := w.StartRecovery(t.Context(), newJob(nowhere), lastHour(nowhere))
	require.ErrorIs(t, err, ErrEndpointDeleted)
	require.Equal(t, 2, s.count(`SELECT count(*) FROM malote.recoveries`))
}

func TestRecover_StartMayBeRepeated(t *testing.T) {
	t.Parallel()
	s, w := seeded(t)
	endpoint := s.endpoint("acme")
	s.closedMany("acme", endpoint, 3, delivery.Skipped, time.Minute)
	id := newJob(endpoint)
	started := make([]Recovery, 4)
	var racers sync.WaitGroup
	for i := range started {
		racers.Go(func() {
			var err error
			if started[i], err = w.StartRecovery(t.Context(), id, lastHour(endpoint)); err != nil {
				t.Error(err)
			}
		})
	}
	racers.Wait()
	for _, one := range started {
		require.Equal(t, started[0], one)
	}
	first := started[0]
	require.Equal(t, id, first.ID)
	require.Equal(t, "acme", first.Tenant)
	require.Equal(t, endpoint, first.Endpoint)
	require.Equal(t, usual, first.States)
	require.Equal(t, []int{3, 0, 0}, []int{first.Total, first.Recovered, first.PassedOver})
	require.WithinDuration(t, time.Now(), first.Until, time.Minute)
	require.True(t, first.EndedAt.IsZero())

	// Also after the endpoint was disabled, and after the job ended.
	s.setStatus(endpoint, delivery.DisabledByUser)
	again, err := w.StartRecovery(t.Context(), id, lastHour(endpoint))
	require.NoError(t, err)
	require.Equal(t, first, again)
	_, err = w.CancelRecovery(t.Context(), id)
	require.NoError(t, err)
	again, err = w.StartRecovery(t.Context(), id, lastHour(endpoint))
	require.NoError(t, err)
	require.Equal(t, RecoveryCancelled, again.Status)
}

func TestRecover_OneAtATimePerEndpoint(t *testing.T) {
	t.Parallel()
	s, w := seeded(t)
	endpoint := s.endpoint("acme")
	s.start(w, lastHour(s.endpoint("acme"))) // another's
	errs := make([]error, 6)
	var racers sync.WaitGroup
	for i := range errs {
		racers.Go(func() { _, errs[i] = w.StartRecovery(t.Context(), newJob(endpoint), lastHour(endpoint)) })
	}
	racers.Wait()
	refused := 0
	for _, err := range errs {
		if err != nil {
			require.ErrorIs(t, err, ErrRunning)
			refused++
		}
	}
	require.Equal(t, len(errs)-1, refused)
	list, err := w.Recoveries(t.Context(), endpoint, delivery.ID{}, 10)
	require.NoError(t, err)
	require.Len(t, list, 1)
	_, err = w.CancelRecovery(t.Context(), list[0].ID)
	require.NoError(t, err)
	s.start(w, lastHour(endpoint))
}

func TestRecover_CancelLeavesQueuedWhatIsQueued(t *testing.T) {
	t.Parallel()
	s, w := seeded(t)
	endpoint := s.endpoint("acme")
	s.closedMany("acme", endpoint, 300, delivery.Skipped, time.Minute)
	job := s.start(w, lastHour(endpoint))
	moved, lanes := s.batch(w, job.ID)
	require.True(t, moved)
	require.Equal(t, []delivery.LaneRef{{Shard: endpoint.Shard(), EndpointID: endpoint}}, lanes)
	for range 2 {
		cancelled, err := w.CancelRecovery(t.Context(), job.ID)
		require.NoError(t, err)
		require.Equal(t, RecoveryCancelled, cancelled.Status)
		require.Equal(t, 100, cancelled.Recovered)
		require.False(t, cancelled.EndedAt.IsZero())
	}
	s.deliverPending(endpoint)
	moved, lanes = s.batch(w, job.ID)
	require.False(t, moved)
	require.Empty(t, lanes)
	require.Equal(t, 200, s.count(`SELECT count(*) FROM malote.deliveries WHERE state = 'skipped'`))

	_, err := w.CancelRecovery(t.Context(), newJob(endpoint))
	require.ErrorIs(t, err, ErrNoRecovery)
	again := s.start(w, lastHour(endpoint))
	require.Equal(t, RecoveryDone, s.recoverAll(w, again.ID).Status)
	ended, err := w.CancelRecovery(t.Context(), again.ID)
	require.ErrorIs(t, err, ErrEnded)
	require.Equal(t, RecoveryDone, ended.Status)
}

// Somebody cancels in the middle of a batch: the batch is done, no other follows.
func TestRecover_CancelWaitsForTheBatch(t *testing.T) {
	t.Parallel()
	s, w := seeded(t)
	endpoint := s.endpoint("acme")
	s.closedMany("acme", endpoint, 300, delivery.Skipped, time.Minute)
	job := s.start(w, lastHour(endpoint))
	tx := s.begin()
	_, err := lockLane(t.Context(), tx, endpoint) // somebody has the lane: the batch waits
	require.NoError(t, err)
	var both sync.WaitGroup
	both.Go(func() { s.batch(w, job.ID) })
	s.awaitLock()
	cancelled := make(chan Recovery, 1)
	both.Go(func() {
		now, err := w.CancelRecovery(t.Context(), job.ID)
		if err != nil {
			t.Error(err)
		}
		cancelled <- now
	})
	require.Eventually(t, func() bool {
		return s.count(`SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`) == 2
	}, 20*time.Second, 5*time.Millisecond)
	require.NoError(t, tx.Commit(t.Context()))
	both.Wait()
	now := <-cancelled
	require.Equal(t, RecoveryCancelled, now.Status)
	require.Equal(t, 100, now.Recovered)
	require.Equal(t, 100, s.count(`SELECT count(*) FROM malote.queue WHERE trigger = 'recover'`))
}

func TestRecover_ListsNewestFirst(t *testing.T) {
	t.Parallel()
	s, w := seeded(t)
	endpoint := s.endpoint("acme")
	var jobs []delivery.ID
	for range 3 {
		job := s.start(w, lastHour(endpoint))
		jobs = append([]delivery.ID{job.ID}, jobs...)
		require.Equal(t, RecoveryDone, s.recoverAll(w, job.ID).Status)
	}
	s.start(w, lastHour(s.endpoint("acme")))
	ids := func(before delivery.ID, limit int) (ids []delivery.ID) {
		list, err := w.Recoveries(t.Context(), endpoint, before, limit)
		require.NoError(t, err)
		for _, r := range list {
			ids = append(ids, r.ID)
		}
		return ids
	}
	require.Equal(t, jobs, ids(delivery.ID{}, 10))
	require.Equal(t, jobs[:2], ids(delivery.ID{}, 2))
	require.Equal(t, jobs[2:], ids(jobs[1], 2))
	_, err := w.Recovery(t.Context(), newJob(endpoint))
	require.ErrorIs(t, err, ErrNoRecovery)
}
