package retention

import (
	"context"
	"crypto/rand"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
	"github.com/malotehq/malote/internal/store/history"
	"github.com/malotehq/malote/internal/store/redelivery"
)

// traffic is everybody who has to do with an old day while it is retired.
type traffic struct {
	*world
	pending, dead, closed, untouched []seeded
}

func newTraffic(t *testing.T) *traffic {
	tr := &traffic{world: newWorld(t, 41, 40)}
	add := func(to *[]seeded, n int, state delivery.State) {
		for i := range n {
			*to = append(*to, tr.add(row{at: noon(40 + i%2), state: state, attempts: []int{0}}))
		}
	}
	add(&tr.pending, 60, delivery.Pending)
	add(&tr.dead, 40, delivery.Dead)
	add(&tr.closed, 40, delivery.Delivered)
	add(&tr.untouched, 2, delivery.Dead)
	return tr
}

// complete delivers what is pending; every third is rejected for good.
func (tr *traffic) complete(ctx context.Context) error {
	contract, _ := policy.Preset("fair-queue")
	for n := 0; ; {
		claimed, err := tr.store.Claim(ctx, 4)
		if err != nil {
			return err
		}
		var done []policy.Completion
		for _, claim := range claimed.Claims {
			outcome := delivery.Outcome{Status: 200, StartedAt: claim.ClaimedAt}
			if n++; n%3 == 0 {
				outcome.Status = 413
			}
			if string(claim.Event.Body) != "1"+claim.Event.ID.String() {
				return errors.New("a claim without its body")
			}
			done = append(done, policy.Completion{
				Kind: policy.Sent, Claim: claim, Outcome: outcome, CompletedAt: claim.ClaimedAt, Circuit: &contract.Circuit,
				Decision: policy.Decide(contract, policy.Progress{CycleAttempt: 1, CycleStartedAt: claim.ClaimedAt}, outcome,
					claim.ClaimedAt, func() float64 { return 0 }),
			})
		}
		if len(done) > 0 {
			if _, err := tr.store.Complete(ctx, done); err != nil {
				return err
			}
		}
		if len(done) == 0 && tr.count(`SELECT count(*) FROM malote.queue`) == 0 {
			return nil
		}
		tr.exec(`UPDATE malote.lanes SET ready_at = now()`)
	}
}

// replay puts back what was dead, and what was delivered if that is still there.
func (tr *traffic) replay(ctx context.Context) error {
	writer := redelivery.New(tr.store)
	for i := range tr.dead {
		for _, s := range []seeded{tr.dead[i], tr.closed[i]} {
			_, err := writer.Replay(ctx, redelivery.Request{
				IDs: []delivery.ID{s.delivery}, Trigger: delivery.TriggerReplay,
				Allowed: func(string, delivery.State) bool { return true },
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func (tr *traffic) publish(ctx context.Context, ended <-chan struct{}) error {
	for {
		now := time.Now()
		draft := &delivery.Draft{Event: delivery.Event{
			ID: delivery.NewID(delivery.ShardOf(tr.tenant), now, rand.Reader), Tenant: tr.tenant, Type: "a",
			ContentType: "text/plain", Body: []byte("x"), OccurredAt: now, AcceptedAt: now,
		}}
		_, _, err := tr.store.Publish(ctx, []*delivery.Draft{draft}, func(d *delivery.Draft, _ []*delivery.Endpoint) (delivery.Plan, error) {
			return delivery.Plan{Bodies: [][]byte{d.Event.Body}, Deliveries: []delivery.Planned{{State: delivery.Skipped, Reason: delivery.NoEndpoint}}}, nil
		})
		if err != nil {
			return err
		}
		select {
		case <-ended:
			return nil
		default:
		}
	}
}

// read always finds what is dead and nobody touches, whichever table it is in.
func (tr *traffic) read(ctx context.Context, ended <-chan struct{}) error {
	reader := history.New(tr.store)
	for {
		for _, s := range tr.untouched {
			found, tries, err := reader.Delivery(ctx, s.delivery)
			if err != nil {
				return err
			}
			if found.EventType != "a.b" || len(tries) != 1 {
				return errors.New("a dead delivery without its event or its attempt")
			}
		}
		select {
		case <-ended:
			return nil
		default:
		}
	}
}

// keepRetiring looks at every day again and again, and rebuilds what it can.
func (tr *traffic) keepRetiring(ctx context.Context, ended <-chan struct{}) error {
	for {
		tr.tomorrow()
		_, err := tr.keeper.Retire(ctx, time.Now())
		if err != nil && !errors.Is(err, ErrBusy) && !errors.Is(err, errNeeded) {
			return err
		}
		select {
		case <-ended:
			return nil
		default:
		}
	}
}

func TestRetire_AmongCompletionsReplaysPublishersAndReaders(t *testing.T) {
	t.Parallel()
	for name, moment := range map[string]time.Duration{"exchanging": moment, "thinning": time.Nanosecond} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tr := newTraffic(t)
			tr.keeper.moment = moment
			tr.work()
		})
	}
}

// work has everybody do theirs until it is done.
func (tr *traffic) work() {
	t := tr.T
	ended := make(chan struct{})
	var work, around errgroup.Group
	around.Go(func() error { return tr.publish(t.Context(), ended) })
	around.Go(func() error { return tr.read(t.Context(), ended) })
	around.Go(func() error { return tr.keepRetiring(t.Context(), ended) })
	var replays sync.WaitGroup
	replays.Add(1)
	work.Go(func() error {
		defer replays.Done()
		return tr.replay(t.Context())
	})
	work.Go(func() error {
		if err := tr.complete(t.Context()); err != nil {
			return err
		}
		replays.Wait()
		return tr.complete(t.Context())
	})
	workErr := work.Wait()
	close(ended)
	require.NoError(t, around.Wait())
	require.NoError(t, workErr)

	require.Zero(t, tr.count(`SELECT count(*) FROM malote.queue`), "everything that was open could be closed")
	require.Zero(t, tr.count(`SELECT count(*) FROM malote.deliveries d WHERE d.state = 'dead' AND NOT EXISTS (
		SELECT 1 FROM malote.events e JOIN malote.event_renderings r ON r.event_id = e.id WHERE e.id = d.event_id)`), "what is dead can be replayed")
	// Every third that was claimed died. What was delivered may have been retired
	// before its replay, or after; what was pending or dead, not.
	dead := tr.count(`SELECT count(*) FROM malote.deliveries WHERE state = 'dead' AND id < $1`, delivery.FloorID(noon(30)))
	require.GreaterOrEqual(t, dead, (len(tr.pending)+len(tr.dead))/3+len(tr.untouched))
	tr.forgetLooks() // a replay that was delivered last may be too little to be worth another look
	tr.retire()
	require.Equal(t, dead, tr.count(`SELECT count(*) FROM malote.deliveries WHERE id < $1`, delivery.FloorID(noon(30))))
	require.Equal(t, dead, tr.count(`SELECT count(*) FROM malote.events WHERE id < $1`, delivery.FloorID(noon(30))))
}

// Somebody who reads for a long time, or is in the middle of a change, keeps a
// day from being retired, but nobody from their work.
func TestRetire_GivesUpRatherThanHoldOthersUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 40)
	dead := w.add(row{at: noon(40), state: delivery.Dead})
	w.add(row{at: noon(40), state: delivery.Delivered})
	for name, sql := range map[string]string{
		"a reader of all days":  `SELECT count(*) FROM malote.deliveries`,
		"a replay of that day":  `DELETE FROM malote.deliveries WHERE id = '` + dead.delivery.String() + `'`,
		"a row lock of the day": `SELECT id FROM malote.deliveries WHERE id = '` + dead.delivery.String() + `' FOR UPDATE`,
	} {
		tx, err := w.store.Pool().Begin(t.Context())
		require.NoError(t, err)
		_, err = tx.Exec(t.Context(), sql)
		require.NoError(t, err)
		ended := make(chan struct{})
		var around errgroup.Group
		tr := &traffic{world: w}
		around.Go(func() error { return tr.publish(t.Context(), ended) })
		_, err = w.keeper.Retire(t.Context(), time.Now())
		require.ErrorIs(t, err, ErrBusy, name)
		close(ended)
		require.NoError(t, around.Wait(), name)
		require.NoError(t, tx.Rollback(t.Context()))
		require.Zero(t, w.strays(), name)
	}
	require.Equal(t, int64(1), w.retire()[deliveries])
}

// A replay that commits after the day was looked at, and before it is dropped.
func TestRetire_SeesWhatCameToBeNeededMeanwhile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 40)
	s := w.add(row{at: noon(40), state: delivery.Delivered})
	w.keeper.step = func(step string) {
		if step == "drop events" {
			w.exec(`UPDATE malote.deliveries SET state = 'dead' WHERE id = $1`, s.delivery)
		}
	}
	_, err := w.keeper.Retire(t.Context(), time.Now())
	require.ErrorIs(t, err, errNeeded)
	require.Equal(t, []delivery.ID{s.event}, w.contents()[events])
	require.Equal(t, []delivery.ID{s.delivery}, w.contents()[deliveries])
}

// Of two runs at once, one does the work.
func TestRetire_TwoAtOnce(t *testing.T) {
	t.Parallel()
	w, needed := partlyNeeded(t)
	var both errgroup.Group
	for range 2 {
		both.Go(func() error {
			if _, err := w.keeper.Retire(t.Context(), time.Now()); !errors.Is(err, ErrBusy) {
				return err
			}
			return nil
		})
	}
	require.NoError(t, both.Wait())
	w.finishes(needed)
}
