package contractrun

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/store/pgtest"
)

// What an operator does in front of a panel or with the command line, which ask
// the same questions: what of this endpoint is dead and why, how did that go, and
// send it again.
func TestFairQueue_F08_F18_SeenAndSentAgain(t *testing.T) {
	t.Parallel()
	s := newScript(t)
	m := start(t, options(pgtest.DSN(t)))
	m.makeTenant()
	hasty := m.publishPolicy("fair-queue", "hasty", scale{schedule: 1_000_000, circuit: 60})
	made := m.makeEndpoint(s.play("/shop", inTurn(status(200), saying(413, "too much"), status(503))), hasty, nil)
	for range 3 {
		m.awaitOne(m.publish())
	}

	dead := m.deliveriesTo(made.ID, "state=dead")
	require.Len(t, dead, 2, "the newest first, and not what was delivered")
	exhausted, refused := dead[0], dead[1]
	require.Equal(t, []any{"attempts_exhausted", 20, 503, failing},
		[]any{exhausted.DeadReason, exhausted.AttemptCount, exhausted.LastStatus, exhausted.LastError})
	require.Equal(t, []any{"too_large", 1, 413, failing},
		[]any{refused.DeadReason, refused.AttemptCount, refused.LastStatus, refused.LastError})

	shown := m.delivery(exhausted.ID)
	require.Len(t, shown.Attempts, 20)
	for i, a := range shown.Attempts {
		require.Equal(t, []any{i + 1, 503, failing}, []any{a.Number, a.Status, a.ErrorCode})
		require.NotEmpty(t, a.Error)
	}

	// It leaves that state by a resend alone (F08): not by the endpoint's recovery.
	s.play("/shop", status(200))
	require.Equal(t, "delivered", m.awaitOne(m.publish()).State)
	require.Equal(t, "dead", m.delivery(exhausted.ID).State)
	sent := s.to("/shop")

	m.must(202, "POST", "/v1/webhook_deliveries/"+exhausted.ID+"/replay", nil, nil)
	became := m.awaitDelivery(exhausted.ID)
	require.Equal(t, []any{"delivered", 21, 200, ""}, []any{became.State, became.AttemptCount, became.LastStatus, became.LastError})
	again := s.to("/shop")[len(sent):]
	require.Len(t, again, 1)
	require.Equal(t, exhausted.EventID, again[0].header.Get("webhook-id"))
	left, err := m.deliveries("state=dead")
	require.NoError(t, err)
	require.Len(t, left, 1)
	require.Equal(t, refused.ID, left[0].ID)
}
