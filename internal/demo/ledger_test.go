package demo

import (
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/demo/payload"
)

func TestLedger_TheFirstWordCounts(t *testing.T) {
	t.Parallel()
	l := newLedger()
	e := &event{tenant: "a", Payload: payload.Payload{Type: "x", Data: []byte("12")}, key: "k"}
	l.note(e, noon, receipt{ID: "evt_1", Deliveries: 2, Skipped: 1})
	l.note(e, noon.Add(-time.Second), receipt{ID: "evt_1", Duplicate: true})
	l.note(e, noon.Add(time.Second), receipt{ID: "evt_1", Duplicate: true})
	got := l.snapshot()["evt_1"]
	require.Equal(t, 3, got.promised, "a repeat's answer may speak of no deliveries")
	require.Equal(t, noon.Add(-time.Second), got.sentAt, "the clock runs from the first request")
	require.Equal(t, 2, l.repeats)
	require.EqualValues(t, 2, l.bytes)
	require.Empty(t, l.allFaults())

	l.note(&event{tenant: "a", key: "other"}, noon, receipt{ID: "evt_1"})
	require.Equal(t, TwoEvents, l.allFaults()[0].Kind)
}

// repeating publishes one event twice at once to a platform that gives the
// answers.
func repeating(t *testing.T, answers ...string) []Fault {
	var requests atomic.Int32
	c := serving(t, func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, answers[requests.Add(1)-1])
	})
	l := newLedger()
	publishers{client: c, ledger: l}.send(t.Context(), &parcel{events: []event{{key: "k", Payload: payload.Payload{Data: []byte("1")}}}, repeated: true})
	require.EqualValues(t, 2, requests.Load())
	return l.allFaults()
}

func TestPublishers_ARepeatMustBeRecognised(t *testing.T) {
	t.Parallel()
	require.Empty(t, repeating(t, `{"id":"1","duplicate":false}`, `{"id":"1","duplicate":true}`))
	require.Empty(t, repeating(t, `{"id":"1","duplicate":true}`, `{"id":"1","duplicate":true}`), "an answer may have been lost before")
	for name, answers := range map[string][]string{
		"two ids":  {`{"id":"1","duplicate":false}`, `{"id":"2","duplicate":true}`},
		"both new": {`{"id":"1","duplicate":false}`, `{"id":"1","duplicate":false}`},
	} {
		faults := repeating(t, answers...)
		require.Len(t, faults, 1, name)
		require.Equal(t, TwoEvents, faults[0].Kind)
	}
}
