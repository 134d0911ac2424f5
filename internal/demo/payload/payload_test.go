package payload_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/demo/payload"
)

const many = 1000

func TestMake_IsDeterministic(t *testing.T) {
	t.Parallel()
	for number := range 155 {
		require.Equal(t, payload.Make(7, number), payload.Make(7, number))
	}
	require.NotEqual(t, payload.Make(7, 1), payload.Make(8, 1))
	require.NotEqual(t, payload.Make(7, 1), payload.Make(7, 2))
}

func TestMake_GivesJSONOfEveryShapeAndSize(t *testing.T) {
	t.Parallel()
	sizes, types := []int{}, map[string]int{}
	for number := range many {
		p := payload.Make(1, number)
		require.True(t, json.Valid(p.Data), "%s", p.Data)
		require.True(t, utf8.Valid(p.Data))
		require.True(t, delivery.ValidType(p.Type))
		require.Contains(t, payload.Types, p.Type)
		require.LessOrEqual(t, len(p.Data), payload.MaxBytes)
		require.Equal(t, p.Type == "order.updated", p.Entity != "", "only a state may be replaced by a newer one")
		require.Equal(t, p.Entity == "", p.Version == "")
		sizes = append(sizes, len(p.Data))
		types[p.Type]++
	}
	require.Len(t, types, len(payload.Types), "%v", types)
	slices.Sort(sizes)
	require.Equal(t, payload.MinBytes, sizes[0])
	require.Greater(t, sizes[many-1], payload.MaxBytes*9/10)
	require.Greater(t, sizes[many-many/250], payload.MaxBytes*9/10, "one in 250")
	require.Less(t, sizes[many/2], 2<<10, "most are small")
}

func TestMake_GivesWhatADecoderWouldChange(t *testing.T) {
	t.Parallel()
	var all bytes.Buffer
	changed := 0
	for number := range 250 {
		data := payload.Make(1, number).Data
		all.Write(data)
		all.WriteByte('\n')
		var decoded any
		require.NoError(t, json.Unmarshal(data, &decoded))
		again, err := json.Marshal(decoded)
		require.NoError(t, err)
		if !bytes.Equal(again, data) {
			changed++
		}
	}
	require.Greater(t, changed, 225, "whoever re-encodes must be caught")
	for name, oddity := range map[string]string{
		"NUL":             `\u0000`,
		"raw emoji":       "🙂",
		"surrogate pairs": `\ud83d\uDE42`,
		"escaped slashes": `https:\/\/`,
		"bare decimals":   `"saldo":-0.00`,
		"exponents":       `1e-2`,
		"null":            `null`,
		"indentation":     "\n    \"data\": [",
		"white space":     `{ "pix" : [`,
		"other scripts":   "你好",
	} {
		require.True(t, bytes.Contains(all.Bytes(), []byte(oddity)), name)
	}
	require.Regexp(t, `"nsu":[1-9][0-9]{19},`, all.String(), "20-digit numbers")
}
