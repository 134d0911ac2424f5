package seal_test

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/malotehq/malote/internal/seal"
)

func numbers(from byte, n int) []byte {
	list := make([]byte, n)
	for i := range list {
		list[i] = from + byte(i)
	}
	return list
}

// The stored form: computed once with another implementation of AES-GCM. A
// change here makes every sealed value unreadable.
func TestSeal_TheFormNeverChanges(t *testing.T) {
	t.Parallel()
	ring := seal.NewKeyring(parse(t, counting))
	id := [16]byte(numbers(0xa0, 16))
	for _, c := range []struct {
		context []byte
		plain   string
		sealed  string
	}{
		{
			seal.EndpointSecretContext(id), "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
			"016465666768696a6b6c6d6e6f3f73ad031ab61bf87533669ae22221a433b0527de139a3369f98e018a1eaca7ad8880ca11f658d7e9d1cbe66286a393a9265ad532e79",
		},
		{seal.EndpointHeadersContext(id), "{}", "016465666768696a6b6c6d6e6f3366647077d3cacc47997f490aa83a95acb5"},
		{seal.SourceSecretContext(id), "", "016465666768696a6b6c6d6e6f33b3ba81dd0f9fae82328d1431d3c44d"},
	} {
		sealed, keyID := ring.Seal([]byte(c.plain), c.context, bytes.NewReader(numbers(100, 12)))
		require.Equal(t, "ca0d1e6cb865130e", keyID)
		require.Equal(t, c.sealed, hex.EncodeToString(sealed))
		require.Len(t, sealed, len(c.plain)+seal.Overhead)
		plain, err := ring.Open(sealed, c.context, keyID)
		require.NoError(t, err)
		require.Equal(t, []byte(c.plain), plain)
	}
}

func TestOpen_OnlyWhatWasSealedThere(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		key, other := seal.GenerateKey(rand.Reader), seal.GenerateKey(rand.Reader)
		ring := seal.NewKeyring(key, other)
		plain := rapid.SliceOfN(rapid.Byte(), 0, 200).Draw(t, "plain")
		context := rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "context")
		given := slices.Clone(plain)
		sealed, keyID := ring.Seal(plain, context, rand.Reader)
		require.Equal(t, given, plain, "what is sealed is left alone")
		require.Equal(t, key.ID(), keyID)
		if len(plain) >= 4 {
			require.NotContains(t, string(sealed), string(plain))
		}
		again, _ := ring.Seal(plain, context, rand.Reader)
		require.NotEqual(t, sealed, again, "no nonce is used twice")

		opened, err := ring.Open(sealed, context, keyID)
		require.NoError(t, err)
		require.Equal(t, given, append([]byte{}, opened...))

		at := rapid.IntRange(0, len(sealed)-1).Draw(t, "at")
		bit := byte(1) << rapid.IntRange(0, 7).Draw(t, "bit")
		damaged := slices.Clone(sealed)
		damaged[at] ^= bit
		elsewhere := append(slices.Clone(context), 0)
		for _, c := range []struct {
			sealed, context []byte
			keyID           string
		}{
			{damaged, context, keyID}, {sealed[:at], context, keyID}, {append(slices.Clone(sealed), 0), context, keyID},
			{sealed, elsewhere, keyID}, {sealed, context, other.ID()}, {nil, context, keyID},
		} {
			opened, err := ring.Open(c.sealed, c.context, c.keyID)
			require.ErrorIs(t, err, seal.ErrBroken)
			require.NotErrorIs(t, err, seal.ErrUnknownKey)
			require.Nil(t, opened)
		}
	})
}

func TestKeyring_Rotation(t *testing.T) {
	t.Parallel()
	first, second := seal.GenerateKey(rand.Reader), seal.GenerateKey(rand.Reader)
	context := seal.EndpointSecretContext([16]byte{1})
	sealed, keyID := seal.NewKeyring(first).Seal([]byte("hush"), context, rand.Reader)

	rotated := seal.NewKeyring(second, first, seal.Key{})
	plain, err := rotated.Open(sealed, context, keyID)
	require.NoError(t, err)
	require.Equal(t, "hush", string(plain))
	_, keyID = rotated.Seal(plain, context, rand.Reader)
	require.Equal(t, second.ID(), keyID, "the current key seals")
	require.True(t, rotated.Knows(first.ID()) && rotated.Knows(second.ID()) && rotated.Knows(""))

	for name, ring := range map[string]*seal.Keyring{"none": nil, "another": seal.NewKeyring(second)} {
		_, err = ring.Open(sealed, context, first.ID())
		require.ErrorIs(t, err, seal.ErrUnknownKey, name)
		missing, ok := errors.AsType[*seal.UnknownKeyError](err)
		require.True(t, ok, name)
		require.Equal(t, first.ID(), missing.KeyID)
		require.Contains(t, err.Error(), first.ID())
		require.False(t, ring.Knows(first.ID()))
	}
}

func TestKeyring_WithoutACurrentKeySealsNothing(t *testing.T) {
	t.Parallel()
	older := seal.GenerateKey(rand.Reader)
	context := []byte("x")
	sealed, olderID := seal.NewKeyring(older).Seal([]byte("hush"), context, rand.Reader)
	for name, ring := range map[string]*seal.Keyring{
		"nil": nil, "empty": seal.NewKeyring(seal.Key{}), "only older": seal.NewKeyring(seal.Key{}, older),
	} {
		require.Empty(t, ring.CurrentKey(), name)
		kept, keyID := ring.Seal([]byte("open"), context, nil)
		require.Equal(t, "open", string(kept), name)
		require.Empty(t, keyID, name)
		plain, err := ring.Open(kept, context, "")
		require.NoError(t, err, name)
		require.Equal(t, "open", string(plain), name)
	}
	plain, err := seal.NewKeyring(seal.Key{}, older).Open(sealed, context, olderID)
	require.NoError(t, err, "what is sealed already can be had back")
	require.Equal(t, "hush", string(plain))
}

func TestSeal_PanicsWithoutRandomness(t *testing.T) {
	t.Parallel()
	ring := seal.NewKeyring(parse(t, counting))
	require.Panics(t, func() { ring.Seal(nil, nil, bytes.NewReader(nil)) })
}

func FuzzOpen(f *testing.F) {
	key, err := seal.ParseKey(counting)
	require.NoError(f, err)
	ring := seal.NewKeyring(key)
	sealed, keyID := ring.Seal([]byte("hush"), []byte("x"), bytes.NewReader(numbers(0, 12)))
	f.Add(sealed, []byte("x"), keyID)
	f.Add([]byte{}, []byte{}, "")
	f.Add(sealed[:5], []byte("x"), keyID)
	f.Add([]byte{2}, []byte("x"), "0000000000000000")
	f.Fuzz(func(t *testing.T, value, context []byte, id string) {
		plain, err := ring.Open(value, context, id)
		switch {
		case id == "":
			require.NoError(t, err)
			require.True(t, bytes.Equal(value, plain))
		case id != keyID:
			require.ErrorIs(t, err, seal.ErrUnknownKey)
		case !bytes.Equal(value, sealed) || string(context) != "x":
			require.ErrorIs(t, err, seal.ErrBroken)
		default:
			require.NoError(t, err)
		}
	})
}
