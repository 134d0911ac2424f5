package redelivery

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/store/pgtest"
)

// killWaiting ends the connection of whoever waits for a lock.
func (s seeder) killWaiting() {
	s.t.Helper()
	s.awaitLock()
	require.Equal(s.t, 1, s.count(`SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
		WHERE datname = current_database() AND wait_event_type = 'Lock'`))
}

// A process is killed in the middle of a batch, before anything was written and
// before the last statement: the batch was not done at all, and is done next.
func TestRecover_KilledInTheMiddleOfABatch(t *testing.T) {
	t.Parallel()
	s, w := seeded(t)
	endpoint := s.endpoint("acme")
	const n = 230
	s.closedMany("acme", endpoint, n, delivery.Skipped, time.Minute)
	job := s.start(w, lastHour(endpoint))
	before := job
	for i, hold := range []string{
		`SELECT FROM malote.lanes FOR UPDATE`,
		`LOCK TABLE malote.recoveries IN SHARE MODE`, // an UPDATE waits, a row lock does not
	} {
		tx := s.begin()
		_, err := tx.Exec(t.Context(), hold)
		require.NoError(t, err)
		killed := make(chan error, 1)
		woken := make(chan []delivery.LaneRef, 1)
		go func() {
			_, lanes, err := w.RecoverBatch(t.Context(), job.ID)
			woken <- lanes
			killed <- err
		}()
		s.killWaiting()
		require.Error(t, <-killed)
		require.Len(t, <-woken, i, "it may have been committed, for all that is known here")
		require.NoError(t, tx.Rollback(t.Context()))
		require.Equal(t, before, s.recovery(w, job.ID))
		require.Equal(t, n-before.Recovered, s.count(`SELECT count(*) FROM malote.deliveries WHERE state = 'skipped'`))

		// The server may take a moment to let go of what the killed one held.
		require.Eventually(t, func() bool {
			moved, _ := s.batch(w, job.ID)
			return moved
		}, 20*time.Second, 5*time.Millisecond)
		s.deliverPending(endpoint)
		before = s.recovery(w, job.ID)
	}
	done := s.recoverAll(w, job.ID)
	s.deliverPending(endpoint)
	require.Equal(t, []int{n, n, 0}, []int{done.Total, done.Recovered, done.PassedOver})
	require.Equal(t, n, s.count(`SELECT count(*) FROM malote.deliveries WHERE state = 'delivered' AND trigger = 'recover'`))
}

// While one process does a batch, others pass by, and go on with other jobs.
func TestRecover_NoBatchTwiceOverAllProcesses(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DSN(t)
	first := seeder{t, pgtest.OpenDSN(t, dsn)}
	writers := []*Writer{New(first.store), New(pgtest.OpenDSN(t, dsn)), New(pgtest.OpenDSN(t, dsn))}
	const n = 330
	var jobs []Recovery
	for range 3 {
		endpoint := first.endpoint("acme")
		first.closedMany("acme", endpoint, n, delivery.Skipped, time.Minute)
		jobs = append(jobs, first.start(writers[0], lastHour(endpoint)))
	}
	var processes sync.WaitGroup
	for _, w := range writers {
		processes.Go(func() {
			for {
				ids, err := w.RunningRecoveries(t.Context())
				if err != nil {
					t.Error(err)
				}
				if err != nil || len(ids) == 0 {
					return
				}
				for _, id := range ids {
					first.batch(w, id)
				}
			}
		})
	}
	stop, receivers := make(chan struct{}), sync.WaitGroup{}
	receivers.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				for _, job := range jobs {
					first.deliverPending(job.Endpoint)
				}
			}
		}
	})
	processes.Wait()
	close(stop)
	receivers.Wait()
	for _, job := range jobs {
		done := first.recovery(writers[0], job.ID)
		require.Equal(t, RecoveryDone, done.Status)
		require.Equal(t, []int{n, n, 0}, []int{done.Total, done.Recovered, done.PassedOver})
		first.deliverPending(job.Endpoint)
	}
	require.Equal(t, 3*n, first.count(`SELECT count(*) FROM malote.deliveries WHERE state = 'delivered' AND trigger = 'recover'`))
}

func TestRecover_PassesByWhatAnotherProcessDoes(t *testing.T) {
	t.Parallel()
	s, w := seeded(t)
	endpoint := s.endpoint("acme")
	s.closedMany("acme", endpoint, 10, delivery.Skipped, time.Minute)
	job := s.start(w, lastHour(endpoint))
	tx := s.begin()
	_, err := tx.Exec(t.Context(), `SELECT FROM malote.recoveries FOR UPDATE`)
	require.NoError(t, err)
	moved, lanes := s.batch(w, job.ID)
	require.False(t, moved)
	require.Empty(t, lanes)
	require.NoError(t, tx.Rollback(t.Context()))
	require.Equal(t, 10, s.recoverAll(w, job.ID).Recovered)
}

func TestRecover_WhoGotNothingForLongestComesFirst(t *testing.T) {
	t.Parallel()
	s, w := seeded(t)
	jobs := make([]delivery.ID, 3)
	for i := range jobs {
		endpoint := s.endpoint("acme")
		s.closedMany("acme", endpoint, 500, delivery.Skipped, time.Minute)
		jobs[i] = s.start(w, lastHour(endpoint)).ID
	}
	running := func() []delivery.ID {
		ids, err := w.RunningRecoveries(t.Context())
		require.NoError(t, err)
		return ids
	}
	require.Equal(t, jobs, running())
	s.batch(w, jobs[0])
	require.Equal(t, []delivery.ID{jobs[1], jobs[2], jobs[0]}, running())
	s.batch(w, jobs[1])
	s.batch(w, jobs[0]) // its queue is full: nothing
	require.Equal(t, []delivery.ID{jobs[2], jobs[0], jobs[1]}, running())
}
