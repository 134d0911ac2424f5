package outbox_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/malotehq/malote/internal/delivery"
	public "github.com/malotehq/malote/outbox"
)

func TestID_IsAUUID(t *testing.T) {
	t.Parallel()
	id := public.ID{0x6b, 0xa7, 0xb8, 0x10, 0x9d, 0xad, 0x11, 0xd1, 0x80, 0xb4, 0x00, 0xc0, 0x4f, 0xd4, 0x30, 0xc8}
	require.Equal(t, "6ba7b810-9dad-11d1-80b4-00c04fd430c8", id.String())
	require.Equal(t, "outbox:6ba7b810-9dad-11d1-80b4-00c04fd430c8", id.IdempotencyKey())
	shown, err := json.Marshal(map[string]public.ID{"id": id})
	require.NoError(t, err)
	require.JSONEq(t, `{"id":"6ba7b810-9dad-11d1-80b4-00c04fd430c8"}`, string(shown))
}

// endpointID draws ids of endpoints, and texts that are nearly some.
func endpointID() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		bytes := delivery.ID(rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "bytes"))
		if rapid.IntRange(0, 3).Draw(t, "sound") > 0 {
			bytes[6], bytes[8] = bytes[6]&0x0f|0x70, bytes[8]&0x3f|0x80
		}
		text := []byte(bytes.Format(delivery.EndpointPrefix))
		if rapid.IntRange(0, 3).Draw(t, "broken") == 0 {
			text[rapid.IntRange(0, len(text)-1).Draw(t, "at")] = rapid.SampledFrom([]byte("8zuilo_A{,\"\xc3 ")).Draw(t, "byte")
		}
		return string(text[:len(text)-rapid.SampledFrom([]int{0, 0, 0, 1}).Draw(t, "short")])
	})
}

func TestEndpointIDs_AreMalotes(t *testing.T) {
	t.Parallel()
	sound := 0
	rapid.Check(t, func(rt *rapid.T) {
		text := endpointID().Draw(rt, "id")
		_, err := delivery.ParseID(delivery.EndpointPrefix, text)
		event := base()
		event.EndpointIDs = []string{text}
		require.Equal(rt, err == nil, check(event) == "", text)
		if err == nil {
			sound++
		}
	})
	require.NotZero(t, sound)
}
