package watch

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/malotehq/malote/internal/delivery"
)

const (
	many       = string(delivery.ManyFailures)
	unattended = string(delivery.DeadUnattended)
)

func TestAxxos_A07_MoreThanTenFailuresOfOneCustomerWithinAnHour(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.died("acme", 10, time.Minute, delivery.TriggerSchedule)
	w.died("acme", 5, time.Hour+time.Second, delivery.TriggerSchedule)
	w.died("other", 8, time.Minute, delivery.TriggerSchedule)
	require.Empty(t, w.deadLetters(), "ten are not more than ten")
	w.died("acme", 1, 0, delivery.TriggerSchedule)
	require.Equal(t, Raised{many: 1}, w.deadLetters())
	w.died("acme", 20, 0, delivery.TriggerSchedule)
	require.Empty(t, w.deadLetters(), "once an hour")

	signals := w.list(Filter{Kind: delivery.ManyFailures})
	require.Len(t, signals, 1)
	require.Equal(t, "acme", signals[0].Tenant)
	require.Equal(t, "11 deliveries entered the DLQ within an hour", signals[0].Detail)

	w.agoSignals(delivery.ManyFailures, time.Hour)
	require.Equal(t, Raised{many: 1}, w.deadLetters(), "an hour later they are still many")
	w.agoSignals(delivery.ManyFailures, time.Hour)
	w.agoSignals(delivery.DeliveryDead, time.Hour)
	require.Empty(t, w.deadLetters(), "and then no more")
}

func TestAxxos_A07_NoDeadLetterStaysUnattendedForOverADay(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ids := w.died("acme", 3, 24*time.Hour+time.Minute, delivery.TriggerSchedule)
	oldest := w.died("acme", 1, 50*time.Hour, delivery.TriggerReplay)[0]
	w.died("acme", 9, 23*time.Hour, delivery.TriggerSchedule)
	w.died("other", 9, 24*time.Hour-time.Minute, delivery.TriggerSchedule)
	w.died("third", 1, 48*time.Hour, delivery.TriggerTest)
	w.exec(`UPDATE malote.deliveries SET state = 'resolved' WHERE id = $1`, ids[0])
	require.Equal(t, Raised{unattended: 1}, w.deadLetters())
	require.Empty(t, w.deadLetters(), "once a day")

	signals := w.list(Filter{Kind: delivery.DeadUnattended})
	require.Len(t, signals, 1)
	require.Equal(t, "acme", signals[0].Tenant)
	require.Equal(t, oldest, signals[0].DeliveryID)
	require.Contains(t, signals[0].Detail, "3 deliveries have been in the DLQ for over 24 hours")
	require.Contains(t, signals[0].Detail, time.Now().Add(-50*time.Hour).UTC().Format("2006-01-02 15:"))

	w.agoSignals(delivery.DeadUnattended, 24*time.Hour)
	require.Equal(t, Raised{unattended: 1}, w.deadLetters(), "a day later nobody has seen to them")
	w.agoSignals(delivery.DeadUnattended, 24*time.Hour)
	w.exec(`UPDATE malote.deliveries SET state = 'resolved'`)
	require.Empty(t, w.deadLetters())
}

func TestDeadLetters_I10_TwoProcessesSayItOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.died("acme", 11, time.Minute, delivery.TriggerSchedule)
	var all errgroup.Group
	for range 4 {
		all.Go(func() error {
			_, err := w.DeadLetters(t.Context())
			return err
		})
	}
	require.NoError(t, all.Wait())
	require.Len(t, w.list(Filter{Kind: delivery.ManyFailures}), 1)
}
