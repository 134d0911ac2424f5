package contractrun

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Each point is met a few times: what is held is exact, what the system does
// around it is not.
const rounds = 3

var onceOnly = map[string]any{"at_most_once": true}

// interrupted is how an at-most-once delivery ends of which nobody knows whether
// it was sent.
func requireInterrupted(t *testing.T, became delivery) {
	t.Helper()
	require.Equal(t, []any{"dead", "interrupted", 1}, []any{became.State, became.DeadReason, became.AttemptCount})
	require.Len(t, became.Attempts, 1)
	require.Equal(t, "interrupted", became.Attempts[0].ErrorCode)
}

func requireDelivered(t *testing.T, became delivery, attempts int) {
	t.Helper()
	require.Equal(t, []any{"delivered", "", attempts}, []any{became.State, became.DeadReason, became.AttemptCount})
}

// Nothing was claimed, so that the next worker claims it.
func TestAxxos_A06_KilledBeforeItsClaimCommits(t *testing.T) {
	t.Parallel()
	c := newCrash(t)
	made := c.api.makeEndpoint(c.script.play("/once", status(200)), "axxos", onceOnly)
	for round := range rounds {
		h := holdAt(t, c.dsn, beforeClaimed)
		kill := c.worker()
		event := c.api.publish(made.ID)
		h.await()
		kill()
		h.letGo()
		requireDelivered(t, c.survive(event), 1)
		require.Len(t, c.script.to("/once"), round+1)
	}
}

// The claim holds, but its worker never learnt of it, or not what it was for.
func TestAxxos_A06_KilledBeforeItKnowsItsClaim(t *testing.T) {
	t.Parallel()
	c := newCrash(t)
	made := c.api.makeEndpoint(c.script.play("/once", status(200)), "axxos", onceOnly)
	for range rounds {
		h := holdAt(t, c.dsn, whileClaimCommits)
		kill := c.worker()
		event := c.api.publish(made.ID)
		h.await()
		kill()
		h.letGo()
		requireInterrupted(t, c.survive(event))

		event = c.api.publish(made.ID)
		h = holdEvents(t, c.dsn)
		kill = c.worker()
		c.awaitClaimed()
		h.await()
		kill()
		h.abort()
		requireInterrupted(t, c.survive(event))
	}
	require.Empty(t, c.script.to("/once"))
}

// The claim holds and nothing was sent, which nobody can know.
func TestAxxos_A06_KilledBeforeItsRequestIsWritten(t *testing.T) {
	t.Parallel()
	c := newCrash(t)
	receiver := newMute(t)
	made := c.api.makeEndpoint(receiver.url, "axxos", onceOnly)
	for round := range rounds {
		kill := c.worker()
		event := c.api.publish(made.ID)
		<-receiver.arrived
		kill()
		requireInterrupted(t, c.survive(event))
		require.EqualValues(t, round+1, receiver.count.Load(), "not even another connection")
	}
}

// The request was received, and no outcome was recorded.
func TestAxxos_A06_KilledBeforeItRecords(t *testing.T) {
	t.Parallel()
	c := newCrash(t)
	arrived := make(chan struct{}, 100)
	made := c.api.makeEndpoint(c.script.play("/once", held(arrived)), "axxos", onceOnly)
	for round := range rounds {
		kill := c.worker()
		event := c.api.publish(made.ID)
		<-arrived
		kill()
		requireInterrupted(t, c.survive(event))
		require.Len(t, c.script.to("/once"), round+1)
	}
}

// The request was answered, and the outcome is being recorded: the record holds
// or it does not.
func TestAxxos_A06_KilledWhileItRecords(t *testing.T) {
	t.Parallel()
	c := newCrash(t)
	made := c.api.makeEndpoint(c.script.play("/once", status(200)), "axxos", onceOnly)
	for round := range rounds {
		for i, holds := range []bool{true, false} {
			h := holdAt(t, c.dsn, whileRecordCommits)
			kill := c.worker()
			event := c.api.publish(made.ID)
			h.await()
			kill()
			if holds {
				h.letGo()
				requireDelivered(t, c.survive(event), 1)
			} else {
				h.abort()
				requireInterrupted(t, c.survive(event))
			}
			require.Len(t, c.script.to("/once"), 2*round+i+1)
		}
	}
}

// Without at-most-once, the same death has the same event sent a second time:
// what the tests above see is the option's doing.
func TestFairQueue_F12_KilledBeforeItRecords(t *testing.T) {
	t.Parallel()
	c := newCrash(t)
	arrived := make(chan struct{}, 100)
	made := c.api.makeEndpoint(c.script.play("/hook", held(arrived)), "fair-queue", nil)
	kill := c.worker()
	event := c.api.publish(made.ID)
	<-arrived
	kill()
	c.script.play("/hook", status(200))
	became := c.survive(event)
	requireDelivered(t, became, 2)
	require.Equal(t, "interrupted", became.Attempts[0].ErrorCode)
	requests := c.script.to("/hook")
	require.Len(t, requests, 2)
	for _, got := range requests {
		require.Equal(t, event.ID, got.header.Get("webhook-id"))
		require.Equal(t, requests[0].body, got.body)
	}
}
