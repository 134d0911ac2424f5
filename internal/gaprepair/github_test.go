package gaprepair

import (
	"context"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestGitHub_AsksForWhatIsMissing(t *testing.T) {
	t.Parallel()
	w := newWorld(GitHub)
	for n := range 120 {
		if one := w.happens(time.Duration(300-n) * time.Minute); n%10 != 0 {
			w.arrives(one)
		}
	}
	rests := 0
	w.rest = func(_ context.Context, d time.Duration) error {
		rests++
		require.Equal(t, time.Second, d)
		return nil
	}
	w.settled(t, w.runner())
	require.Empty(t, w.wrong())
	require.Equal(t, 12, rests, "one after another")
	require.Equal(t, 12, w.found)
	require.Len(t, w.asks, 12)
	for _, r := range w.requests {
		require.Equal(t, "api.github.com", r.URL.Host, "whatever a link says, the token goes nowhere else")
		require.Equal(t, "application/vnd.github+json", r.Header.Get("Accept"))
	}
	for _, taken := range w.taken {
		require.Equal(t, "door", taken.how)
	}
	w.elapse(time.Hour)
	w.settled(t, w.runner())
	require.Len(t, w.requests, 2+12+2, "redeliveries are not missed, and nothing is asked for twice")
}

// More than one turn can ask for, one after another, in several turns.
func TestGitHub_GoesOnWithinAPage(t *testing.T) {
	t.Parallel()
	w := newWorld(GitHub)
	w.doorIsShut = true
	for n := range 90 {
		w.happens(time.Duration(300-n) * time.Minute)
	}
	r := w.runner()
	for turns := 1; ; turns++ {
		w.happens(0) // pushes the page on
		more, err := r.Step(t.Context())
		require.NoError(t, err)
		require.LessOrEqual(t, turns, 3)
		if !more {
			require.Equal(t, 3, turns)
			break
		}
	}
	require.Len(t, w.asks, 90)
	for key, n := range w.asks {
		require.Equal(t, 1, n, key)
	}
}

// The door stays shut: each delivery is asked for at its ages, and then given up.
func TestGitHub_AsksAFewTimesAndThenGivesUp(t *testing.T) {
	t.Parallel()
	w := newWorld(GitHub)
	w.doorIsShut = true
	one := w.happens(0)
	asked := []time.Duration{}
	for r := w.runner(); w.now.Before(noon.Add(80 * time.Hour)); w.elapse(time.Minute) {
		before := w.asks[one.key]
		w.settled(t, r)
		if w.asks[one.key] != before {
			asked = append(asked, w.now.Sub(noon))
		}
		if age := w.now.Sub(noon); age > time.Hour && age < givenUpAt {
			require.Equal(t, noon, w.positions[w.source.ID].CheckedAt, "the pass has not got past it")
		}
	}
	require.Len(t, asked, len(askedAt))
	for i, age := range askedAt {
		require.InDelta(t, age.Minutes(), asked[i].Minutes(), DefaultInterval.Minutes())
	}
	require.Equal(t, 1, w.found)
	givenUp := 0
	for _, report := range w.reports {
		givenUp += report.GivenUp
	}
	require.Equal(t, 1, givenUp)
	require.WithinDuration(t, w.now, w.positions[w.source.ID].CheckedAt, 10*time.Minute)
}

func TestGitHub_OneThatIsNotRepeatedKeepsNoOtherOut(t *testing.T) {
	t.Parallel()
	for _, status := range []int{404, 422} {
		w := newWorld(GitHub)
		w.happens(5 * time.Hour)
		odd := w.happens(4 * time.Hour)
		w.happens(3 * time.Hour)
		w.fault = func(r *http.Request) *http.Response {
			if r.Method == http.MethodPost && r.URL.Path == "/repos/octo/cat/hooks/7/deliveries/"+strconv.FormatInt(odd.id, 10)+"/attempts" {
				return w.answer(status, nil, "")
			}
			return nil
		}
		w.settled(t, w.runner())
		require.Len(t, w.taken, 2)
		require.Contains(t, w.positions[w.source.ID].LastError, "1 events could not")
		w.elapse(DefaultInterval)
		w.settled(t, w.runner())
		require.Equal(t, odd.at, w.positions[w.source.ID].CheckedAt, "the others are there, as was asked")
	}
}

// What the door's filter leaves out was answered with a 200 and has no key.
func TestGitHub_TrustsAnswersWhereTheDoorHasAFilter(t *testing.T) {
	t.Parallel()
	body := []byte(`[{"id":2,"guid":"b","delivered_at":"2026-03-02T11:00:00Z","redelivery":false,"status_code":503},
		{"id":1,"guid":"a","delivered_at":"2026-03-02T10:00:00Z","redelivery":false,"status_code":200}]`)
	for filtered, want := range map[bool][]bool{false: {false, false}, true: {false, true}} {
		page, ok := readGitHub(body, filtered)
		require.True(t, ok)
		require.Equal(t, want, []bool{page.items[0].skip, page.items[1].skip})
	}
}

// Others use the token too: what is left of the hour is theirs.
func TestGitHub_LeavesTheRestOfTheHourToOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(GitHub)
	w.happens(time.Hour)
	low := true
	w.fault = func(r *http.Request) *http.Response {
		if !low {
			return nil
		}
		answer := w.serve(r)
		answer.Header.Set("X-Ratelimit-Limit", "5000")
		answer.Header.Set("X-Ratelimit-Remaining", "249")
		answer.Header.Set("X-Ratelimit-Reset", strconv.FormatInt(noon.Add(20*time.Minute).Unix(), 10))
		return answer
	}
	w.settled(t, w.runner())
	require.Len(t, w.requests, 1, "nothing was asked for")
	require.Contains(t, w.positions[w.source.ID].LastError, "nearly all requests")
	low = false
	w.elapse(20*time.Minute - time.Second)
	w.settled(t, w.runner())
	require.Len(t, w.requests, 1)
	w.elapse(time.Second)
	w.settled(t, w.runner())
	require.Empty(t, w.wrong())
}

func TestNextCursor(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		links  []string
		cursor string
		ok     bool
	}{
		{nil, "", true},
		{[]string{`<https://api.github.com/x?per_page=2&cursor=v1_12>; rel="next"`}, "v1_12", true},
		{[]string{`<https://a/?cursor=1>; rel="prev", <https://a/?cursor=2>; rel="next", <https://a/?cursor=3>; rel=last`}, "2", true},
		{[]string{`<https://a/?cursor=1>; rel="prev"`, `<https://a/?cursor=a%2Cb>;REL=next`}, "a,b", true},
		{[]string{`<https://a/?cursor=1>; rel="first"`}, "", true},
		{[]string{`<https://a/?page=2>; rel="next"`}, "", false},
		{[]string{`<https://a/?cursor=2; rel="next"`}, "", false},
		{[]string{`<:%zz>; rel="next"`}, "", false},
		{[]string{`nothing`}, "", true},
	} {
		cursor, ok := nextCursor(test.links)
		require.Equal(t, test.cursor, cursor, test.links)
		require.Equal(t, test.ok, ok, test.links)
	}
}

func FuzzNextCursor(f *testing.F) {
	f.Add(`<https://a/?cursor=1>; rel="prev", <https://a/?cursor=2>; rel="next"`)
	f.Add(`<<>>;rel=next,<`)
	f.Fuzz(func(t *testing.T, header string) {
		if cursor, ok := nextCursor([]string{header}); !ok {
			require.Empty(t, cursor)
		}
	})
}

func FuzzReadGitHub(f *testing.F) {
	f.Add([]byte(`[{"id":12345678,"guid":"0b989ba4-242f-11e5-81e1-c7b6966d2516","delivered_at":"2019-06-03T00:57:16Z","redelivery":false}]`))
	f.Add([]byte(`[{"id":1.5}]`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, body []byte) {
		page, ok := readGitHub(body, false)
		for _, one := range page.items {
			require.True(t, ok)
			require.NotEmpty(t, one.key)
			require.NotEmpty(t, one.id)
		}
	})
}
