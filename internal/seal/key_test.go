package seal_test

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/seal"
)

// counting is the key of the bytes 0 to 31.
const counting = "mlk_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="

func parse(t testing.TB, text string) seal.Key {
	t.Helper()
	key, err := seal.ParseKey(text)
	require.NoError(t, err)
	return key
}

func TestParseKey(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		counting, counting + "\n", counting + "\r\n", " " + counting + "\t", strings.TrimRight(counting, "="),
	} {
		key := parse(t, text)
		require.Equal(t, counting, key.Reveal(), "%q", text)
		require.False(t, key.IsZero())
	}
	require.Equal(t, "ca0d1e6cb865130e", parse(t, counting).ID(), "the ids of keys never change: rows name them")
}

func TestParseKey_RefusesAndSaysWhatToDo(t *testing.T) {
	t.Parallel()
	encode := func(n int) string {
		return "mlk_" + base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{0xfb}, n))
	}
	for name, c := range map[string]struct {
		text   string
		reason seal.KeyReason
		bytes  int
	}{
		"nothing":           {"", seal.KeyEmpty, 0},
		"only a line break": {"\n", seal.KeyEmpty, 0},
		"only the prefix":   {"mlk_\n", seal.KeyEmpty, 0},
		"no prefix":         {strings.TrimPrefix(counting, "mlk_"), seal.KeyNoPrefix, 0},
		"another secret":    {"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", seal.KeyNoPrefix, 0},
		"URL-safe":          {strings.NewReplacer("+", "-", "/", "_").Replace(encode(32)), seal.KeyNotBase64, 0},
		"hexadecimal":       {"mlk_" + strings.Repeat("0f", 32), seal.KeyBadLength, 48},
		"two lines":         {counting[:20] + "\n" + counting[20:], seal.KeyNotBase64, 0},
		"two keys":          {counting + " " + counting, seal.KeyNotBase64, 0},
		"redacted":          {parse(t, counting).String(), seal.KeyNotBase64, 0},
		"a byte short":      {encode(31), seal.KeyBadLength, 31},
		"a byte long":       {encode(33), seal.KeyBadLength, 33},
		"AES-128":           {encode(16), seal.KeyBadLength, 16},
		"loose bits":        {strings.Replace(counting, "8=", "9=", 1), seal.KeyNotBase64, 0},
	} {
		key, err := seal.ParseKey(c.text)
		require.ErrorIs(t, err, c.reason, name)
		refused, ok := errors.AsType[*seal.KeyError](err)
		require.True(t, ok, name)
		require.Equal(t, c.bytes, refused.Bytes, name)
		require.True(t, key.IsZero(), name)
		require.Contains(t, err.Error(), "sealing key", name)
		if len(c.text) > 20 {
			require.NotContains(t, err.Error(), c.text[6:20], name)
		}
	}
}

func TestGenerateKey(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for range 50 {
		key := seal.GenerateKey(rand.Reader)
		require.Equal(t, key.Reveal(), parse(t, key.Reveal()).Reveal())
		require.Equal(t, key.ID(), parse(t, key.Reveal()).ID())
		require.Len(t, key.ID(), 16)
		seen[key.Reveal()], seen[key.ID()] = true, true
	}
	require.Len(t, seen, 100)
	require.Panics(t, func() { seal.GenerateKey(strings.NewReader("too short")) })
}

func TestNothingShowsAKey(t *testing.T) {
	t.Parallel()
	type open struct{ Value any }
	type hidden struct {
		key  seal.Key
		ring *seal.Keyring
	}
	key := parse(t, counting)
	ring := seal.NewKeyring(key, seal.GenerateKey(rand.Reader))
	var shown strings.Builder
	for _, value := range []any{key, &key, ring, open{key}, open{ring}, hidden{key, ring}, &hidden{key, ring}, []seal.Key{key}} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%c", "%10.3s"} {
			fmt.Fprintf(&shown, verb, value)
		}
		for _, handler := range []slog.Handler{slog.NewTextHandler(&shown, nil), slog.NewJSONHandler(&shown, nil)} {
			slog.New(handler).Info("x", "value", value)
		}
		encoded, err := json.Marshal(value)
		require.NoError(t, err)
		shown.Write(encoded)
	}
	require.Contains(t, shown.String(), "mlk_[redacted]")
	require.Contains(t, shown.String(), "keyring of 2, current "+key.ID())
	for _, form := range []string{counting[4:16], "\x05\x06\x07", "050607", "5 6 7", "5, 6, 7", "0x5, 0x6"} {
		require.NotContains(t, shown.String(), form)
	}
	require.Empty(t, seal.Key{}.String()+seal.Key{}.Reveal()+seal.Key{}.ID())
	require.Equal(t, "keyring without a current key", fmt.Sprint(seal.NewKeyring(seal.Key{}, key)))
}

func FuzzParseKey(f *testing.F) {
	for _, text := range []string{counting, counting + "\n", "mlk_", "mlk_====", "mlk_AA\nAA", "whsec_", "\x00", "mlk_" + counting} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		key, err := seal.ParseKey(text)
		if err != nil {
			_, ok := errors.AsType[*seal.KeyError](err)
			require.True(t, ok)
			require.True(t, key.IsZero())
			return
		}
		require.Equal(t, strings.TrimRight(strings.TrimSpace(text), "="), strings.TrimRight(key.Reveal(), "="),
			"a key has one text")
	})
}
