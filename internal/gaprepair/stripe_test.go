package gaprepair

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/publish"
	"github.com/malotehq/malote/internal/source"
)

func TestStripe_FeedsWhatIsMissingWithItsExactBytes(t *testing.T) {
	t.Parallel()
	w := newWorld(Stripe)
	for n := range 250 {
		one := w.happens(time.Duration(300-n) * time.Minute)
		if n%3 == 0 {
			w.arrives(one)
		}
	}
	young := w.happens(time.Minute) // it may be on its way
	w.settled(t, w.runner())
	require.Empty(t, w.wrong())
	require.Equal(t, 166, w.found)
	require.Len(t, w.requests, 3)
	require.NotContains(t, w.taken, young.key)
	require.Equal(t, noon.Add(-settle), w.positions[w.source.ID].CheckedAt)
	require.Empty(t, w.positions[w.source.ID].LastError)

	w.elapse(DefaultInterval - time.Second)
	w.settled(t, w.runner())
	require.Len(t, w.requests, 3, "not before its interval")
	w.elapse(time.Second)
	w.settled(t, w.runner())
	require.Len(t, w.requests, 4)
	require.Equal(t, fmt.Sprint(noon.Add(-settle-overlap).Unix()), w.requests[3].URL.Query().Get("created[gte]"))
	require.Equal(t, "list", w.taken[young.key].how)
	require.Equal(t, young.body, w.taken[young.key].body)
}

func TestStripe_FindsWhatIsListedLate(t *testing.T) {
	t.Parallel()
	w := newWorld(Stripe)
	w.settled(t, w.runner())
	w.happens(20 * time.Minute)
	w.elapse(DefaultInterval)
	w.settled(t, w.runner())
	require.Len(t, w.taken, 1)
}

// The door and this package must know an event by the same key, or it comes twice.
func TestStripe_G01_TheDoorKnowsItByTheSameKey(t *testing.T) {
	t.Parallel()
	one := newWorld(Stripe).happens(0)
	page, ok := readStripe([]byte(`{"object":"list","has_more":false,"data":[`+one.body+`]}`), largestPage, nil)
	require.True(t, ok)

	provider, _ := source.Lookup(Stripe)
	mac := hmac.New(sha256.New, []byte("whsec_x"))
	fmt.Fprintf(mac, "%d.%s", noon.Unix(), one.body)
	verdict := provider.Verify(source.Request{Method: "POST", Body: []byte(one.body), Header: source.Header{
		{Name: "Stripe-Signature", Value: fmt.Sprintf("t=%d,v1=%s", noon.Unix(), hex.EncodeToString(mac.Sum(nil)))},
	}}, []source.Secret{{Name: "a", Value: "whsec_x"}}, source.Options{}, noon)
	require.Equal(t, source.OK, verdict.Result, verdict.Explain())
	require.Equal(t, []source.Item{{
		ID: page.items[0].id, Type: page.items[0].kind, Dedupe: page.items[0].key, Body: page.items[0].body,
	}}, verdict.Items)
}

// An event whose key is forgotten would come in a second time.
func TestStripe_G01_NeverLooksFurtherBackThanTheKeysReach(t *testing.T) {
	t.Parallel()
	for _, skew := range []time.Duration{0, -48 * time.Hour, 48 * time.Hour} {
		w := newWorld(Stripe)
		w.skew = skew
		for range 220 {
			w.arrives(w.happens(0))
			w.elapse(time.Hour)
		}
		w.settled(t, w.runner())
		require.Zero(t, w.found, skew)
		for key, taken := range w.taken {
			require.Equal(t, 1, taken.times, key)
		}
	}
}

// A pass that rested for days on its second page goes on where the keys still reach.
func TestStripe_G01_AnInterruptedPassForgetsWhatGotTooOld(t *testing.T) {
	t.Parallel()
	w := newWorld(Stripe)
	for n := range 150 {
		w.arrives(w.happens(time.Duration(150-n) * time.Minute))
	}
	pages := 0
	w.fault = func(*http.Request) *http.Response {
		if pages++; pages == 2 {
			return w.answer(500, nil, "")
		}
		return nil
	}
	_, err := w.runner().Step(t.Context())
	require.ErrorContains(t, err, "stripe's API: it has trouble of its own (status 500)")
	w.elapse(keysKept + time.Hour)
	w.settled(t, w.runner())
	require.Zero(t, w.found)
}

func TestStripe_ComparesNothingFromBeforeTheSource(t *testing.T) {
	t.Parallel()
	w := newWorld(Stripe)
	w.source.Since = noon.Add(-time.Hour)
	before, since := w.happens(61*time.Minute), w.happens(59*time.Minute)
	w.settled(t, w.runner())
	require.NotContains(t, w.taken, before.key)
	require.Contains(t, w.taken, since.key)
}

func TestStripe_AsksForItsTypes(t *testing.T) {
	t.Parallel()
	w := newWorld(Stripe)
	paid, other := w.happens(time.Hour), w.happens(time.Hour)
	other.body = strings.Replace(other.body, "invoice.paid", "charge.failed", 1)
	w.source.Types = []string{"invoice.paid", "plan.created"}
	w.settled(t, w.runner())
	require.Contains(t, w.taken, paid.key)
	require.NotContains(t, w.taken, other.key, "though the stand-in lists it")
	require.Equal(t, w.source.Types, w.requests[0].URL.Query()["types[]"])

	for n := range maxTypesAsked {
		w.source.Types = append(w.source.Types, fmt.Sprint("x.", n))
	}
	w.elapse(time.Hour)
	w.settled(t, w.runner())
	require.Empty(t, w.requests[1].URL.Query()["types[]"], "more than Stripe takes")
}

func TestStripe_OneThatCannotBeTakenKeepsNoOtherOut(t *testing.T) {
	t.Parallel()
	w := newWorld(Stripe)
	for n := range 30 {
		if one := w.happens(time.Hour); n%10 == 3 {
			one.body = strings.Replace(one.body, "invoice.paid", "in voice", 1)
		}
	}
	w.settled(t, w.runner())
	require.Len(t, w.taken, 27)
	require.Equal(t, Report{Listed: 30, Missing: 30, Fed: 27, Refused: 3}, w.reports[0])
	require.Contains(t, w.positions[w.source.ID].LastError, "3 events could not be brought in")
}

func TestStripe_GivesItTheDoorsShape(t *testing.T) {
	t.Parallel()
	w := newWorld(Stripe)
	taken, left := w.happens(time.Hour), w.happens(2*time.Hour)
	w.source.Shape = func(r *publish.Request) bool {
		r.Type = "stripe.event"
		return r.ExternalID != left.key
	}
	w.settled(t, w.runner())
	require.Len(t, w.taken, 1)
	require.Equal(t, "stripe.event", w.taken[taken.key].kind)
	require.Equal(t, Report{Listed: 2, Missing: 2, Filtered: 1, Fed: 1}, w.reports[0])
	require.Empty(t, w.positions[w.source.ID].LastError)
}

func TestStripe_TakesSmallerPagesWhereTheyAreLarge(t *testing.T) {
	t.Parallel()
	w := newWorld(Stripe)
	large := `,"pad":"` + strings.Repeat("x", 700) + `"}`
	for n := range 25 {
		one := w.happens(time.Duration(60-n) * time.Minute)
		one.body = strings.TrimSuffix(one.body, "}") + large
	}
	r := w.runner()
	r.maxAnswer = 10_000
	w.settled(t, r)
	require.Empty(t, w.wrong())
	require.Len(t, w.requests, 5, "a hundred are too many, twice")
}

func TestStripe_DropsACursorThatIsNotThereAnyMore(t *testing.T) {
	t.Parallel()
	w := newWorld(Stripe)
	for n := range 150 {
		w.happens(time.Duration(300-n) * time.Minute)
	}
	gone := 0
	w.fault = func(r *http.Request) *http.Response {
		if r.URL.Query().Get("starting_after") != "" && gone < cursorTries {
			gone++
			return w.answer(400, nil, "")
		}
		return nil
	}
	for range cursorTries {
		_, err := w.runner().Step(t.Context())
		require.Error(t, err)
		w.elapse(time.Hour)
	}
	w.settled(t, w.runner())
	require.Empty(t, w.wrong())
	require.Equal(t, "", w.requests[len(w.requests)-2].URL.Query().Get("starting_after"), "from the top again")
}

func TestStripe_AListInCirclesEnds(t *testing.T) {
	t.Parallel()
	w := newWorld(Stripe)
	body := `{"object":"list","has_more":true,"data":[` + w.happens(time.Hour).body + `]}`
	w.fault = func(*http.Request) *http.Response { return w.answer(200, nil, body) }
	_, err := w.runner().Step(t.Context())
	require.ErrorContains(t, err, "not of the documented form")
	require.Len(t, w.requests, 2)
}

func FuzzReadStripe(f *testing.F) {
	f.Add([]byte(`{"object":"list","data":[{"id":"evt_1","type":"a.b","created":1, "x":"\u0000\ud800"}],"has_more":true}`))
	f.Add([]byte(`{"object":"list","data":[ {"created":17e0,"id":"a","type":"b"} , {"id":1} ],"has_more":false}`))
	f.Add([]byte(`{"object":"list","data":null,"has_more":true}`))
	f.Add([]byte("{\"object\":\"list\",\"data\":[{\"id\":\"\xff\",\"type\":\"\",\"created\":9}],\"has_more\":false}"))
	f.Fuzz(func(t *testing.T, body []byte) {
		page, ok := readStripe(body, largestPage, nil)
		if !ok {
			return
		}
		rest := body
		for _, one := range page.items {
			at := bytes.Index(rest, one.body)
			require.GreaterOrEqual(t, at, 0, "bytes that were not there, or not in this order")
			rest = rest[at+len(one.body):]
			require.NotEmpty(t, one.key)
		}
	})
}
