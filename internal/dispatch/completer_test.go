package dispatch

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
)

// book is a Storage that only records outcomes, each commit taking a while.
type book struct {
	commitTime time.Duration
	refuses    func([]policy.Completion) error // nil: nothing

	mu       sync.Mutex
	batches  [][]policy.Completion // in the order of their commits
	tries    []int                 // sizes, the failed ones included
	atOnce   map[delivery.ID]int   // endpoint → transactions under way
	mostOnce int
}

func (b *book) ClaimHanded(context.Context, int, delivery.Room, []delivery.LaneRef) (delivery.Claimed, error) {
	return delivery.Claimed{NextDue: delivery.NothingDue}, nil
}

func (b *book) CompleteAndClaim(ctx context.Context, batch []policy.Completion, _ policy.Onward) (policy.Completed, error) {
	b.enter(batch, 1)
	defer b.enter(batch, -1)
	if !pause(ctx, b.commitTime) {
		return policy.Completed{}, ctx.Err()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tries = append(b.tries, len(batch))
	if b.refuses != nil {
		if err := b.refuses(batch); err != nil {
			return policy.Completed{}, err
		}
	}
	b.batches = append(b.batches, slices.Clone(batch))
	return policy.Completed{}, nil
}

func (b *book) enter(batch []policy.Completion, by int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.atOnce == nil {
		b.atOnce = make(map[delivery.ID]int)
	}
	seen := make(map[delivery.ID]bool)
	for _, done := range batch {
		if id := done.Claim.Endpoint.ID; !seen[id] {
			seen[id] = true
			b.atOnce[id] += by
			b.mostOnce = max(b.mostOnce, b.atOnce[id])
		}
	}
}

// attempts are the numbers of the recorded outcomes, batch by batch.
func (b *book) attempts() [][]int {
	b.mu.Lock()
	defer b.mu.Unlock()
	var all [][]int
	for _, batch := range b.batches {
		var numbers []int
		for _, done := range batch {
			numbers = append(numbers, done.Claim.Attempt)
		}
		all = append(all, numbers)
	}
	return all
}

// shortage is a dispatcher that has no slots to spare.
type shortage struct {
	is bool // and claims leave something due for want of them

	mu      sync.Mutex
	signals int
	woken   []delivery.LaneRef
}

func (s *shortage) reserve([]policy.Completion) policy.Onward { return policy.Onward{} }
func (s *shortage) isShort() bool                             { return s.is }

func (s *shortage) goOn(policy.Onward, delivery.Claimed, error, time.Time) []policy.Completion {
	return nil
}

func (s *shortage) wake(lanes []delivery.LaneRef) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.woken = append(s.woken, lanes...)
}

func (s *shortage) Signal() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.signals++
}

func newTestCompleters(storage Storage, n int) (c *completers, observer *counting) {
	observer = &counting{}
	c = newCompleters(Options{Storage: storage, Observer: observer, Completers: n, Log: slog.New(slog.DiscardHandler)}, &shortage{})
	c.start()
	return c, observer
}

// outcomeOf is one outcome of an endpoint; the attempt's number tells it apart.
func outcomeOf(endpoint *delivery.Endpoint, attempt int) policy.Completion {
	return policy.Completion{Kind: policy.Sent, Claim: &delivery.Claim{Endpoint: endpoint, Attempt: attempt}}
}

func newEndpoint() *delivery.Endpoint {
	return &delivery.Endpoint{ID: delivery.NewID(0, time.Now(), rand.Reader)}
}

func upTo(first, last int) []int {
	var numbers []int
	for i := first; i <= last; i++ {
		numbers = append(numbers, i)
	}
	return numbers
}

func TestCompleter_WhatArrivesDuringACommitIsTheNextBatch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &book{commitTime: 10 * time.Millisecond}
		short := &shortage{is: true}
		c, observer := newTestCompleters(b, 1)
		c.slots = short
		endpoint, began := newEndpoint(), time.Now()
		c.add(outcomeOf(endpoint, 1))
		synctest.Wait()
		for i := 2; i <= 50; i++ {
			c.add(outcomeOf(endpoint, i))
		}
		c.finish()
		require.Equal(t, [][]int{{1}, upTo(2, 50)}, b.attempts())
		require.Equal(t, 20*time.Millisecond, time.Since(began), "nobody waits for company")
		require.Equal(t, 2, short.signals, "where claims were short of slots, each commit tells")
		require.Equal(t, []int{1, 49}, observer.batches)
	})
}

func TestCompleter_BatchesAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &book{commitTime: 10 * time.Millisecond}
		c, observer := newTestCompleters(b, 1)
		endpoint := newEndpoint()
		for i := range 1 + 3*maxCompletions {
			c.add(outcomeOf(endpoint, i)) // waits where the line is full
		}
		c.finish()
		total := 0
		for _, size := range observer.batches {
			require.LessOrEqual(t, size, maxCompletions)
			total += size
		}
		require.Equal(t, 1+3*maxCompletions, total)
		require.LessOrEqual(t, len(observer.batches), 6)
	})
}

func TestCompleter_OneEndpointIsOneCompletersBusiness(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &book{commitTime: time.Millisecond}
		c, _ := newTestCompleters(b, 4)
		var endpoints []*delivery.Endpoint
		for range 40 {
			endpoints = append(endpoints, newEndpoint())
		}
		for i := range 400 {
			c.add(outcomeOf(endpoints[i%40], i))
			if i%10 == 0 {
				pause(t.Context(), 300*time.Microsecond)
			}
		}
		c.finish()
		require.Equal(t, 1, b.mostOnce)
	})
}

func TestCompleter_NothingIsLostWhileTheDatabaseIsAway(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		back := time.Now().Add(10 * time.Minute)
		b := &book{refuses: func([]policy.Completion) error {
			if time.Now().Before(back) {
				return errAway
			}
			return nil
		}}
		c, _ := newTestCompleters(b, 1)
		endpoint := newEndpoint()
		for i := range 200 {
			c.add(outcomeOf(endpoint, i))
			pause(t.Context(), time.Second)
		}
		pause(t.Context(), time.Until(back.Add(-time.Second)))
		require.Empty(t, b.attempts())
		require.Less(t, len(b.tries), 12*10*60/5, "a dozen statements every five seconds")
		c.finish()
		require.WithinRange(t, time.Now(), back, back.Add(5*time.Second))
		require.ElementsMatch(t, upTo(0, 199), slices.Concat(b.attempts()...))
		require.Len(t, b.attempts(), 1, "all in one commit")
	})
}

func TestCompleter_WhatOneEndpointCannotRecordHoldsUpNobody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		held, others := newEndpoint(), newEndpoint()
		isHeld := true // somebody has locked the lane's row
		b := &book{refuses: func(batch []policy.Completion) error {
			if isHeld && slices.ContainsFunc(batch, func(done policy.Completion) bool { return done.Claim.Endpoint == held }) {
				return errors.New("lock timeout")
			}
			return nil
		}}
		c, _ := newTestCompleters(b, 1)
		c.add(outcomeOf(held, 1))
		c.add(outcomeOf(held, 2))
		for i := range 100 {
			began := time.Now()
			c.add(outcomeOf(others, 100+i))
			pause(t.Context(), 5*time.Second)
			synctest.Wait()
			require.Contains(t, slices.Concat(b.attempts()...), 100+i, "after %s", time.Since(began))
		}
		b.mu.Lock()
		isHeld = false
		b.mu.Unlock()
		pause(t.Context(), 5*time.Second)
		synctest.Wait()
		require.Contains(t, slices.Concat(b.attempts()...), 1, "as soon as it can be")
		require.Contains(t, slices.Concat(b.attempts()...), 2)
		c.finish()
	})
}

// Whatever mixture of outcomes that the database will never take: all others
// are recorded exactly once, and those that are not are counted in the end.
func TestCompleter_PoisonIsIsolated(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		poison := rapid.SliceOfN(rapid.Bool(), 1, 40).Draw(rt, "poison")
		gaps := rapid.SliceOfN(rapid.IntRange(0, 20), len(poison), len(poison)).Draw(rt, "gaps")
		var recorded []int
		var dropped int64
		synctest.Test(t, func(t *testing.T) {
			b := &book{commitTime: time.Millisecond, refuses: func(batch []policy.Completion) error {
				if slices.ContainsFunc(batch, func(done policy.Completion) bool { return poison[done.Claim.Attempt] }) {
					return errors.New("a value out of range")
				}
				return nil
			}}
			c, _ := newTestCompleters(b, 1)
			endpoint := newEndpoint()
			for i := range poison {
				c.add(outcomeOf(endpoint, i))
				pause(t.Context(), time.Duration(gaps[i])*time.Millisecond)
			}
			time.AfterFunc(5*time.Second*time.Duration(len(poison)+1), c.giveUp)
			c.finish()
			recorded, dropped = slices.Concat(b.attempts()...), c.dropped.Load()
		})
		var want []int
		for i, isPoison := range poison {
			if !isPoison {
				want = append(want, i)
			}
		}
		slices.Sort(recorded)
		if !slices.Equal(want, recorded) {
			rt.Fatalf("recorded %v, want %v", recorded, want)
		}
		if int(dropped) != len(poison)-len(want) {
			rt.Fatalf("%d were dropped, of %d", dropped, len(poison)-len(want))
		}
	})
}

func TestCompleter_AStopThatWaitedEnoughDropsAndCounts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log logged
		b := &book{refuses: func([]policy.Completion) error { return errAway }}
		c, _ := newTestCompleters(b, 1)
		c.log = log.logger()
		const all = 3*maxCompletions + 7
		var adding sync.WaitGroup
		for i := range all {
			adding.Go(func() { c.add(outcomeOf(newEndpoint(), i)) })
		}
		pause(t.Context(), time.Minute)
		c.giveUp()
		adding.Wait() // nobody stays waiting for a line that does not move
		c.finish()
		require.EqualValues(t, all, c.dropped.Load())
		require.Contains(t, log.String(), fmt.Sprintf("outcomes=%d", all))
	})
}

// A slow commit is cut off, tried again, and then found done: Complete may be
// called with the same outcomes again.
func TestCompleter_ACommitThatHangsIsTriedAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &book{commitTime: time.Hour}
		c, observer := newTestCompleters(b, 1)
		c.add(outcomeOf(newEndpoint(), 1))
		synctest.Wait()
		pause(t.Context(), completionTimeout+time.Second)
		synctest.Wait()
		require.Equal(t, []int{1}, observer.failedBatches)
		c.giveUp()
		c.finish()
	})
}
