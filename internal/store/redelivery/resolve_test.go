package redelivery

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

func TestResolve_D11_KeepsTheReason(t *testing.T) {
	t.Parallel()
	s, w := seeded(t)
	id := s.delivery(row{tenant: "acme", endpoint: s.endpoint("acme"), state: delivery.Dead})
	require.NoError(t, w.Resolve(t.Context(), id, "  told the customer by phone \n"))
	require.Equal(t, 1, s.count(`SELECT count(*) FROM malote.deliveries WHERE shard = $1 AND id = $2 AND state = 'resolved'
		AND reason = 'resolved_by_user' AND resolution = 'told the customer by phone' AND attempt_count = 7`, id.Shard(), id))
	require.ErrorIs(t, w.Resolve(t.Context(), id, "told the customer by phone"), ErrNotDead)
	require.Equal(t, []Refusal{NotReplayable}, refusals(s.replay(w, replayOf(id))))
}

func TestResolve_D11_OnlyDeadOnes(t *testing.T) {
	t.Parallel()
	s, w := seeded(t)
	endpoint := s.endpoint("acme")
	for _, state := range delivery.States {
		id := s.delivery(row{tenant: "acme", endpoint: endpoint, state: state})
		err := w.Resolve(t.Context(), id, "long enough a reason")
		if state == delivery.Dead {
			require.NoError(t, err)
			continue
		}
		require.ErrorIs(t, err, ErrNotDead, state)
		require.Equal(t, state, s.stateOf(id))
	}
	require.ErrorIs(t, w.Resolve(t.Context(), delivery.FloorID(time.Now()), "long enough a reason"), ErrNotFound)
}

func TestResolve_D11_ReasonOf10To1000Characters(t *testing.T) {
	t.Parallel()
	for reason, want := range map[string]error{
		"":                        ErrResolution,
		"123456789":               ErrResolution,
		"1234567890":              nil,
		"ããããããããã":               ErrResolution, // 9 characters, 18 bytes
		"ãããããããããã":              nil,
		"         x           ":   ErrResolution,
		strings.Repeat("ã", 1000): nil,
		strings.Repeat("ã", 1001): ErrResolution,
		"0123456789\x00":          ErrResolution,
		"0123456789\xff":          ErrResolution,
		strings.Repeat(" ", 1000) + strings.Repeat("x", 10): nil,
	} {
		_, err := resolution(reason)
		require.Equal(t, want, err, "%q", reason)
	}
}
