package recovery

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/malotehq/malote/internal/delivery"
)

var now = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

func TestRequest_Checked(t *testing.T) {
	t.Parallel()
	yesterday, tomorrow := now.Add(-24*time.Hour), now.Add(24*time.Hour)
	for name, c := range map[string]struct {
		request Request
		want    Request
		err     error
	}{
		"skipped and dead by default": {
			Request{Since: yesterday},
			Request{Since: yesterday, States: []delivery.State{delivery.Skipped, delivery.Dead}}, nil,
		},
		"each state once, in one order": {
			Request{Since: yesterday, Until: now, States: []delivery.State{delivery.Discarded, delivery.Skipped, delivery.Discarded}},
			Request{Since: yesterday, Until: now, States: []delivery.State{delivery.Skipped, delivery.Discarded}}, nil,
		},
		"until tomorrow": {
			Request{Since: yesterday, Until: tomorrow, States: []delivery.State{delivery.Dead}},
			Request{Since: yesterday, Until: tomorrow, States: []delivery.State{delivery.Dead}}, nil,
		},
		"no since":         {Request{Until: now}, Request{}, ErrNoSince},
		"from now on":      {Request{Since: now}, Request{}, ErrFuture},
		"from tomorrow on": {Request{Since: tomorrow}, Request{}, ErrFuture},
		"no time at all":   {Request{Since: yesterday, Until: yesterday}, Request{}, ErrEmptyWindow},
		"backwards":        {Request{Since: yesterday, Until: yesterday.Add(-time.Hour)}, Request{}, ErrEmptyWindow},
	} {
		got, err := c.request.Checked(now)
		require.Equal(t, c.err, err, name)
		require.Equal(t, c.want, got, name)
	}
}

func TestRequest_OnlyWhatDidNotArriveAndNobodyDecidedAbout(t *testing.T) {
	t.Parallel()
	allowed := map[delivery.State]bool{delivery.Skipped: true, delivery.Dead: true, delivery.Discarded: true}
	rapid.Check(t, func(t *rapid.T) {
		states := rapid.SliceOfN(rapid.SampledFrom(append(delivery.States, "unheard-of")), 1, 5).Draw(t, "states")
		want := error(nil)
		for _, state := range states {
			if !allowed[state] {
				want = ErrState
			}
		}
		got, err := Request{Since: now.Add(-time.Hour), States: states}.Checked(now)
		require.Equal(t, want, err)
		if err == nil {
			require.Subset(t, got.States, states)
			require.Subset(t, states, got.States)
		}
	})
}
