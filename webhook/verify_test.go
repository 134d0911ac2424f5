package webhook_test

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/malotehq/malote/webhook"
)

func newVerifier(t testing.TB, secret string, options ...webhook.VerifierOption) *webhook.Verifier {
	t.Helper()
	options = append([]webhook.VerifierOption{clockAt(specTime)}, options...)
	verifier, err := webhook.NewVerifier([]webhook.Secret{mustParse(t, secret)}, options...)
	require.NoError(t, err)
	return verifier
}

func requireRefused(t testing.TB, err error, reason webhook.Reason) *webhook.VerifyError {
	t.Helper()
	require.ErrorIs(t, err, reason)
	refused, ok := errors.AsType[*webhook.VerifyError](err)
	require.True(t, ok)
	require.NotContains(t, err.Error(), specBody)
	require.NotContains(t, err.Error(), "MfKQ9r8")
	return refused
}

func TestVerify_S07_Message(t *testing.T) {
	t.Parallel()
	header := headers(specID, specTime, specV1)
	header.Set("webhook-attempt", "3")
	header.Set("webhook-trigger", "replay")
	message, err := newVerifier(t, specSecret).Verify(header, []byte(specBody))
	require.NoError(t, err)
	require.Equal(t, webhook.Message{
		ID: specID, Timestamp: specTime.UTC(), Attempt: 3, Trigger: "replay", Body: []byte(specBody), Header: header,
	}, message)

	for _, attempt := range []string{"", "0", "-1", "two"} {
		header.Set("webhook-attempt", attempt)
		message, err = newVerifier(t, specSecret).Verify(header, []byte(specBody))
		require.NoError(t, err)
		require.Zero(t, message.Attempt)
	}
}

func TestVerify_S05_AnySecretOfARotation(t *testing.T) {
	t.Parallel()
	old, current := webhook.GenerateSecret(), mustParse(t, specSecret)
	private, public := webhook.GenerateKeyPair()
	verifier, err := webhook.NewVerifier([]webhook.Secret{old, current, public}, clockAt(specTime))
	require.NoError(t, err)
	for want, signer := range []webhook.Secret{old, current, private} {
		for _, secrets := range [][]webhook.Secret{{signer}, {webhook.GenerateSecret(), signer}, {signer, webhook.GenerateSecret()}} {
			signed, err := webhook.Sign(specID, specTime, []byte(specBody), secrets...)
			require.NoError(t, err)
			message, err := verifier.Verify(headers(specID, specTime, signed), []byte(specBody))
			require.NoError(t, err)
			require.Equal(t, want, message.Secret)
		}
	}
	// A proxy may split a list over several header lines.
	header := headers(specID, specTime, "v1,AAAA")
	header.Add(webhook.HeaderSignature, specV1)
	_, err = verifier.Verify(header, []byte(specBody))
	require.NoError(t, err)
}

func TestVerify_S04_V1aVector(t *testing.T) {
	t.Parallel()
	for _, secret := range []string{specPublic, specPrivate} {
		_, err := newVerifier(t, secret).Verify(headers(specID, specTime, specV1a), []byte(specBody))
		require.NoError(t, err)
		_, err = newVerifier(t, secret).Verify(headers(specID, specTime, specV1a), []byte(specBody+"x"))
		requireRefused(t, err, webhook.ReasonBadSignature)
	}
}

// A signature of another version never counts, whatever stands beside it.
func TestVerify_S04_VersionsAreNotMixed(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"v2", "v1a", "v0", "V1", ""} {
		list := "v1,AAAA " + version + specV1[2:]
		_, err := newVerifier(t, specSecret).Verify(headers(specID, specTime, list), []byte(specBody))
		requireRefused(t, err, webhook.ReasonBadSignature)
		_, err = newVerifier(t, specSecret).Verify(headers(specID, specTime, list+" "+specV1), []byte(specBody))
		require.NoError(t, err)
	}
	_, err := newVerifier(t, specPublic).Verify(headers(specID, specTime, "v1a,AAAA v1"+specV1a[3:]), []byte(specBody))
	requireRefused(t, err, webhook.ReasonBadSignature)
}

func TestVerify_SvixNames(t *testing.T) {
	t.Parallel()
	svix := http.Header{"Svix-Id": {specID}, "Svix-Timestamp": {"1614265330"}, "Svix-Signature": {specV1}}
	verifier := newVerifier(t, specSecret)
	_, err := verifier.Verify(svix, []byte(specBody))
	require.NoError(t, err)

	// Both spellings: the complete one counts, and they are never mixed.
	svix.Set(webhook.HeaderID, "other")
	message, err := verifier.Verify(svix, []byte(specBody))
	require.NoError(t, err)
	require.Equal(t, specID, message.ID)
	svix.Del("Svix-Id")
	_, err = verifier.Verify(svix, []byte(specBody))
	require.Equal(t, "webhook-timestamp", requireRefused(t, err, webhook.ReasonMissingHeader).Header)
	svix.Del(webhook.HeaderID)
	_, err = verifier.Verify(svix, []byte(specBody))
	require.Equal(t, "svix-id", requireRefused(t, err, webhook.ReasonMissingHeader).Header)
}

func TestVerify_Window_F16(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		tolerance time.Duration
		skew      int64
		reason    webhook.Reason
	}{
		{webhook.DefaultTolerance, 300, ""},
		{webhook.DefaultTolerance, -300, ""},
		{webhook.DefaultTolerance, 301, webhook.ReasonStale},
		{webhook.DefaultTolerance, -301, webhook.ReasonFuture},
		{time.Minute, 60, ""},
		{time.Minute, 61, webhook.ReasonStale},
		{0, 0, ""},
		{0, 1, webhook.ReasonStale},
		{0, -1, webhook.ReasonFuture},
	} {
		now := time.Unix(specTime.Unix()+c.skew, 999_999_999)
		verifier := newVerifier(t, specSecret, clockAt(now), webhook.WithTolerance(c.tolerance))
		_, err := verifier.Verify(headers(specID, specTime, specV1), []byte(specBody))
		if c.reason == "" {
			require.NoError(t, err)
			continue
		}
		refused := requireRefused(t, err, c.reason)
		require.Equal(t, c.skew, refused.SkewSeconds)
		require.Equal(t, c.tolerance, refused.Tolerance)
		require.Contains(t, err.Error(), "compare the clocks")
	}
}

func TestVerify_MissingAndMalformed(t *testing.T) {
	t.Parallel()
	many := strings.Repeat("v1,AAAA ", 16)
	for name, c := range map[string]struct {
		change func(http.Header)
		reason webhook.Reason
		header string
	}{
		"nothing":              {func(h http.Header) { clear(h) }, webhook.ReasonMissingHeader, "webhook-id"},
		"no id":                {func(h http.Header) { h.Del("webhook-id") }, webhook.ReasonMissingHeader, "webhook-id"},
		"empty timestamp":      {func(h http.Header) { h.Set("webhook-timestamp", "") }, webhook.ReasonMissingHeader, "webhook-timestamp"},
		"no signature":         {func(h http.Header) { h.Del("webhook-signature") }, webhook.ReasonMissingHeader, "webhook-signature"},
		"dot in id":            {func(h http.Header) { h.Set("webhook-id", "msg.1") }, webhook.ReasonMalformed, "webhook-id"},
		"long id":              {func(h http.Header) { h.Set("webhook-id", strings.Repeat("a", 257)) }, webhook.ReasonMalformed, "webhook-id"},
		"two ids":              {func(h http.Header) { h.Add("webhook-id", specID) }, webhook.ReasonMalformed, "webhook-id"},
		"two timestamps":       {func(h http.Header) { h.Add("webhook-timestamp", "1") }, webhook.ReasonMalformed, "webhook-timestamp"},
		"date":                 {func(h http.Header) { h.Set("webhook-timestamp", "2021-02-25T15:02:10Z") }, webhook.ReasonMalformed, "webhook-timestamp"},
		"sign":                 {func(h http.Header) { h.Set("webhook-timestamp", "+1614265330") }, webhook.ReasonMalformed, "webhook-timestamp"},
		"negative":             {func(h http.Header) { h.Set("webhook-timestamp", "-1614265330") }, webhook.ReasonMalformed, "webhook-timestamp"},
		"fraction":             {func(h http.Header) { h.Set("webhook-timestamp", "1614265330.0") }, webhook.ReasonMalformed, "webhook-timestamp"},
		"milliseconds":         {func(h http.Header) { h.Set("webhook-timestamp", "1614265330000") }, webhook.ReasonMalformed, "webhook-timestamp"},
		"overflow":             {func(h http.Header) { h.Set("webhook-timestamp", "99999999999999999999") }, webhook.ReasonMalformed, "webhook-timestamp"},
		"zeros":                {func(h http.Header) { h.Set("webhook-timestamp", strings.Repeat("0", 20)+"1") }, webhook.ReasonMalformed, "webhook-timestamp"},
		"bare signature":       {func(h http.Header) { h.Set("webhook-signature", specV1[3:]) }, webhook.ReasonMalformed, "webhook-signature"},
		"the other scheme's":   {func(h http.Header) { h.Set("webhook-signature", "v1=abcd") }, webhook.ReasonMalformed, "webhook-signature"},
		"blank signature":      {func(h http.Header) { h.Set("webhook-signature", "  ") }, webhook.ReasonMalformed, "webhook-signature"},
		"seventeen signatures": {func(h http.Header) { h.Set("webhook-signature", many+specV1) }, webhook.ReasonMalformed, "webhook-signature"},
	} {
		header := headers(specID, specTime, specV1)
		c.change(header)
		_, err := newVerifier(t, specSecret).Verify(header, []byte(specBody))
		require.Equal(t, c.header, requireRefused(t, err, c.reason).Header, name)
		require.Contains(t, err.Error(), c.header, name)
	}
	_, err := newVerifier(t, specSecret).Verify(headers(specID, specTime, many[:8*15]+specV1), []byte(specBody))
	require.NoError(t, err, "sixteen signatures")
}

func TestVerify_FairQueue_F10(t *testing.T) {
	t.Parallel()
	current, old := webhook.GenerateSecret(), mustParse(t, specSecret)
	signed, err := webhook.SignHex(specTime, []byte(specBody), current, old)
	require.NoError(t, err)
	verifier := newVerifier(t, specSecret, webhook.WithScheme(webhook.SchemeHex))
	for _, list := range []string{signed, strings.ReplaceAll(signed, ",", ", "), strings.ReplaceAll(signed, ",", " "), strings.ReplaceAll(strings.ToUpper(signed), "V1", "v1")} {
		message, err := verifier.Verify(headers(specID, specTime, list), []byte(specBody))
		require.NoError(t, err)
		require.Equal(t, specID, message.ID)
	}
	_, err = verifier.Verify(headers(specID, specTime.Add(time.Second), signed), []byte(specBody))
	requireRefused(t, err, webhook.ReasonBadSignature)
	_, err = verifier.Verify(headers(specID, specTime, specV1), []byte(specBody))
	require.Equal(t, webhook.DiagnosisVersion, requireRefused(t, err, webhook.ReasonBadSignature).Diagnosis)
	_, err = verifier.Verify(headers(specID, specTime, "nothing"), []byte(specBody))
	requireRefused(t, err, webhook.ReasonMalformed)
	svix := http.Header{"Svix-Id": {specID}, "Svix-Timestamp": {"1614265330"}, "Svix-Signature": {signed}}
	_, err = verifier.Verify(svix, []byte(specBody))
	requireRefused(t, err, webhook.ReasonMissingHeader)
}

func TestNewVerifier_Refuses(t *testing.T) {
	t.Parallel()
	secret, public := mustParse(t, specSecret), mustParse(t, specPublic)
	_, err := webhook.NewVerifier(nil)
	require.ErrorIs(t, err, webhook.ErrNoSecret)
	_, err = webhook.NewVerifier([]webhook.Secret{secret, {}})
	require.ErrorIs(t, err, webhook.ErrNoSecret)
	_, err = webhook.NewVerifier([]webhook.Secret{public}, webhook.WithScheme(webhook.SchemeHex))
	require.ErrorIs(t, err, webhook.ErrNotSymmetric)
	_, err = webhook.NewVerifier([]webhook.Secret{secret}, webhook.WithScheme("md5"))
	require.ErrorContains(t, err, "md5")
	_, err = webhook.NewVerifier([]webhook.Secret{secret}, webhook.WithTolerance(-time.Second))
	require.ErrorContains(t, err, "negative")
}

// Changing any bit of what is signed breaks the signature, in both schemes.
func TestVerify_S04_EveryByteIsSigned(t *testing.T) {
	t.Parallel()
	secret := mustParse(t, specSecret)
	private := mustParse(t, specPrivate)
	rapid.Check(t, func(t *rapid.T) {
		body := rapid.SliceOfN(rapid.Byte(), 1, 200).Draw(t, "body")
		id := drawID().Draw(t, "id")
		signed, err := webhook.Sign(id, specTime, body, secret)
		require.NoError(t, err)
		signedA, err := webhook.Sign(id, specTime, body, private)
		require.NoError(t, err)
		signedHex, err := webhook.SignHex(specTime, body, secret)
		require.NoError(t, err)

		changed := slices.Clone(body)
		changed[rapid.IntRange(0, len(body)-1).Draw(t, "at")] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		standard, err := webhook.NewVerifier([]webhook.Secret{secret, private}, clockAt(specTime))
		require.NoError(t, err)
		hexVerifier, err := webhook.NewVerifier([]webhook.Secret{secret}, clockAt(specTime), webhook.WithScheme(webhook.SchemeHex))
		require.NoError(t, err)
		for _, c := range []struct {
			verifier  *webhook.Verifier
			signature string
		}{{standard, signed}, {standard, signedA}, {hexVerifier, signedHex}} {
			_, err = c.verifier.Verify(headers(id, specTime, c.signature), body)
			require.NoError(t, err)
			_, err = c.verifier.Verify(headers(id, specTime, c.signature), changed)
			require.ErrorIs(t, err, webhook.ReasonBadSignature)
			_, err = c.verifier.Verify(headers(id, specTime.Add(time.Second), c.signature), body)
			require.ErrorIs(t, err, webhook.ReasonBadSignature)
		}
		_, err = standard.Verify(headers(id+"x", specTime, signed), body)
		require.ErrorIs(t, err, webhook.ReasonBadSignature)
	})
}

// Whatever arrives, Verify answers with one of its reasons, and accepts only
// what carries the one right signature.
func FuzzVerify(f *testing.F) {
	f.Add(specID, "1614265330", specV1, specBody)
	f.Add(specID, "1614265330", specV1+" "+specV1a, specBody)
	f.Add(specID, "1614265330", "v1,AAAA v2,x ,, v1=00", `{"a":"\ud83d\ude00\/<é","b":[1, 2]}`)
	f.Add(specID, "1614265330", "v1=e96203c6de850e7dc1fde7489ef6140b402d3a5a64fe250cd2eef9830fac1cef", specBody)
	f.Add("", "-1", " ", "\\u")
	standard := newVerifier(f, specSecret)
	hexVerifier := newVerifier(f, specSecret, webhook.WithScheme(webhook.SchemeHex))
	secret := mustParse(f, specSecret)
	f.Fuzz(func(t *testing.T, id, timestamp, signature, body string) {
		header := http.Header{"Webhook-Id": {id}, "Webhook-Timestamp": {timestamp}, "Webhook-Signature": {signature}}
		if message, err := standard.Verify(header, []byte(body)); err == nil {
			want, err := webhook.Sign(id, message.Timestamp, []byte(body), secret)
			require.NoError(t, err)
			require.Contains(t, signature, want)
		} else {
			_, ok := errors.AsType[*webhook.VerifyError](err)
			require.True(t, ok)
		}
		if message, err := hexVerifier.Verify(header, []byte(body)); err == nil {
			want, err := webhook.SignHex(message.Timestamp, []byte(body), secret)
			require.NoError(t, err)
			require.Contains(t, strings.ToLower(signature), want)
		} else {
			_, ok := errors.AsType[*webhook.VerifyError](err)
			require.True(t, ok)
		}
	})
}
