package webhook_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/webhook"
)

const (
	specSecret  = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	specPrivate = "whsk_6Xb/dCcHpPea21PS1N9VY/NZW723CEc77N4rJCubMbfVKIDij2HKpMKkioLlX0dRqSKJp4AJ6p9lMicMFs6Kvg=="
	specPublic  = "whpk_1SiA4o9hyqTCpIqC5V9HUakiiaeACeqfZTInDBbOir4="
	specSeed    = "whsk_6Xb/dCcHpPea21PS1N9VY/NZW723CEc77N4rJCubMbc="
)

func mustParse(t testing.TB, text string) webhook.Secret {
	t.Helper()
	secret, err := webhook.ParseSecret(text)
	require.NoError(t, err)
	return secret
}

// symmetric is a secret of n different bytes, as whsec_.
func symmetric(n int) string {
	raw := make([]byte, n)
	for i := range raw {
		raw[i] = byte(255 - i)
	}
	return "whsec_" + base64.StdEncoding.EncodeToString(raw)
}

func TestParseSecret_S05_AcceptsWhatPeoplePaste(t *testing.T) {
	t.Parallel()
	padded := symmetric(32) // ends with =, and has + and / in it
	require.True(t, strings.HasSuffix(padded, "="))
	require.Contains(t, padded, "/")
	bare := strings.TrimPrefix(padded, "whsec_")
	urlSafe := strings.NewReplacer("+", "-", "/", "_").Replace(padded)
	for name, text := range map[string]string{
		"canonical":           padded,
		"without prefix":      bare,
		"without padding":     strings.TrimRight(padded, "="),
		"neither":             strings.TrimRight(bare, "="),
		"URL-safe":            urlSafe,
		"URL-safe unpadded":   strings.TrimRight(urlSafe, "="),
		"version in front":    "v1," + padded,
		"version, no prefix":  "v1," + bare,
		"doubled prefix":      "whsec_" + padded,
		"white space":         " \t" + padded + "\r\n",
		"space after version": "v1, " + padded,
		"double quotes":       `"` + padded + `"`,
		"single quotes":       "'" + padded + "'\n",
	} {
		secret, err := webhook.ParseSecret(text)
		require.NoError(t, err, name)
		require.Equal(t, padded, secret.Reveal(), name)
		require.Equal(t, webhook.KindSymmetric, secret.Kind(), name)
	}
}

func TestParseSecret_S05_Ed25519(t *testing.T) {
	t.Parallel()
	for _, text := range []string{specPrivate, specSeed, "v1a," + specPrivate, strings.TrimRight(specPrivate, "=")} {
		secret := mustParse(t, text)
		require.Equal(t, webhook.KindPrivate, secret.Kind())
		require.Equal(t, specPrivate, secret.Reveal())
		require.Equal(t, specPublic, secret.Public().Reveal())
	}
	public := mustParse(t, specPublic)
	require.Equal(t, webhook.KindPublic, public.Kind())
	require.Equal(t, specPublic, public.Reveal())
	require.True(t, mustParse(t, specSecret).Public().IsZero())
}

func TestParseSecret_Refuses(t *testing.T) {
	t.Parallel()
	mismatch := func() string {
		raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(specPrivate, "whsk_"))
		require.NoError(t, err)
		raw[63] ^= 1
		return "whsk_" + base64.StdEncoding.EncodeToString(raw)
	}()
	for name, c := range map[string]struct {
		text   string
		reason webhook.SecretReason
		bytes  int
	}{
		"nothing":               {"", webhook.SecretEmpty, 0},
		"white space":           {" \n", webhook.SecretEmpty, 0},
		"only a prefix":         {"v1,whsec_", webhook.SecretEmpty, 0},
		"only padding":          {"whsec_====", webhook.SecretTooShort, 0},
		"another kind of key":   {"sk_live_51H8abcdefghijklmnopqrstuvwxyz0123", webhook.SecretUnknownPrefix, 0},
		"mistyped prefix":       {"wshec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", webhook.SecretUnknownPrefix, 0},
		"UUID":                  {"550e8400-e29b-41d4-a716-446655440000", webhook.SecretUnknownPrefix, 0},
		"prefix within":         {"whsec_" + specPublic, webhook.SecretUnknownPrefix, 0},
		"redacted":              {mustParse(t, specSecret).String(), webhook.SecretNotBase64, 0},
		"two secrets":           {specSecret + " " + specSecret, webhook.SecretNotBase64, 0},
		"wrapped line":          {"whsec_MfKQ9r8GKYqrTwj\nUPD8ILPZIo2LaLaSw", webhook.SecretNotBase64, 0},
		"cut off":               {"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwA", webhook.SecretNotBase64, 0},
		"both alphabets":        {"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaL-+w", webhook.SecretNotBase64, 0},
		"a short password":      {"whsec_aGVsbG8=", webhook.SecretTooShort, 5},
		"one byte short":        {symmetric(23), webhook.SecretTooShort, 23},
		"one byte long":         {symmetric(65), webhook.SecretTooLong, 65},
		"short public key":      {"whpk_AAAA", webhook.SecretBadKeyLength, 3},
		"private as public key": {"whpk_" + strings.TrimPrefix(specPrivate, "whsk_"), webhook.SecretBadKeyLength, 64},
		"cut-off private key":   {specPrivate[:40], webhook.SecretBadKeyLength, 26},
		"long seed":             {"whsk_" + strings.TrimPrefix(symmetric(33), "whsec_"), webhook.SecretBadKeyLength, 33},
		"halves of two keys":    {mismatch, webhook.SecretKeyMismatch, 64},
	} {
		secret, err := webhook.ParseSecret(c.text)
		require.ErrorIs(t, err, c.reason, name)
		refused, ok := errors.AsType[*webhook.SecretError](err)
		require.True(t, ok, name)
		require.Equal(t, c.bytes, refused.Bytes, name)
		require.True(t, secret.IsZero(), name)
		require.Greater(t, len(err.Error()), len("webhook: ")+20, name)
		if len(c.text) > 20 {
			require.NotContains(t, err.Error(), c.text[6:20], name)
		}
	}
	for _, n := range []int{webhook.MinSecretBytes, webhook.MaxSecretBytes} {
		require.Equal(t, symmetric(n), mustParse(t, symmetric(n)).Reveal())
	}
}

func TestParseForeignSecret_OnlyVerifies(t *testing.T) {
	t.Parallel()
	const short = "whsec_plJ3nmyCDGBKInavdOK15jsl" // 18 bytes, from Svix's documentation
	_, err := webhook.ParseSecret(short)
	require.ErrorIs(t, err, webhook.SecretTooShort)
	_, err = webhook.ParseForeignSecret(symmetric(15))
	require.ErrorIs(t, err, webhook.SecretTooShort)

	for _, text := range []string{short, specSecret} {
		secret, err := webhook.ParseForeignSecret(text)
		require.NoError(t, err)
		require.Equal(t, text, secret.Reveal())
		_, err = webhook.Sign("evt_1", specTime, nil, secret)
		require.ErrorIs(t, err, webhook.ErrCannotSign)
		_, err = webhook.SignHex(specTime, nil, secret)
		require.ErrorIs(t, err, webhook.ErrCannotSign)
	}
}

func TestGenerate_S05(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for range 50 {
		secret := webhook.GenerateSecret()
		require.Len(t, secret.Reveal(), len("whsec_")+44)
		require.Equal(t, secret.Reveal(), mustParse(t, secret.Reveal()).Reveal())
		private, public := webhook.GenerateKeyPair()
		require.Equal(t, private.Reveal(), mustParse(t, private.Reveal()).Reveal())
		require.Equal(t, public.Reveal(), private.Public().Reveal())
		seen[secret.Reveal()], seen[private.Reveal()], seen[public.Reveal()] = true, true, true
	}
	require.Len(t, seen, 150)
}

func TestSecret_NeverShowsItself(t *testing.T) {
	t.Parallel()
	type open struct{ Secret webhook.Secret }
	type hidden struct{ secret webhook.Secret }
	for _, text := range []string{specSecret, specPrivate, specPublic} {
		secret := mustParse(t, text)
		placeholder := text[:strings.Index(text, "_")+1] + "[redacted]"
		encoded := text[strings.Index(text, "_")+1:]
		raw, err := base64.StdEncoding.DecodeString(encoded)
		require.NoError(t, err)

		var shown strings.Builder
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%10.3s"} {
			require.Equal(t, placeholder, fmt.Sprintf(verb, secret), verb)
			fmt.Fprintf(&shown, verb, &secret)
			fmt.Fprintf(&shown, verb, open{secret})
			fmt.Fprintf(&shown, verb, hidden{secret})
			fmt.Fprintf(&shown, verb, &hidden{secret})
			fmt.Fprintf(&shown, verb, []webhook.Secret{secret})
		}
		fmt.Fprintf(&shown, "%p %T", secret, secret) // verbs that package fmt keeps to itself
		for _, handler := range []slog.Handler{slog.NewTextHandler(&shown, nil), slog.NewJSONHandler(&shown, nil)} {
			slog.New(handler).Info("x", "a", secret, "b", open{secret}, "c", hidden{secret}, "d", &secret)
		}
		out, err := json.Marshal(map[string]any{"a": secret, "b": open{secret}, "c": hidden{secret}})
		require.NoError(t, err)
		require.JSONEq(t, fmt.Sprintf(`{"a":%q,"b":{"Secret":%q},"c":{}}`, placeholder, placeholder), string(out))
		out, err = secret.MarshalText()
		require.NoError(t, err)
		require.Equal(t, placeholder, string(out))

		require.NotContains(t, shown.String(), encoded[:12])
		require.NotContains(t, shown.String(), fmt.Sprintf("%x", raw[:6]))
		require.NotContains(t, shown.String(), strings.Trim(fmt.Sprint(raw[:6]), "[]"))
	}
	require.Empty(t, fmt.Sprintf("%v%#v", webhook.Secret{}, webhook.Secret{}))
	require.Empty(t, webhook.Secret{}.Reveal())
}

func FuzzParseSecret(f *testing.F) {
	for _, text := range []string{
		specSecret, specPrivate, specPublic, specSeed, "v1," + specSecret, `"` + specSecret + `"`,
		"whsec_whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_", "sk_live_x", "\xff", "whsec_-_-_",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		secret, err := webhook.ParseSecret(text)
		if err != nil {
			_, ok := errors.AsType[*webhook.SecretError](err)
			require.True(t, ok)
			require.True(t, secret.IsZero())
			return
		}
		again, err := webhook.ParseSecret(secret.Reveal())
		require.NoError(t, err)
		require.Equal(t, secret.Reveal(), again.Reveal())
		require.Equal(t, secret.Kind(), again.Kind())
		encoded := secret.Reveal()[strings.Index(secret.Reveal(), "_")+1:]
		raw, err := base64.StdEncoding.DecodeString(encoded)
		require.NoError(t, err)
		require.GreaterOrEqual(t, len(raw), webhook.MinSecretBytes)
		require.LessOrEqual(t, len(raw), webhook.MaxSecretBytes)
		require.False(t, bytes.Contains(fmt.Append(nil, secret), []byte(encoded)))
	})
}
