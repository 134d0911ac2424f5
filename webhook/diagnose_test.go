package webhook_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/malotehq/malote/webhook"
)

func diagnosed(t testing.TB, secret, signature, body string) *webhook.VerifyError {
	t.Helper()
	_, err := newVerifier(t, secret).Verify(headers(specID, specTime, signature), []byte(body))
	return requireRefused(t, err, webhook.ReasonBadSignature)
}

func TestDiagnosis_BodyReencoded(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ signed, received, detail string }{
		"newline added":           {`{"a":1}`, "{\"a\":1}\n", "added"},
		"CR LF added":             {`{"a":1}`, "{\"a\":1}\r\n", "added"},
		"newline removed":         {"a=1\n", "a=1", "removed"},
		"CR LF removed":           {"a=1\r\n", "a=1", "removed"},
		"byte order mark removed": {"\ufeff{}", "{}", "byte order mark"},
		"byte order mark added":   {"{}", "\ufeff{}", "byte order mark"},
		"LF to CR LF":             {"a\nb\n", "a\r\nb\r\n", "CR LF"},
		"CR LF to LF":             {"a\r\nb\r\n", "a\nb\n", "lost"},
		"Python, then JavaScript": {`{"a": [1, 2], "b": "x, y: \", z: \\"}`, `{"a":[1,2],"b":"x, y: \", z: \\"}`, "white space"},
		"compact, then indented":  {`{"a":[1,{}]}`, "{\n    \"a\": [\n        1,\n        {}\n    ]\n}", "white space"},
		"indented, then compact":  {"{\n  \"a\": 1\n}", `{"a":1}`, "white space"},
		"raw, then ASCII":         {`{"a":"é😀"}`, `{"a":"\u00e9\ud83d\ude00"}`, "escapes"},
		"ASCII, then raw":         {`{"a":"\u00e9\ud83d\ude00"}`, `{"a":"é😀"}`, "escapes"},
		"HTML-safe, then raw":     {`{"a":"\u003cb\u003e \u0026"}`, `{"a":"<b> &"}`, "escapes"},
		"raw, then HTML-safe":     {`{"a":"<b> &"}`, `{"a":"\u003cb\u003e \u0026"}`, "escapes"},
		"PHP, then JavaScript":    {`{"a":"https:\/\/caf\u00e9\/"}`, `{"a":"https://café/"}`, "escapes"},
		"Python ASCII, then Go":   {`{"a": "\u00e9<\u0000\ud800"}`, `{"a":"é\u003c\u0000\ud800"}`, "white space"},
	} {
		for secret, signer := range map[string]string{specSecret: specSecret, specPublic: specPrivate} {
			signature, err := webhook.Sign(specID, specTime, []byte(c.signed), webhook.GenerateSecret(), mustParse(t, signer))
			require.NoError(t, err)
			refused := diagnosed(t, secret, signature, c.received)
			require.Equal(t, webhook.DiagnosisBodyReencoded, refused.Diagnosis, name)
			require.Contains(t, refused.Detail, c.detail, name)
			require.Contains(t, refused.Error(), "body was re-encoded", name)
		}
	}
}

func TestDiagnosis_WrongSecretOrContent(t *testing.T) {
	t.Parallel()
	signature, err := webhook.Sign(specID, specTime, []byte(specBody), webhook.GenerateSecret())
	require.NoError(t, err)
	require.Equal(t, webhook.DiagnosisWrongSecret, diagnosed(t, specSecret, signature, specBody).Diagnosis)
	for _, body := range []string{`{"test": 2432232315}`, `{"test": "2432232314"}`, `{"test": 2432232314`, ""} {
		require.Equal(t, webhook.DiagnosisWrongSecret, diagnosed(t, specSecret, specV1, body).Diagnosis)
	}
	large := strings.Repeat(" ", 16<<10) + specBody
	require.Equal(t, webhook.DiagnosisNone, diagnosed(t, specSecret, specV1, large).Diagnosis)
}

func TestDiagnosis_Version(t *testing.T) {
	t.Parallel()
	require.Equal(t, webhook.DiagnosisVersion, diagnosed(t, specSecret, specV1a, specBody).Diagnosis)
	require.Equal(t, webhook.DiagnosisVersion, diagnosed(t, specPublic, specV1, specBody).Diagnosis)
	require.Equal(t, webhook.DiagnosisVersion, diagnosed(t, specSecret, "v2"+specV1[2:], specBody).Diagnosis)
}

func TestDiagnosis_SignatureEncoding(t *testing.T) {
	t.Parallel()
	sum, err := base64.StdEncoding.DecodeString(specV1[3:])
	require.NoError(t, err)
	for _, text := range []string{
		hex.EncodeToString(sum), strings.ToUpper(hex.EncodeToString(sum)),
		base64.RawStdEncoding.EncodeToString(sum), base64.URLEncoding.EncodeToString(sum), base64.RawURLEncoding.EncodeToString(sum),
	} {
		require.Equal(t, webhook.DiagnosisSignatureEncoding, diagnosed(t, specSecret, "v1,"+text, specBody).Diagnosis, text)
	}
	hexVerifier := newVerifier(t, specSecret, webhook.WithScheme(webhook.SchemeHex))
	signed, err := webhook.SignHex(specTime, []byte(specBody), mustParse(t, specSecret))
	require.NoError(t, err)
	sum, err = hex.DecodeString(signed[3:])
	require.NoError(t, err)
	_, err = hexVerifier.Verify(headers(specID, specTime, "v1="+base64.StdEncoding.EncodeToString(sum)), []byte(specBody))
	require.Equal(t, webhook.DiagnosisSignatureEncoding, requireRefused(t, err, webhook.ReasonBadSignature).Diagnosis)
}

func TestDiagnosis_SecretNotDecoded(t *testing.T) {
	t.Parallel()
	for _, text := range []string{specSecret, strings.TrimPrefix(specSecret, "whsec_")} {
		mac := hmac.New(sha256.New, []byte(text))
		mac.Write([]byte(specID + ".1614265330." + specBody))
		signature := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
		require.Equal(t, webhook.DiagnosisSecretNotDecoded, diagnosed(t, specSecret, signature, specBody).Diagnosis)
	}
}

// What json.Marshal, which escapes for HTML, makes of strings that were signed
// without those escapes is recognised as the same body.
func TestDiagnosis_GoReencodesStrings(t *testing.T) {
	t.Parallel()
	secret := mustParse(t, specSecret)
	rapid.Check(t, func(rt *rapid.T) {
		// Go escapes U+2028 and U+2029 either way, which mixes two styles.
		word := rapid.Map(rapid.String(), strings.NewReplacer("\u2028", "", "\u2029", "").Replace)
		words := rapid.SliceOf(word).Draw(rt, "words")
		var signed bytes.Buffer
		encoder := json.NewEncoder(&signed)
		encoder.SetEscapeHTML(false)
		require.NoError(rt, encoder.Encode(words))
		body := bytes.TrimSuffix(signed.Bytes(), []byte("\n"))
		received, err := json.Marshal(words)
		require.NoError(rt, err)
		signature, err := webhook.Sign(specID, specTime, body, secret)
		require.NoError(rt, err)
		verifier := newVerifier(t, specSecret)
		_, err = verifier.Verify(headers(specID, specTime, signature), received)
		if bytes.Equal(body, received) {
			require.NoError(rt, err)
			return
		}
		require.Equal(rt, webhook.DiagnosisBodyReencoded, requireRefused(t, err, webhook.ReasonBadSignature).Diagnosis)
	})
}
