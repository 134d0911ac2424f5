package dispatch

import (
	"bytes"
	"context"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
)

func TestDrain_ClaimsNoMoreAndLetsAttemptsEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(answering(3*time.Second, 204), nil)
		r.memory.lane(4, 10)
		r.start(t)
		elapse(t, time.Second)
		began := time.Now()
		r.stop()
		<-r.ended
		require.Equal(t, 2*time.Second, time.Since(began), "as long as what was in flight, and no longer")
		require.Equal(t, states(delivery.Delivered, 4, delivery.Pending, 6), r.memory.states())
		require.Len(t, r.memory.claimTimes(), 1+1, "the first, and the poll after a second")
	})
}

func TestDrain_IdleStopsAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(answering(0, 204), nil)
		r.start(t)
		elapse(t, 100*time.Millisecond)
		began, claims := time.Now(), len(r.memory.claimTimes())
		r.Signal()
		r.stop()
		<-r.ended
		require.Equal(t, began, time.Now())
		require.LessOrEqual(t, len(r.memory.claimTimes()), claims+1)
	})
}

func TestDrain_NeverClaimsAfterTheStop(t *testing.T) {
	t.Parallel()
	for range 100 { // which of two possible cases a select takes is chance
		synctest.Test(t, func(t *testing.T) {
			r := newRig(answering(0, 204), nil)
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			r.Run(ctx)
			require.Empty(t, r.memory.claimTimes())
			require.Empty(t, r.slots)
		})
	}
}

func TestDrain_G10_HandsBackWhatIsClaimedMeanwhile(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(answering(0, 204), nil)
		r.memory.lane(4, 4)
		r.memory.afterClaim = func() { r.stop() } // committed, but its time has come
		r.start(t)
		<-r.ended
		require.Equal(t, states(delivery.Pending, 4), r.memory.states())
		require.Empty(t, r.sender.sent())
		for _, done := range r.memory.outcomes() {
			require.Equal(t, policy.Unsent, done.Kind)
			require.Equal(t, time.Now(), done.CompletedAt)
		}
	})
}

func TestDrain_InterruptsWhatDoesNotEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		hanging := answering(time.Hour, 204)
		r := newRig(hanging, func(o *Options) { o.DrainTimeout = 7 * time.Second })
		r.memory.lane(4, 4)
		r.start(t)
		synctest.Wait()
		began := time.Now()
		r.stop()
		<-r.ended
		require.Equal(t, 7*time.Second, time.Since(began))
		require.Equal(t, states(delivery.Pending, 4), r.memory.states(), "back in the queue, and not in a minute")
		require.Equal(t, 4, r.observer.codes[delivery.InterruptedSend])
	})
}

func TestDrain_RecordsAsSoonAsTheDatabaseIsBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(answering(0, 204), nil)
		r.memory.lane(4, 4)
		back := time.Now().Add(25 * time.Second)
		r.memory.onComplete = func([]policy.Completion) error {
			if time.Now().Before(back) {
				return errAway
			}
			return nil
		}
		r.start(t)
		synctest.Wait()
		r.stop()
		<-r.ended
		require.WithinRange(t, time.Now(), back, back.Add(5*time.Second))
		require.Equal(t, states(delivery.Delivered, 4), r.memory.states())
	})
}

// However the database fails, a stop ends: also when outcomes stand in line and
// attempts wait to join it.
func TestDrain_IsBoundedWithoutADatabase(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log logged
		r := newRig(answering(0, 204), func(o *Options) {
			o.MaxInFlight, o.Completers, o.DrainTimeout, o.Log = 2*maxCompletions+50, 1, 10*time.Second, log.logger()
		})
		const outcomes = 3*maxCompletions + 20
		r.memory.lane(outcomes, outcomes)
		r.memory.onComplete = func([]policy.Completion) error { return errAway }
		r.start(t)
		time.Sleep(companyForClaims) // the last claim waits for company
		synctest.Wait()
		require.Len(t, r.sender.sent(), outcomes, "more than the line holds")
		began := time.Now()
		r.stop()
		<-r.ended
		require.Equal(t, 10*time.Second+finishTimeout, time.Since(began))
		require.Contains(t, log.String(), "outcomes=788", "all are accounted for")
		require.Equal(t, states(delivery.Sending, outcomes), r.memory.states(), "and come back with their leases")
	})
}

// A claim that hangs is bounded by its own timeout, within the drain's.
func TestDrain_IsBoundedWhileAClaimHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(answering(0, 204), nil)
		r.options.Storage = hangingClaims{r.memory}
		r.start(t)
		synctest.Wait()
		began := time.Now()
		r.stop()
		<-r.ended
		require.Equal(t, claimTimeout, time.Since(began))
	})
}

type hangingClaims struct{ *memory }

func (hangingClaims) ClaimHanded(ctx context.Context, _ int, _ delivery.Room, _ []delivery.LaneRef) (delivery.Claimed, error) {
	<-ctx.Done()
	return delivery.Claimed{}, ctx.Err()
}

// logged keeps log lines as text.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) logger() *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }

func (l *logged) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(line)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
