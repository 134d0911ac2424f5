package gaprepair

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
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
