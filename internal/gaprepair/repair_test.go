package gaprepair

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/publish"
)

func TestRepair_CountsAndBringsIn(t *testing.T) {
	t.Parallel()
	for _, provider := range []string{Stripe, GitHub} {
		w := newWorld(provider)
		for n := range 300 {
			if one := w.happens(time.Duration(600-n) * time.Minute); n%2 == 0 {
				w.arrives(one)
			}
		}
		r := w.runner()
		since, until := noon.Add(-9*time.Hour), noon.Add(-6*time.Hour)
		report, err := r.Repair(t.Context(), w.source, since, until, true)
		require.NoError(t, err)
		require.Equal(t, Report{Listed: 181, Known: 91, Missing: 90}, report)
		require.Len(t, w.taken, 150)

		report, err = r.Repair(t.Context(), w.source, since, until, false)
		require.NoError(t, err)
		want := Report{Listed: 181, Known: 91, Missing: 90, Fed: 90}
		if provider == GitHub {
			want.Fed, want.Asked = 0, 90
		}
		require.Equal(t, want, report)
		require.Len(t, w.taken, 240)

		report, err = r.Repair(t.Context(), w.source, since, time.Time{}, false)
		require.NoError(t, err)
		require.Equal(t, 240, report.Listed)
		require.Equal(t, 30, report.Missing)
		require.Empty(t, w.positions, "passes know nothing of it")
	}
}

func TestRepair_Refusals(t *testing.T) {
	t.Parallel()
	w := newWorld(GitHub)
	r := w.runner()
	_, err := r.Repair(t.Context(), w.source, noon.Add(-71*time.Hour), time.Time{}, false)
	tooFar := new(TooFarBackError)
	require.ErrorAs(t, err, &tooFar)
	require.Equal(t, noon.Add(-70*time.Hour), tooFar.Earliest)
	require.Equal(t, tooFar.Earliest, r.Earliest(w.source))
	_, err = r.Repair(t.Context(), w.source, noon.Add(-time.Hour), noon.Add(-time.Hour), false)
	require.ErrorIs(t, err, ErrEmptySpan)
	require.Empty(t, w.requests)

	w.fault = func(*http.Request) *http.Response { return w.answer(429, http.Header{"Retry-After": {"77"}}, "") }
	_, err = r.Repair(t.Context(), w.source, noon.Add(-time.Hour), time.Time{}, false)
	failure := new(APIError)
	require.True(t, errors.As(err, &failure))
	require.Equal(t, APIError{Provider: GitHub, Reason: RateLimited, Status: 429, Wait: 77 * time.Second}, *failure)
	w.source.Token = ""
	_, err = r.Repair(t.Context(), w.source, noon.Add(-time.Hour), time.Time{}, false)
	require.ErrorAs(t, err, new(*SettingError))
}

// endless is a provider whose list has no end.
func endless(provider string, perPage int) func(*http.Request) *http.Response {
	page := 0
	return func(*http.Request) *http.Response {
		page++
		recorder := httptest.NewRecorder()
		recorder.Header().Set("Date", noon.Format(http.TimeFormat))
		items := make([]string, perPage)
		for i := range items {
			n, at := page*1_000_000+i, noon.Add(-time.Hour)
			items[i] = fmt.Sprintf(`{"id":"evt_%d","type":"a","created":%d}`, n, at.Unix())
			if provider == GitHub {
				items[i] = fmt.Sprintf(`{"id":%d,"guid":"g_%d","delivered_at":%q}`, n, n, at.Format(time.RFC3339))
			}
		}
		body := "[" + strings.Join(items, ",") + "]"
		if provider == Stripe {
			body = `{"object":"list","has_more":true,"data":` + body + "}"
		} else {
			recorder.Header().Set("Link", fmt.Sprintf(`<https://x.example/?cursor=c%d>; rel="next"`, page))
		}
		_, _ = recorder.WriteString(body)
		return recorder.Result()
	}
}

// Whoever answers for a provider must not say how much is done at once.
func TestRepair_APageOfMoreThanWasAskedForIsNone(t *testing.T) {
	t.Parallel()
	for _, provider := range []string{Stripe, GitHub} {
		for perPage, reason := range map[int]Reason{largestPage: "", largestPage + 1: Unreadable} {
			w := newWorld(provider)
			serve, requests := endless(provider, perPage), 0
			w.fault = func(r *http.Request) *http.Response {
				if requests++; requests > 1 {
					return w.answer(http.StatusBadGateway, nil, "")
				}
				return serve(r)
			}
			report, err := w.runner().Repair(t.Context(), w.source, noon.Add(-2*time.Hour), time.Time{}, true)
			failure := new(APIError)
			require.ErrorAs(t, err, &failure)
			if reason == Unreadable {
				require.Equal(t, Unreadable, failure.Reason, provider)
				require.Zero(t, report, provider)
			} else {
				require.Equal(t, Unavailable, failure.Reason, "the second page")
				require.Equal(t, largestPage, report.Missing, provider)
			}
		}
	}
	_, ok := readStripe([]byte(`{"object":"list","has_more":false,"data":[{"id":"a","type":"b","created":1},{"id":"b","type":"b","created":1}]}`), 1, nil)
	require.False(t, ok, "one was asked for")
}

func TestRepair_EndsHoweverLongTheListIs(t *testing.T) {
	t.Parallel()
	for _, provider := range []string{Stripe, GitHub} {
		w := newWorld(provider)
		w.fault = endless(provider, 1)
		report, err := w.runner().Repair(t.Context(), w.source, noon.Add(-2*time.Hour), time.Time{}, true)
		require.ErrorIs(t, err, ErrTooMuch)
		require.Len(t, w.requests, repairPages)
		require.Equal(t, repairPages, report.Missing, "it counts what was done")
	}
}

func TestRepair_TwoAtOnceAndOneOfASource(t *testing.T) {
	t.Parallel()
	w := newWorld(Stripe)
	r := w.runner()
	entered, leave := make(chan struct{}, 4), make(chan struct{})
	w.during = func(place string) {
		if place == "request" {
			entered <- struct{}{}
			select {
			case <-leave:
			case <-time.After(10 * time.Second): // whom nothing refused fails the test, and does not hang it
			}
		}
	}
	repair := func(id byte) error {
		source := w.source
		source.ID = delivery.ID{id}
		_, err := r.Repair(t.Context(), source, noon.Add(-time.Hour), time.Time{}, true)
		return err
	}
	results := make(chan error, 3)
	for id := range byte(2) {
		go func() { results <- repair(id + 1) }()
		<-entered
	}
	busy := new(BusyError)
	require.ErrorAs(t, repair(1), &busy)
	require.True(t, busy.Same)
	require.ErrorAs(t, repair(3), &busy)
	require.False(t, busy.Same)
	close(leave)
	for range 2 {
		require.NoError(t, <-results)
	}
	go func() { results <- repair(1) }()
	<-entered
	require.NoError(t, <-results, "whoever ended makes room")
}

// A page is never larger, but a transaction should not depend on that.
func TestFeed_AtMostAPageAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(Stripe)
	sizes := &publishSizes{world: w}
	r := w.runner()
	r.options.Publisher = sizes
	turn := r.newTurn(&w.source)
	missing := make([]item, 2*largestPage+50)
	for i := range missing {
		missing[i] = item{id: fmt.Sprint(i), key: fmt.Sprint(i), at: noon, kind: "a.b", body: []byte("{}")}
	}
	whole, err := turn.bring(t.Context(), missing)
	require.NoError(t, err)
	require.True(t, whole)
	require.Equal(t, []int{largestPage, largestPage, 50}, sizes.of)
	require.Equal(t, len(missing), turn.report.Fed)
}

type publishSizes struct {
	*world
	of []int
}

func (p *publishSizes) Publish(ctx context.Context, requests []publish.Request) ([]publish.Result, error) {
	p.of = append(p.of, len(requests))
	return p.world.Publish(ctx, requests)
}
