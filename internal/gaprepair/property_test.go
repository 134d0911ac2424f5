package gaprepair

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// trouble draws what goes wrong, and everything that happens at odd moments.
type trouble struct {
	*world
	chance *rand.Rand // a step has goroutines of its own, in which rapid cannot draw
	calm   bool
}

// one says that what has one chance in so many, is the case.
func (x *trouble) one(in int) bool { return !x.calm && x.chance.IntN(in) == 0 }

func (x *trouble) faults(r *http.Request) *http.Response {
	if !x.one(4) {
		return nil
	}
	wait := time.Duration(1+x.chance.IntN(600)) * time.Second
	switch x.chance.IntN(10) {
	case 0:
		x.silence(wait)
		return x.answer(429, http.Header{"Retry-After": {strconv.Itoa(int(wait.Seconds()))}}, "")
	case 1:
		x.silence(wait)
		reset := strconv.FormatInt(x.now.Add(wait).Unix(), 10)
		return x.answer(403, http.Header{"X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Reset": {reset}}, "")
	case 2:
		x.silence(wait)
		return x.answer(503, http.Header{"Retry-After": {x.now.Add(wait).Format(http.TimeFormat)}}, "")
	case 3:
		return x.answer(404, nil, "")
	case 4:
		return x.answer(302, http.Header{"Location": {"https://elsewhere.example/"}}, "")
	case 5:
		return x.answer(401, nil, "")
	case 6:
		return x.answer(200, nil, `{"object":"list"}`)
	case 7:
		whole := x.serve(r)
		whole.Body = http.NoBody
		return whole
	case 8:
		return x.answer(400, nil, "")
	}
	return x.answer(500, nil, "")
}

func (x *trouble) silence(wait time.Duration) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.quiet = x.now.Add(wait).Truncate(time.Second)
}

// happening is what providers and the door do while a page is compared.
func (x *trouble) happening(string) {
	if x.one(6) {
		one := x.happens(0)
		if x.one(2) {
			x.arrives(one)
		}
	}
	if x.one(4) {
		list := x.newest()
		x.arrives(list[x.chance.IntN(len(list))])
	}
	if x.one(10) {
		x.elapse(time.Duration(1+x.chance.IntN(20)) * time.Second)
	}
}

func (x *trouble) databases(string) error {
	if x.one(12) {
		return errAway
	}
	return nil
}

// Whatever came through the door, whatever fails, and whoever dies in between:
// in the end each event came in just once.
func TestRunner_G01_EveryListedEventComesInJustOnce(t *testing.T) {
	t.Parallel()
	for _, provider := range []string{Stripe, GitHub} {
		t.Run(provider, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				w := newWorld(provider)
				w.skew = time.Duration(rapid.IntRange(-24, 24).Draw(t, "skew in hours")) * time.Hour
				x := &trouble{world: w, chance: rand.New(rand.NewPCG(1, rapid.Uint64().Draw(t, "trouble")))}
				for range rapid.IntRange(1, 230).Draw(t, "events") {
					w.mu.Lock()
					one := w.add(w.now)
					w.mu.Unlock()
					if rapid.Bool().Draw(t, "arrives") {
						w.arrives(one)
					}
					w.elapse(time.Duration(rapid.IntRange(0, 120).Draw(t, "apart")) * time.Second)
				}
				w.fault, w.during, w.database = x.faults, x.happening, x.databases
				w.lost = func(*http.Request) bool { return x.one(10) }
				processes := []*Runner{w.runner(), w.runner()}[:rapid.IntRange(1, 2).Draw(t, "processes")]
				for range rapid.IntRange(0, 15).Draw(t, "steps in trouble") {
					w.doorIsShut = rapid.Bool().Draw(t, "door is shut")
					x.step(t, processes[x.chance.IntN(len(processes))])
					w.elapse(time.Duration(rapid.IntRange(0, 900).Draw(t, "between")) * time.Second)
				}
				x.calm, w.doorIsShut = true, false
				for n := 0; n < 110 && (n < 2 || w.wrong() != ""); n++ {
					w.elapse(30 * time.Minute)
					w.settled(t, processes[0])
				}
				if wrong := w.wrong(); wrong != "" {
					t.Fatal(wrong)
				}
				if w.hammered > 0 && len(processes) == 1 {
					t.Fatalf("%d requests came before they were welcome again", w.hammered)
				}
			})
		})
	}
}

// step takes one that may be killed at its beginning.
func (x *trouble) step(t *rapid.T, r *Runner) {
	before := len(x.requests)
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	if x.one(5) {
		stop()
	}
	_, err := r.Step(ctx)
	if err != nil && !errors.As(err, new(*APIError)) && !errors.Is(err, errAway) && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if n := len(x.requests) - before; n > requestsAtOnce {
		t.Fatalf("%d requests in a step", n)
	}
}

// Days of nothing but trouble, and a clock that jumps, leave no gap that three
// days of peace do not close.
func TestStripe_AnInterruptionOfDaysLeavesNoGap(t *testing.T) {
	t.Parallel()
	w := newWorld(Stripe)
	r := w.runner()
	w.settled(t, r)
	for range 250 {
		w.happens(0)
		w.elapse(10 * time.Minute)
	}
	w.skew = -60 * time.Hour // set back, to before the first pass
	w.elapse(3 * time.Hour)
	w.settled(t, r)
	require.Empty(t, w.wrong())
	require.Len(t, w.taken, 250)
	require.Equal(t, 250, w.found)
}
