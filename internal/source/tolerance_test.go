package source

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A window that is set is held to exactly where SignsTime says that it can be.
func TestSignsTime_IsWhereAWindowHolds(t *testing.T) {
	t.Parallel()
	for _, whole := range accepted(t) {
		provider, _ := Lookup(whole.Provider)
		r := whole.clone()
		r.Options.Window, r.Now = time.Second, time.Date(1960, 1, 1, 0, 0, 0, 0, time.UTC)
		v, _, _ := r.Verify()
		switch {
		case provider.Name == "linear" || provider.Name == "generic": // their records have none
			require.True(t, provider.SignsTime(), provider.Name)
		case provider.SignsTime():
			require.Equal(t, FromTheFuture, v.Reason, provider.Name)
		default:
			require.Equal(t, OK, v.Result, provider.Name)
		}
		r.Options.Window = NoWindow
		v, _, _ = r.Verify()
		require.Equal(t, OK, v.Result, provider.Name)
	}
}

func TestInTime_AnyTwoTimes(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_700_000_000, 999_999_999)
	for name, test := range map[string]struct {
		signed int64
		window time.Duration
		want   Reason
		skew   time.Duration
	}{
		"now":                   {1_700_000_000, time.Second, "", 0},
		"at the window's end":   {1_700_000_000 - 300, 5 * time.Minute, "", 0},
		"behind it":             {1_700_000_000 - 301, 5 * time.Minute, TooOld, 301 * time.Second},
		"at its beginning":      {1_700_000_000 + 300, 5 * time.Minute, "", 0},
		"before it":             {1_700_000_000 + 301, 5 * time.Minute, FromTheFuture, -301 * time.Second},
		"a part of a second":    {1_700_000_000 - 2, 1500 * time.Millisecond, TooOld, 2 * time.Second},
		"less than a second":    {1_700_000_000, time.Millisecond, "", 0},
		"a round of nanosecond": {1_700_000_000 - 18_446_744_074, 5 * time.Minute, TooOld, time.Duration(maxSkew) * time.Second},
		"two rounds ahead":      {1_700_000_000 + 2*18_446_744_074, 5 * time.Minute, FromTheFuture, -time.Duration(maxSkew) * time.Second},
		"the end of time":       {math.MaxInt64 / 1000, 5 * time.Minute, FromTheFuture, -time.Duration(maxSkew) * time.Second},
		"in a huge window":      {1_700_000_000 + maxSkew, math.MaxInt64, "", 0},
	} {
		c := &call{now: now, options: Options{Window: test.window}, provider: &Provider{}}
		refused := c.inTime(time.Unix(test.signed, 0))
		if test.want == "" {
			require.Nil(t, refused, name)
			continue
		}
		require.NotNil(t, refused, name)
		require.Equal(t, test.want, refused.reason, name)
		require.Equal(t, test.skew, refused.skew, name)
	}
}

func TestSNS_HoldsToATolerance(t *testing.T) {
	t.Parallel()
	published := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, kind := range []string{"Notification", "SubscriptionConfirmation"} {
		for _, test := range []struct {
			now    time.Time
			window time.Duration
			want   Reason
		}{
			{published.Add(time.Minute), time.Minute, ""},
			{published.Add(61 * time.Second), time.Minute, TooOld},
			{published.Add(-61 * time.Second), time.Minute, FromTheFuture},
			{published.Add(24 * time.Hour), 0, ""},
			{published.Add(24 * time.Hour), NoWindow, ""},
		} {
			options := Options{Window: test.window, Fetched: map[string][]byte{snsCert: certificateFor(t, "sns.amazonaws.com")}}
			v := verifyWith("aws_sns", snsTopic, Request{Method: "POST", Body: snsBody(t, kind, nil, nil)}, options, test.now)
			if test.want == "" {
				require.True(t, v.Accepted(), v.Explain())
				continue
			}
			require.Equal(t, test.want, v.Reason)
			require.Nil(t, v.Fetch, "nothing is confirmed")
		}
	}
	body := snsBody(t, "Notification", map[string]string{"Timestamp": "1704067200"}, nil)
	require.Equal(t, TimestampMalformed, verifySNSWith(t, "sns.amazonaws.com", body, published).Reason)
}
