package watch

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/malotehq/malote/internal/circuit"
	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/store/pgtest"
)

const failingKind = string(circuit.EndpointFailing)

func TestStandard_S08_WarnsAtOneAndThreeDaysByTimeAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.failing("standard", 24*time.Hour-time.Minute)
	require.Empty(t, w.endpoints())
	w.later(time.Minute)
	require.Equal(t, Raised{failingKind: 1}, w.endpoints())
	require.Empty(t, w.endpoints(), "once")
	w.later(48*time.Hour - time.Minute)
	require.Empty(t, w.endpoints())
	w.later(time.Minute)
	require.Equal(t, Raised{failingKind: 1}, w.endpoints())
	status, level := w.lane(id)
	require.Equal(t, "active", status)
	require.Equal(t, 2, level)

	signals := w.list(Filter{Tenant: "acme"})
	require.Len(t, signals, 2)
	require.Equal(t, []string{"72h0m0s", "24h0m0s"}, []string{signals[0].Detail, signals[1].Detail})
	require.Equal(t, id, signals[0].EndpointID)
	require.Equal(t, delivery.SignalKind(failingKind), signals[0].Kind)
	require.Equal(t, "acme", signals[0].Tenant)
}

func TestFairQueue_F14_TimeAloneWarnsAndDisablesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.failing("fair-queue", 6*24*time.Hour)
	require.Equal(t, Raised{failingKind: 2}, w.endpoints(), "both warnings that were missed")
	status, level := w.lane(id)
	require.Equal(t, "active", status, "the next failure disables it: see circuit.Tick")
	require.Equal(t, 2, level)
}

func TestEndpoints_OnlyThoseThatFailAndAreActive(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	well := w.failing("standard", 48*time.Hour)
	w.exec(`UPDATE malote.lanes SET first_failure_at = NULL WHERE endpoint_id = $1`, well)
	for _, status := range []delivery.EndpointStatus{delivery.Paused, delivery.DisabledByUser, delivery.DisabledBySystem, delivery.Deleted} {
		w.exec(`UPDATE malote.lanes SET status = $2 WHERE endpoint_id = $1`, w.failing("standard", 48*time.Hour), status)
	}
	w.failing("unheard-of", 48*time.Hour)
	require.Empty(t, w.endpoints())
}

func TestEndpoints_AllOfThemInBatches(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.lanesAtOnce = 2
	for range 7 {
		w.failing("standard", 48*time.Hour)
	}
	w.exec(`UPDATE malote.lanes SET first_failure_at = date_trunc('hour', first_failure_at)`) // a tie
	require.Equal(t, Raised{failingKind: 7}, w.endpoints())
	require.Empty(t, w.endpoints())
}

// Of two processes, and of a success that comes at the same time.
func TestEndpoints_I10_SaysNothingTwiceAndNothingThatIsOver(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for range 20 {
		w.failing("standard", 48*time.Hour)
	}
	recovered := w.failing("standard", 48*time.Hour)
	tx, err := w.store.Pool().Begin(t.Context())
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), `UPDATE malote.lanes SET first_failure_at = NULL, consecutive_failures = 0 WHERE endpoint_id = $1`, recovered)
	require.NoError(t, err)
	var both errgroup.Group
	raised := make([]Raised, 2)
	for i := range raised {
		both.Go(func() (err error) {
			raised[i], err = w.Endpoints(t.Context())
			return err
		})
	}
	require.Eventually(t, func() bool {
		var n int
		err := w.store.Pool().QueryRow(t.Context(), `SELECT count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND wait_event_type = 'Lock'`).Scan(&n)
		return err == nil && n == 2
	}, 10*time.Second, 5*time.Millisecond)
	require.NoError(t, tx.Commit(t.Context()))
	require.NoError(t, both.Wait())
	require.Equal(t, 20, raised[0][failingKind]+raised[1][failingKind])
	require.Len(t, w.list(Filter{}), 20)
}

// What is warned of is noted with the warning, or neither is.
func TestEndpoints_I10_AllOrNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.failing("standard", 48*time.Hour)
	w.exec(`ALTER TABLE malote.signals ADD CONSTRAINT refused CHECK (kind <> 'endpoint_failing') NOT VALID`)
	_, err := w.Endpoints(t.Context())
	require.Error(t, err)
	_, level := w.lane(id)
	require.Zero(t, level)
	w.exec(`ALTER TABLE malote.signals DROP CONSTRAINT refused`)
	require.Equal(t, Raised{failingKind: 1}, w.endpoints())
}

func TestEndpoints_AnUnreadablePolicyKeepsNoOtherFromBeingWarned(t *testing.T) {
	t.Parallel()
	s := pgtest.Open(t)
	w := &world{t, New(s, Options{Circuits: func(name string) (*circuit.Settings, error) {
		if name == "broken" {
			return nil, errors.New("cannot be read")
		}
		return presets(name)
	}}), s}
	w.failing("broken", 72*time.Hour)
	w.failing("standard", 48*time.Hour)
	require.Equal(t, Raised{failingKind: 1}, w.endpoints())
}
