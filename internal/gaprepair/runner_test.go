package gaprepair

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/malotehq/malote/internal/delivery"
)

func TestSource_Check(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		provider string
		change   func(*Source)
		field    string // "": accepted
	}{
		"stripe":                 {Stripe, func(*Source) {}, ""},
		"stripe has no hook":     {Stripe, func(s *Source) { s.Hook = Hook{} }, ""},
		"github":                 {GitHub, func(*Source) {}, ""},
		"an organisation's":      {GitHub, func(s *Source) { s.Hook.Repository = "" }, ""},
		"another provider":       {"gitlab", func(*Source) {}, "provider"},
		"no token":               {Stripe, func(s *Source) { s.Token = "" }, "token"},
		"a token with a line":    {Stripe, func(s *Source) { s.Token = "a\nb" }, "token"},
		"no owner":               {GitHub, func(s *Source) { s.Hook.Owner = "" }, "hook"},
		"an owner that climbs":   {GitHub, func(s *Source) { s.Hook.Owner = ".." }, "hook"},
		"a repository with path": {GitHub, func(s *Source) { s.Hook.Repository = "a/b" }, "hook"},
		"a repository's climb":   {GitHub, func(s *Source) { s.Hook.Repository = ".." }, "hook"},
		"no number":              {GitHub, func(s *Source) { s.Hook.ID = 0 }, "hook"},
		"an address":             {GitHub, func(s *Source) { s.BaseURL = "https://git.example/api/v3" }, ""},
		"this machine":           {Stripe, func(s *Source) { s.BaseURL = "http://127.0.0.1:8080" }, ""},
		"in the clear":           {Stripe, func(s *Source) { s.BaseURL = "http://api.stripe.com" }, "base_url"},
		"a slash at the end":     {Stripe, func(s *Source) { s.BaseURL = "https://api.stripe.com/" }, "base_url"},
		"a query":                {Stripe, func(s *Source) { s.BaseURL = "https://api.stripe.com?a=b" }, "base_url"},
		"a user":                 {Stripe, func(s *Source) { s.BaseURL = "https://a:b@api.stripe.com" }, "base_url"},
		"no address":             {Stripe, func(s *Source) { s.BaseURL = "api.stripe.com" }, "base_url"},
	} {
		s := newWorld(test.provider).source
		test.change(&s)
		err := s.Check()
		if test.field == "" {
			require.NoError(t, err, name)
			continue
		}
		setting := new(SettingError)
		require.ErrorAs(t, err, &setting, name)
		require.Equal(t, test.field, setting.Field, name)
	}
	require.Equal(t, "/orgs/octo/hooks/7", Hook{Owner: "octo", ID: 7}.path())
}

func TestRunner_ASourceThatIsNoUseIsTold(t *testing.T) {
	t.Parallel()
	w := newWorld(GitHub)
	w.source.Hook.ID = 0
	_, err := w.runner().Step(t.Context())
	require.ErrorAs(t, err, new(*SettingError))
	require.Contains(t, w.positions[w.source.ID].LastError, "hook must have")
	_, err = w.runner().Step(t.Context())
	require.NoError(t, err, "not at every step")
	require.Empty(t, w.requests)
}

// Whatever goes wrong, nobody reads the token, or what the provider wrote.
func TestRunner_NobodyIsToldTheToken(t *testing.T) {
	t.Parallel()
	for _, provider := range []string{Stripe, GitHub} {
		for status := range 12 {
			w := newWorld(provider)
			w.happens(time.Hour)
			w.fault = func(*http.Request) *http.Response {
				return w.answer(100*(status/2)+status%2+200, http.Header{"Location": {"https://a/" + secretToken}}, secretToken)
			}
			w.lost = func(*http.Request) bool { return status%2 == 0 }
			var log bytes.Buffer
			r := w.runner()
			r.options.Log = slog.New(slog.NewJSONHandler(&log, nil))
			_, err := r.Step(t.Context())
			r.options.Log.Info("a source", "source", w.source, "token", w.source.Token, "error", err)
			shown, _ := json.Marshal(w.source)
			for _, text := range []string{
				fmt.Sprint(err), log.String(), fmt.Sprintf("%v %+v %#v", w.source, w.source, w.source), string(shown),
				w.positions[w.source.ID].LastError, w.positions[w.source.ID].State,
			} {
				require.NotContains(t, text, secretToken)
			}
		}
	}
}

func TestRunner_FollowsNoRedirect(t *testing.T) {
	t.Parallel()
	w := newWorld(Stripe)
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("somebody else got the token") }))
	t.Cleanup(elsewhere.Close)
	api := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect))
	t.Cleanup(api.Close)
	w.source.BaseURL = api.URL
	r := w.runner()
	r.options.Client = api.Client()
	_, err := r.Step(t.Context())
	failure := new(APIError)
	require.ErrorAs(t, err, &failure)
	require.Equal(t, Moved, failure.Reason)
}

// Over a real connection: an answer in pieces, and one that does not end.
func TestRunner_OverARealConnection(t *testing.T) {
	t.Parallel()
	w := newWorld(Stripe)
	for n := range 130 {
		w.happens(time.Duration(200-n) * time.Minute)
	}
	hang := make(chan struct{})
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	tries := 0
	api := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		tries++
		r.URL.Host = "api.stripe.com"
		answer := w.serve(r)
		rw.Header().Set("Date", answer.Header.Get("Date"))
		var body bytes.Buffer
		_, _ = body.ReadFrom(answer.Body)
		for n := 0; body.Len() > 0; n++ {
			_, _ = rw.Write(body.Next(1000))
			_ = http.NewResponseController(rw).Flush()
			if tries == 2 && n == 3 {
				stop()
				<-hang
				return
			}
		}
	}))
	t.Cleanup(api.Close)
	t.Cleanup(func() { close(hang) })
	w.source.BaseURL = api.URL
	r := w.runner()
	r.options.Client = api.Client()
	_, err := r.Step(ctx)
	require.ErrorIs(t, err, context.Canceled)
	require.Len(t, w.taken, 100, "the first page is done")
	w.settled(t, r)
	require.Empty(t, w.wrong())
	require.Equal(t, 3, tries, "and not asked for again")
}

func TestRunner_RestsAfterFailures(t *testing.T) {
	t.Parallel()
	for status, want := range map[int][]time.Duration{
		500: {30 * time.Second, time.Minute, 2 * time.Minute, 4 * time.Minute, 8 * time.Minute, 16 * time.Minute, 30 * time.Minute, 30 * time.Minute},
		401: {30 * time.Minute, 30 * time.Minute},
		429: {time.Minute, time.Minute, 2 * time.Minute},
	} {
		w := newWorld(Stripe)
		w.fault = func(*http.Request) *http.Response { return w.answer(status, nil, "") }
		r := w.runner()
		r.options.Random = func() float64 { return 0 }
		for i, pause := range want {
			_, err := r.Step(t.Context())
			require.Error(t, err)
			w.elapse(pause - time.Second)
			w.settled(t, r)
			require.Len(t, w.requests, i+1, "status %d", status)
			w.elapse(time.Second)
		}
		require.NotEmpty(t, w.positions[w.source.ID].LastError)
		w.fault = nil
		w.settled(t, r)
		require.Empty(t, w.positions[w.source.ID].LastError)
	}
}

func TestPauseAfter_IsBounded(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		wait := time.Duration(rapid.Int64Range(0, int64(longestPause)).Draw(t, "wait"))
		failure := &APIError{Reason: rapid.SampledFrom([]Reason{Unreachable, RateLimited, Moved}).Draw(t, "reason"), Wait: wait}
		pause := pauseAfter(rapid.IntRange(0, 1_000_000).Draw(t, "failures"), failure, rapid.Float64Range(0, 0.999).Draw(t, "random"))
		require.GreaterOrEqual(t, pause, max(wait, shortestPause))
		require.LessOrEqual(t, pause, longestPause)
	})
}

// However passes follow each other, every age is passed in just one of them.
func TestPlan_EveryAgeInJustOnePass(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		last, began := time.Time{}, noon.Add(time.Duration(rapid.IntRange(-100, 3600).Draw(t, "first"))*time.Second)
		firsts, ends, asks := 0, 0, 0
		for range 40 {
			todo := plan(noon, last, began)
			require.Equal(t, began.Sub(noon) < givenUpAt, todo.await)
			require.False(t, todo.first && !todo.now)
			firsts, ends, asks = firsts+count(todo.first), ends+count(todo.givenUp), asks+count(todo.now)
			last, began = began, began.Add(time.Duration(rapid.IntRange(1, 5*3600).Draw(t, "apart"))*time.Second)
		}
		if last.Sub(noon) >= givenUpAt {
			require.Equal(t, 1, ends)
		}
		if last.Sub(noon) >= settle {
			require.Equal(t, 1, firsts)
			require.GreaterOrEqual(t, asks, 1)
		}
		require.LessOrEqual(t, asks, len(askedAt))
	})
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}

// several are Sources.
type several []Source

func (s several) Repairable(context.Context) ([]Source, error) { return s, nil }

func TestRunner_AFailingSourceHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	w := newWorld(Stripe)
	w.happens(time.Hour)
	bad := w.source
	bad.ID, bad.Token = delivery.ID{0, 1}, "another"
	r := w.runner()
	r.options.Sources = several{bad, w.source}
	more, err := r.Step(t.Context())
	require.False(t, more)
	failure := new(APIError)
	require.ErrorAs(t, err, &failure)
	require.Equal(t, Unauthorized, failure.Reason)
	require.ErrorContains(t, err, bad.shown())
	require.Len(t, w.taken, 1)
}

// A secret that cannot be opened is told, and holds up no other source either.
func TestRunner_ASourceThatCannotBeListedHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	w := newWorld(Stripe)
	w.happens(time.Hour)
	r := w.runner()
	r.options.Sources = partly{w}
	_, err := r.Step(t.Context())
	require.ErrorIs(t, err, errAway)
	require.Len(t, w.taken, 1)
}

type partly struct{ *world }

func (p partly) Repairable(context.Context) ([]Source, error) { return []Source{p.source}, errAway }

func TestRunner_AsksNoProviderWithoutADatabase(t *testing.T) {
	t.Parallel()
	for _, place := range []string{"sources", "load"} {
		w := newWorld(Stripe)
		w.database = func(at string) error {
			if at == place {
				return errAway
			}
			return nil
		}
		_, err := w.runner().Step(t.Context())
		require.ErrorIs(t, err, errAway)
		require.Empty(t, w.requests)
	}
}

// The database goes away between a provider's "not now" and the note of it.
func TestRunner_LeavesAProviderAloneAlsoWithoutADatabase(t *testing.T) {
	t.Parallel()
	w := newWorld(Stripe)
	w.happens(time.Hour)
	w.fault = func(*http.Request) *http.Response { return w.answer(429, http.Header{"Retry-After": {"600"}}, "") }
	w.database = func(place string) error {
		if place == "save" {
			return errAway
		}
		return nil
	}
	r := w.runner()
	_, err := r.Step(t.Context())
	require.ErrorIs(t, err, errAway)
	w.elapse(599 * time.Second)
	w.settled(t, r)
	require.Len(t, w.requests, 1)
	w.fault, w.database = nil, nil
	w.elapse(5 * time.Minute)
	w.settled(t, r)
	require.Empty(t, w.wrong())
	require.Empty(t, r.unsaved)
}

func TestFault(t *testing.T) {
	t.Parallel()
	in := func(d time.Duration) string { return fmt.Sprint(noon.Add(d).Unix()) }
	for _, test := range []struct {
		status int
		header map[string]string
		reason Reason
		wait   time.Duration
	}{
		{403, nil, Forbidden, 0},
		{403, map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": in(20 * time.Minute)}, RateLimited, 20 * time.Minute},
		{403, map[string]string{"X-RateLimit-Remaining": "9", "X-RateLimit-Reset": in(20 * time.Minute)}, Forbidden, 0},
		{403, map[string]string{"Retry-After": "120"}, RateLimited, 2 * time.Minute},
		{429, nil, RateLimited, time.Minute},
		{429, map[string]string{"Retry-After": "5"}, RateLimited, time.Minute},
		{429, map[string]string{"Retry-After": "99999999"}, RateLimited, longestPause},
		{429, map[string]string{"Retry-After": "-1"}, RateLimited, time.Minute},
		{429, map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": in(-time.Hour)}, RateLimited, time.Minute},
		{429, map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": in(48 * time.Hour)}, RateLimited, longestPause},
		{503, map[string]string{"Retry-After": noon.Add(3 * time.Minute).Format(http.TimeFormat)}, Unavailable, 3 * time.Minute},
		{503, map[string]string{"Retry-After": noon.Add(-time.Minute).Format(http.TimeFormat)}, Unavailable, 0},
		{401, nil, Unauthorized, 0}, {404, nil, NotFound, 0}, {410, nil, NotFound, 0}, {301, nil, Moved, 0},
		{400, nil, Rejected, 0}, {422, nil, Rejected, 0}, {500, nil, Unavailable, 0}, {101, nil, Unavailable, 0},
	} {
		header := http.Header{}
		for name, value := range test.header {
			header.Set(name, value)
		}
		failure := fault(GitHub, test.status, header, noon)
		require.Equal(t, &APIError{Provider: GitHub, Reason: test.reason, Status: test.status, Wait: test.wait}, failure)
		require.Contains(t, failure.Error(), explanations[test.reason])
	}
	require.Len(t, explanations, 10)
}

func TestRunner_WaitsAsLongAsItSays(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	require.NoError(t, wait(ctx, time.Nanosecond))
	stop()
	require.ErrorIs(t, wait(ctx, time.Hour), context.Canceled)
}
