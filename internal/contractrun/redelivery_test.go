package contractrun

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/store/pgtest"
)

// Sixteen attempts in little more than a second.
var hastyDracma = scale{schedule: 200_000, age: 200_000}

func TestDracma_D10_D11_DeadLettersByHand(t *testing.T) {
	t.Parallel()
	s := newScript(t)
	m := start(t, options(pgtest.DSN(t)))
	m.makeTenant()
	made := m.makeEndpoint(s.play("/old", status(401)), m.publishPolicy("dracma", "hasty", hastyDracma), nil)
	events := []published{m.publish(), m.publish()}
	var letters []delivery
	for _, event := range events {
		letters = append(letters, m.awaitOne(event))
		require.Equal(t, "too_old", letters[len(letters)-1].DeadReason)
	}
	before := letters[0].AttemptCount

	t.Run("D10 a new cycle", func(t *testing.T) {
		m := m.on(t)
		m.must(202, "POST", "/v1/webhook_deliveries/replay", map[string]any{"ids": []string{letters[0].ID}}, nil)
		again := m.awaitDelivery(letters[0].ID)
		require.Equal(t, "too_old", again.DeadReason)
		require.GreaterOrEqual(t, again.AttemptCount, before+16)
		require.Equal(t, "replay", again.Attempts[before].Trigger)
		before = again.AttemptCount
	})
	t.Run("D10 preview and the URL of the moment", func(t *testing.T) {
		m := m.on(t)
		url := s.play("/new", status(200))
		m.must(200, "PATCH", "/v1/webhook_endpoints/"+made.ID, map[string]any{"url": url}, nil)
		sent := len(s.to("/old"))
		var preview struct {
			Replayed bool
			Data     []struct{ ID, State, URL, Refusal string }
		}
		ask := map[string]any{"ids": []string{letters[0].ID}, "preview": true}
		m.must(200, "POST", "/v1/webhook_deliveries/replay", ask, &preview)
		require.False(t, preview.Replayed)
		require.Equal(t, []any{letters[0].ID, "dead", url, ""},
			[]any{preview.Data[0].ID, preview.Data[0].State, preview.Data[0].URL, preview.Data[0].Refusal})
		require.Equal(t, "dead", m.delivery(letters[0].ID).State)

		m.must(202, "POST", "/v1/webhook_deliveries/"+letters[0].ID+"/replay", nil, nil)
		became := m.awaitDelivery(letters[0].ID)
		require.Equal(t, []any{"delivered", before + 1}, []any{became.State, became.AttemptCount})
		require.Len(t, s.to("/old"), sent)
		require.Len(t, s.to("/new"), 1)
		requireSameEvent(t, s.to("/old"), s.to("/new")[0], events[0].ID)
		require.Equal(t, "webhook_delivery_not_replayable", m.refused(409, "POST", "/v1/webhook_deliveries/"+became.ID+"/replay", nil))
	})
	t.Run("D10 at most fifty", func(t *testing.T) {
		m := m.on(t)
		ids := make([]string, 51)
		for i := range ids {
			ids[i] = letters[1].ID
		}
		m.refused(400, "POST", "/v1/webhook_deliveries/replay", map[string]any{"ids": ids})
	})
	t.Run("D11 resolved", func(t *testing.T) { requireResolved(t, m.on(t), s, letters[1]) })
}

// requireSameEvent: what is sent again is the same event in the same bytes.
func requireSameEvent(t *testing.T, before []request, again request, event string) {
	t.Helper()
	require.Equal(t, event, again.header.Get("Dracma-Event-Id"))
	require.Equal(t, standardBody(event), string(again.body))
	for _, r := range before {
		require.Equal(t, again.body, r.body)
	}
}

func requireResolved(t *testing.T, m *malote, s *script, letter delivery) {
	t.Helper()
	path, sent := "/v1/webhook_deliveries/"+letter.ID+"/resolve", len(s.to("/new"))
	m.refused(400, "POST", path, map[string]any{"reason": "too short"})
	m.refused(400, "POST", path, map[string]any{"reason": strings.Repeat("a", 1001)})
	const reason = "Settled by phone with the customer."
	m.must(204, "POST", path, map[string]any{"reason": reason}, nil)
	became := m.delivery(letter.ID)
	require.Equal(t, []any{"resolved", reason, letter.AttemptCount}, []any{became.State, became.Resolution, became.AttemptCount})
	left, err := m.deliveries("state=dead")
	require.NoError(t, err)
	require.Empty(t, left, "it has left the list")
	require.Equal(t, "webhook_delivery_not_replayable", m.refused(409, "POST", "/v1/webhook_deliveries/"+letter.ID+"/replay", nil))
	require.Len(t, s.to("/new"), sent)
}

// A user stops an endpoint, discards what waits, and starts it again.
func TestRouta_R05_R07_StoppedByHand(t *testing.T) {
	t.Parallel()
	s := newScript(t)
	m := start(t, options(pgtest.DSN(t)))
	m.makeTenant()
	made := m.makeEndpoint(s.play("/hook", status(500)), "routa", nil) // the second attempt is a minute away
	waiting := m.publish()
	tried := func(list []delivery) bool {
		return len(list) == 1 && list[0].State == "pending" && list[0].AttemptCount == 1
	}
	pending := m.await("event="+waiting.ID, "tried once", tried)[0]
	replay := "/v1/webhook_deliveries/" + pending.ID + "/replay"
	require.Equal(t, "webhook_delivery_not_replayable", m.refused(409, "POST", replay, nil), "it is on its way")

	var stopped endpoint
	m.must(200, "POST", "/v1/webhook_endpoints/"+made.ID+"/disable", nil, &stopped)
	require.Equal(t, "disabled_by_user", stopped.Status)
	missed := m.publish()
	require.Equal(t, "endpoint_disabled", m.awaitOne(missed).SkipReason)
	require.True(t, tried([]delivery{m.delivery(pending.ID)}), "what is pending stays")

	var answer struct {
		Discarded int `json:"discarded_count"`
	}
	m.must(200, "POST", "/v1/webhook_endpoints/"+made.ID+"/discard", nil, &answer)
	require.Equal(t, 1, answer.Discarded)
	require.Equal(t, "discarded", m.delivery(pending.ID).State)
	require.Equal(t, "webhook_delivery_not_replayable", m.refused(409, "POST", replay, nil))

	s.play("/hook", status(200))
	var enabled endpoint
	m.must(200, "POST", "/v1/webhook_endpoints/"+made.ID+"/enable", nil, &enabled)
	require.Equal(t, "active", enabled.Status)
	require.Zero(t, *enabled.ReplayedCount, "nothing is dead")
	require.Equal(t, "delivered", m.awaitOne(m.publish()).State)
	require.Len(t, s.to("/hook"), 2, "neither the discarded nor the skipped one was sent")
}
