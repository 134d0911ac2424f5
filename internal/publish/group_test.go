package publish

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/malotehq/malote/internal/delivery"
)

func TestGroup_ALonePublishWaitsForNobody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, began := start(t, &ledger{commitTime: 3 * time.Millisecond}, 2), time.Now()
		results, err := r.Publish(t.Context(), events(1, 0))
		require.NoError(t, err)
		require.Len(t, results, 1)
		require.Equal(t, 3*time.Millisecond, time.Since(began))
	})
}

func TestGroup_WhatArrivesDuringACommitIsTheNextGroup(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, &ledger{commitTime: 10 * time.Millisecond}, 1)
		var crowd sync.WaitGroup
		for i := range 21 {
			crowd.Go(func() { mustPublish(t, r, events(2, 2*i)) })
			synctest.Wait() // they come one after another
		}
		crowd.Wait()
		require.Equal(t, [][]string{numbered(2, 0), numbered(40, 2)}, r.ledger.committed(), "in the order in which they came")
		require.Equal(t, []int{2, 40}, r.observer.batches)
	})
}

// 32 publishers that each wait for their answer, as HTTP clients do.
func TestGroup_ACrowdSharesFewCommits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const publishers, each, commit = 32, 50, 2 * time.Millisecond
		r, began := start(t, &ledger{commitTime: commit}, DefaultCommitters), time.Now()
		var crowd sync.WaitGroup
		for range publishers {
			crowd.Go(func() {
				for i := range each {
					mustPublish(t, r, events(1, i))
				}
			})
		}
		crowd.Wait()
		require.LessOrEqual(t, len(r.ledger.commits), 4*each, "of %d publishes", publishers*each)
		require.LessOrEqual(t, time.Since(began), 3*each*commit)
		require.LessOrEqual(t, r.ledger.most, DefaultCommitters)
	})
}

func TestGroup_IsBoundedAndALargeUnitGoesAlone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, &ledger{commitTime: 10 * time.Millisecond}, 1)
		large := []Request{{Tenant: "acme", Type: "large", Body: make([]byte, maxGroupBytes)}}
		var crowd sync.WaitGroup
		for _, unit := range [][]Request{
			events(1, 0), events(200, 1), events(56, 201), events(1, 257), events(1000, 1000), events(1, 258), large, events(1, 259),
		} {
			crowd.Go(func() { mustPublish(t, r, unit) })
			synctest.Wait()
		}
		crowd.Wait()
		require.Equal(t, [][]string{
			numbered(1, 0), numbered(256, 1), numbered(1, 257), numbered(1000, 1000), numbered(1, 258), {"large"}, numbered(1, 259),
		}, r.ledger.committed())
	})
}

func TestGroup_LanesAreWokenBeforeAnybodyIsAnswered(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, &ledger{commitTime: time.Millisecond}, 2)
		var crowd sync.WaitGroup
		for range 50 {
			crowd.Go(func() {
				results, err := r.Publish(t.Context(), events(2, 0))
				if err != nil || !r.waker.has(results[0].ID) || !r.waker.has(results[1].ID) {
					t.Errorf("answered (%v) before the lanes were woken", err)
				}
			})
		}
		crowd.Wait()
		r.ledger.refuses = func(context.Context, []*delivery.Draft) error { return errAway }
		before := len(r.waker.lanes)
		_, err := r.Publish(t.Context(), events(1, 0))
		require.ErrorIs(t, err, errAway)
		require.Len(t, r.waker.lanes, before, "what was not committed wakes nobody")
	})
}

func TestGroup_APublisherMayLeave(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, began := start(t, &ledger{commitTime: 10 * time.Millisecond}, 1), time.Now()
		leave := func(after time.Duration, unit []Request) {
			ctx, cancel := context.WithTimeout(t.Context(), after)
			defer cancel()
			_, err := r.Publish(ctx, unit)
			require.ErrorIs(t, err, context.DeadlineExceeded)
			require.Equal(t, after, time.Since(began), "at once")
		}
		var crowd sync.WaitGroup
		crowd.Go(func() { leave(3*time.Millisecond, events(1, 0)) }) // its commit is under way
		synctest.Wait()
		crowd.Go(func() { leave(4*time.Millisecond, events(1, 1)) }) // nobody has taken it yet
		crowd.Go(func() { mustPublish(t, r, events(1, 2)) })
		crowd.Wait()
		require.Equal(t, [][]string{{"e0"}, {"e2"}}, r.ledger.committed())
	})
}

func TestGroup_AStopCommitsWhatWasTakenAndRefusesTheRest(t *testing.T) {
	t.Parallel()
	for range 10 { // a select may take either case
		synctest.Test(t, func(t *testing.T) {
			r := start(t, &ledger{commitTime: 10 * time.Millisecond}, 1)
			errs := make([]error, 4)
			var crowd sync.WaitGroup
			for i, unit := range [][]Request{events(1, 0), events(1, 1), events(1000, 1000), events(1, 2)} {
				crowd.Go(func() { _, errs[i] = r.Publish(t.Context(), unit) })
				synctest.Wait()
			}
			// The first is being committed. The second is taken, with the third
			// left for a group of its own; then comes the stop.
			require.NoError(t, wait(t.Context(), 15*time.Millisecond))
			r.stop()
			crowd.Wait()
			<-r.ended
			require.NoError(t, errors.Join(errs[:3]...))
			if errs[3] != nil { // whether it was still taken is chance
				require.ErrorIs(t, errs[3], ErrStopped)
				require.Len(t, r.ledger.commits, 3)
			}
			_, err := r.Publish(t.Context(), events(1, 9))
			require.ErrorIs(t, err, ErrStopped)
			_, err = r.PublishTest(t.Context(), "acme", newID())
			require.ErrorIs(t, err, ErrStopped)
		})
	}
}

func TestGroup_AStopEndsUnderAnEndlessCrowd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, &ledger{commitTime: 10 * time.Millisecond}, 2)
		var crowd sync.WaitGroup
		for range 20 {
			crowd.Go(func() {
				for {
					// Large, so that something is always left for the next group.
					if _, err := r.Publish(t.Context(), events(200, 0)); err != nil {
						return
					}
				}
			})
		}
		require.NoError(t, wait(t.Context(), 105*time.Millisecond))
		began := time.Now()
		r.stop()
		<-r.ended
		require.LessOrEqual(t, time.Since(began), 200*time.Millisecond)
		crowd.Wait()
	})
}

func TestGroup_ADatabaseThatHangsHoldsNobodyForLong(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := &ledger{commitTime: time.Hour}
		r, began := start(t, l, 1), time.Now()
		var crowd sync.WaitGroup
		for range 100 {
			crowd.Go(func() {
				_, err := r.Publish(t.Context(), events(1, 0))
				if !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("unexpected: %v", err)
				}
			})
		}
		crowd.Wait()
		require.LessOrEqual(t, time.Since(began), 4*commitTimeout, "two groups, and what was tried in place of one")
		l.commitTime = 0
		mustPublish(t, r, events(1, 1))
	})
}

// One unit hangs – its tenant's row is locked, say – and then fails.
func TestGroup_AUnitThatHangsHarmsNoOther(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, &ledger{commitTime: time.Millisecond, refuses: func(ctx context.Context, drafts []*delivery.Draft) error {
			if slices.ContainsFunc(drafts, func(d *delivery.Draft) bool { return d.Event.Type == "hangs" }) {
				<-ctx.Done()
				return ctx.Err()
			}
			return nil
		}}, 1)
		var crowd sync.WaitGroup
		crowd.Go(func() { mustPublish(t, r, events(1, 0)) })
		synctest.Wait()
		crowd.Go(func() {
			if _, err := r.Publish(t.Context(), []Request{{Tenant: "acme", Type: "hangs", Data: []byte("1")}}); err == nil {
				t.Error("it worked")
			}
		})
		synctest.Wait()
		for i := range 30 {
			crowd.Go(func() { mustPublish(t, r, events(1, i)) })
		}
		crowd.Wait()
	})
}

// Whatever fails, at random: every unit gets exactly its own results, in order,
// or its own error; a unit that can be written, is; none is written twice.
func TestGroup_EveryUnitGetsItsOwnResults(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		units := rapid.SliceOfN(rapid.Custom(drawUnit), 1, 30).Draw(rt, "units")
		committers := rapid.IntRange(1, 4).Draw(rt, "committers")
		var wrong string
		synctest.Test(t, func(t *testing.T) { wrong = publishUnits(t, units, committers) })
		if wrong != "" {
			rt.Fatal(wrong)
		}
	})
}

// mustPublish publishes and checks that the answer is about these requests.
func mustPublish(t *testing.T, r *rig, unit []Request) {
	results, err := r.Publish(t.Context(), unit)
	if err != nil || len(results) != len(unit) {
		t.Errorf("publishing %s: %d results, %v", unit[0].Type, len(results), err)
	}
}

// testUnit is a request of a property test.
type testUnit struct {
	events           int
	isPoison         bool // its transaction fails
	isRefused        bool // the database's state forbids it
	arrives, patient time.Duration
}

func drawUnit(t *rapid.T) testUnit {
	u := testUnit{
		events:   rapid.IntRange(1, 60).Draw(t, "events"),
		isPoison: rapid.IntRange(0, 4).Draw(t, "poison") == 0, isRefused: rapid.IntRange(0, 4).Draw(t, "refused") == 0,
		arrives: time.Duration(rapid.IntRange(0, 30).Draw(t, "arrives")) * time.Millisecond,
		patient: time.Hour,
	}
	if rapid.IntRange(0, 5).Draw(t, "leaves") == 0 {
		u.patient = time.Duration(rapid.IntRange(1, 10).Draw(t, "patience")) * time.Millisecond
	}
	return u
}

func (u testUnit) requests(number int) []Request {
	list := events(u.events, number*1000)
	kind := "fine"
	switch {
	case u.isPoison:
		kind = "poison"
	case u.isRefused:
		kind = "refused"
	}
	for i := range list {
		list[i].ExternalID = kind
	}
	return list
}

func publishUnits(t *testing.T, units []testUnit, committers int) (wrong string) {
	isOf := func(kind string) func(*delivery.Draft) bool {
		return func(d *delivery.Draft) bool { return d.Event.ExternalID == kind }
	}
	l := &ledger{
		commitTime: 5 * time.Millisecond,
		refuses: func(_ context.Context, drafts []*delivery.Draft) error {
			if i := slices.IndexFunc(drafts, isOf("poison")); i >= 0 {
				return errors.New("poison " + drafts[i].Event.Type)
			}
			return nil
		},
		refusesOne: func(d *delivery.Draft) error {
			if isOf("refused")(d) {
				return delivery.ErrUnknownTenant
			}
			return nil
		},
	}
	r := start(t, l, committers)
	var mu sync.Mutex
	var crowd sync.WaitGroup
	for number, u := range units {
		crowd.Go(func() {
			requests := u.requests(number)
			ctx, cancel := context.WithTimeout(t.Context(), u.arrives+u.patient)
			defer cancel()
			if wait(ctx, u.arrives) != nil {
				return
			}
			results, err := r.Publish(ctx, requests)
			mu.Lock()
			defer mu.Unlock()
			if verdict := u.judge(l, requests, results, err); verdict != "" {
				wrong = verdict
			}
		})
	}
	crowd.Wait()
	r.stop()
	<-r.ended
	seen := make(map[string]bool)
	for _, eventType := range slices.Concat(l.committed()...) {
		if seen[eventType] {
			wrong = eventType + " was written twice"
		}
		seen[eventType] = true
	}
	if l.wrong != "" {
		wrong = l.wrong
	}
	return wrong
}

func (u testUnit) judge(l *ledger, requests []Request, results []Result, err error) string {
	refusal, wasRefused := errors.AsType[*RefusedError](err)
	switch {
	case errors.Is(err, context.DeadlineExceeded) && u.patient < time.Hour:
		return ""
	case u.isPoison:
		if err == nil || !strings.HasPrefix(err.Error(), "publishing: poison e") || !strings.HasSuffix(err.Error(), requests[0].Type) {
			return "poison got " + errorText(err)
		}
		return ""
	case u.isRefused:
		if !wasRefused || refusal.Index != 0 || !errors.Is(err, delivery.ErrUnknownTenant) {
			return "a refused unit got " + errorText(err)
		}
		return ""
	case err != nil || len(results) != len(requests):
		return "a unit that can be written got " + errorText(err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	drafts := slices.Concat(l.commits...)
	for i, result := range results {
		at := slices.IndexFunc(drafts, func(d *delivery.Draft) bool { return d.Event.ID == result.ID })
		if at < 0 || drafts[at].Event.Type != requests[i].Type {
			return requests[i].Type + " got another's result"
		}
		want := resultOf(drafts[at])
		if result != (Result{ID: want.ID, Duplicate: want.Duplicate, Deliveries: want.Deliveries}) {
			return requests[i].Type + " got a wrong result"
		}
	}
	return ""
}

func errorText(err error) string {
	if err == nil {
		return "no error"
	}
	return err.Error()
}
