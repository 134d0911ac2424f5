package contractrun

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// spell is a bad time of an endpoint: it fails so often that its circuit opens,
// and is well when it is tried again.
type spell struct {
	scale    scale
	failures int           // in a row that open it
	pause    time.Duration // the first, as scaled
	probes   int           // that go out when the pause ends
}

// tooFew is how long a test waits for a request that must not come.
const tooFew = 300 * time.Millisecond

// require lives through a spell and holds it to the contract.
func (s spell) require(t *testing.T, r *run) {
	t.Helper()
	const path = "/spell"
	answer := make(chan struct{})
	parts := make([]http.Handler, s.failures, s.failures+1)
	for i := range parts {
		parts[i] = status(503)
	}
	url := r.script.play(path, inTurn(append(parts, answering204(answer))...))
	made := r.malote.on(t).makeEndpoint(url, r.malote.on(t).publishPolicy(r.contract.preset, "spell", s.scale), nil)
	spent := s.fail(t, r.malote.on(t), made)
	require.Len(t, r.script.to(path), s.failures)

	events := []published{spent}
	for range s.probes + 3 {
		events = append(events, r.malote.on(t).publish(made.ID))
	}
	require.Eventually(t, func() bool { return r.script.underWay(path) >= s.probes }, patience, 10*time.Millisecond)
	select {
	case <-t.Context().Done():
	case <-time.After(tooFew):
	}
	require.Equal(t, s.probes, r.script.underWay(path), "probes go out, and nothing else")
	requests := r.script.to(path)
	require.GreaterOrEqual(t, requests[s.failures].at.Sub(requests[s.failures-1].at), s.pause)
	close(answer)

	sent := 0
	for i, event := range events {
		became := r.malote.on(t).awaitOne(event)
		sent += became.AttemptCount
		if i > 0 {
			require.Equal(t, "delivered", became.State)
			require.Equal(t, 1, became.AttemptCount, "what waited out the pause spent no attempt")
		}
	}
	require.GreaterOrEqual(t, len(r.script.to(path)), sent)
	well := r.malote.on(t).endpoint(made.ID)
	require.Zero(t, well.ConsecutiveFailures)
	require.Zero(t, well.PausedUntil)
}

// fail publishes, one event after another, until the endpoint is paused, and
// gives the last of them.
func (s spell) fail(t *testing.T, m *malote, made endpoint) published {
	t.Helper()
	for {
		event := m.publish(made.ID)
		paused := false
		m.await("event="+event.ID, "paused or dead", func(list []delivery) bool {
			now := m.endpoint(made.ID)
			paused = !now.PausedUntil.IsZero()
			return paused || len(list) == 1 && !list[0].open()
		})
		if paused {
			require.Equal(t, s.failures, m.endpoint(made.ID).ConsecutiveFailures)
			return event
		}
	}
}

// answering204 answers when it may.
func answering204(may <-chan struct{}) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-may:
			w.WriteHeader(http.StatusNoContent)
		case <-r.Context().Done():
			panic(http.ErrAbortHandler)
		}
	})
}
