package policy

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestEnvelope_KeepsEveryByteOfTheData(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		e := preset(t, rapid.SampledFrom(presetNames).Draw(t, "policy")).Envelope
		data := []byte(rapid.SampledFrom([]string{
			`null`, `12345678901234567890`, `1.0`, `"\u0000\ud83d\ude00<>&"`, `"😀é"`, ` { "b" : 1,"a":2 ,"a":3 } `, "[\n1\t]",
		}).Draw(t, "data"))
		fields := Fields{ID: "evt_1", Type: rapid.String().Draw(t, "type"), AcceptedAt: accepted}
		body := e.Render(fields, data)
		require.True(t, json.Valid(body), "%s", body)
		require.Contains(t, string(body), string(data))

		var read map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(body, &read))
		require.Len(t, read, len(e.Members))
	})
}

func TestEnvelope_EscapesItsOwnNames(t *testing.T) {
	t.Parallel()
	e := Envelope{Members: []Member{{`a"b\`, EventType}, {"ação", Data}}}
	body := e.Render(Fields{Type: `x"y`}, []byte("1"))
	require.Equal(t, `{"a\"b\\":"x\"y","ação":1}`, string(body))
}

func TestEnvelope_KeyIsEqualForEqualRenderings(t *testing.T) {
	t.Parallel()
	key := func(name string) string { return preset(t, name).Envelope.Key() }
	require.Equal(t, key("standard"), key("routa"))
	require.NotEqual(t, key("standard"), key("fair-queue"))
	for _, other := range []Envelope{
		{Members: []Member{{"timestamp", OccurredAt}, {"type", EventType}, {"data", Data}}},
		{Members: []Member{{"type", EventType}, {"timestamp", AcceptedAt}, {"data", Data}}},
		{Members: []Member{{"type", EventType}, {"data", Data}}},
		{Members: []Member{{`type":type,"timestamp":occurred_at,"data`, Data}}},
	} {
		require.NotEqual(t, key("standard"), other.Key())
	}
}
