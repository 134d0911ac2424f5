package source

import (
	"bytes"
	"crypto"
	"encoding/base64"
	"encoding/hex"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const signedBody = `{"id":"é🚀/<","n":[1,{"a":null}]}`

// sha signs in the way of GitHub.
func sha(secret, body string) string {
	return "sha256=" + hex.EncodeToString(keyed(crypto.SHA256, []byte(secret), [][]byte{[]byte(body)}))
}

func verifyWith(provider, secret string, request Request, options Options, now time.Time) Verdict {
	p, _ := Lookup(provider)
	return p.Verify(request, []Secret{{Name: "s", Value: secret}}, options, now)
}

func TestDiagnosis_TheBodyWasReencoded(t *testing.T) {
	t.Parallel()
	for signed, arrived := range map[string]string{
		signedBody + "\n": signedBody,
		signedBody:        signedBody + "\r\n",
		`{"id":"\u00e9\ud83d\ude80/<","n":[1,{"a":null}]}`:                                      signedBody,
		`{"id":"\u00e9\ud83d\ude80\/<","n":[1,{"a":null}]}`:                                     signedBody,
		`{"id":"é🚀/\u003c","n":[1,{"a":null}]}`:                                                 signedBody,
		`{"id": "é🚀/<", "n": [1, {"a": null}]}`:                                                 signedBody,
		`{"id": "\u00e9\ud83d\ude80/<", "n": [1, {"a": null}]}`:                                 signedBody,
		"{\n  \"id\": \"é🚀/<\",\n  \"n\": [\n    1,\n    {\n      \"a\": null\n    }\n  ]\n}\n": signedBody,
		"a=%2F+b":     "a=%2f+b",
		"a=b+c%2F":    "a=b%20c%2F",
		"a\r\nb":      "a\nb",
		"\ufeff{}":    "{}",
		"{\"a\":1}\n": "\ufeff{\"a\":1}\n",
	} {
		v := verifyWith("github", "secret", Request{Header: Header{{"X-Hub-Signature-256", sha("secret", signed)}}, Body: []byte(arrived)}, Options{}, time.Time{})
		require.Equal(t, BadSignature, v.Result)
		require.Equal(t, BodyReencoded, v.Reason, "%q", signed)
		require.NotEmpty(t, v.Detail)
	}
}

func TestDiagnosis_IsBoundedAtThePublicDoor(t *testing.T) {
	t.Parallel()
	large := bytes.Repeat([]byte("a"), maxDiagnosed+1)
	request := Request{Header: Header{{"X-Hub-Signature-256", sha("secret", string(large[1:])+"a\n")}}, Body: large}
	require.Equal(t, SignatureUndiagnosed, verifyWith("github", "secret", request, Options{}, time.Time{}).Reason)
	require.Equal(t, BodyReencoded, verifyWith("github", "secret", request, Options{Thorough: true}, time.Time{}).Reason)
}

func TestDiagnosis_OfSecretsAndSignatures(t *testing.T) {
	t.Parallel()
	sum := keyed(crypto.SHA256, []byte("secret"), [][]byte{[]byte(signedBody)})
	sha512 := keyed(crypto.SHA512, []byte("secret"), [][]byte{[]byte(signedBody)})
	for name, test := range map[string]struct {
		secret, header string
		reason         Reason
	}{
		"white space":    {"secret\n", sha("secret", signedBody), SecretHasSpace},
		"quotes":         {`"secret"`, sha("secret", signedBody), SecretHasSpace},
		"base64":         {base64.StdEncoding.EncodeToString([]byte("secret")), sha("secret", signedBody), SecretOtherEncoding},
		"decoded":        {"secret", sha(base64.StdEncoding.EncodeToString([]byte("secret")), signedBody), SecretOtherEncoding},
		"hex":            {hex.EncodeToString([]byte("secret")), sha("secret", signedBody), SecretOtherEncoding},
		"prefix":         {"whsec_secret", sha("secret", signedBody), SecretOtherEncoding},
		"signature":      {"secret", "sha256=" + base64.StdEncoding.EncodeToString(sum), SignatureEncoding},
		"algorithm":      {"secret", "sha256=" + hex.EncodeToString(sha512), SignatureAlgorithm},
		"another secret": {"secret", sha("other", signedBody), WrongSecret},
		"cut off":        {"secret", sha("secret", signedBody)[:20], WrongSecret},
		"not hex":        {"secret", "sha256=zz", WrongSecret},
	} {
		v := verifyWith("github", test.secret, Request{Header: Header{{"X-Hub-Signature-256", test.header}}, Body: []byte(signedBody)}, Options{}, time.Time{})
		require.Equal(t, BadSignature, v.Result, name)
		require.Equal(t, test.reason, v.Reason, name)
	}
}

func TestDiagnosis_OfTheAddress(t *testing.T) {
	t.Parallel()
	sign := func(address string) Header {
		sum := keyed(crypto.SHA256, []byte("secret"), [][]byte{[]byte(address), []byte(signedBody)})
		return Header{{"x-square-hmacsha256-signature", base64.StdEncoding.EncodeToString(sum)}}
	}
	for signed, set := range map[string]string{
		"https://hooks.example.com/in":  "http://hooks.example.com/in",
		"https://hooks.example.com/in/": "https://hooks.example.com/in",
		"https://hooks.example.com/":    "https://hooks.example.com/?a=1",
		"":                              "https://hooks.example.com/in",
	} {
		v := verifyWith("square", "secret", Request{URL: set, Header: sign(signed), Body: []byte(signedBody)}, Options{}, time.Time{})
		require.Equal(t, URLDiffers, v.Reason, signed)
	}
	require.Equal(t, URLMalformed, verifyWith("square", "secret", Request{Header: sign("")}, Options{}, time.Time{}).Reason)
}

func TestDiagnosis_ATimeThatIsNotSigned(t *testing.T) {
	t.Parallel()
	header := Header{{"X-Slack-Request-Timestamp", "1700000000"}, {"X-Slack-Signature", strings.Replace(sha("secret", signedBody), "sha256=", "v0=", 1)}}
	v := verifyWith("slack", "secret", Request{Header: header, Body: []byte(signedBody)}, Options{}, time.Unix(1_700_000_000, 0))
	require.Equal(t, TimestampChanged, v.Reason)
}

func TestDiagnosis_AnotherProvidersHeader(t *testing.T) {
	t.Parallel()
	v := verifyWith("github", "secret", Request{Header: Header{{"Stripe-Signature", "t=1,v1=aa"}}}, Options{}, time.Time{})
	require.Equal(t, MissingHeader, v.Result)
	require.Equal(t, OtherHeader, v.Reason)
	require.Contains(t, v.Explain(), "Stripe")
	v = verifyWith("github", "secret", Request{Header: Header{{"X-Hub-Signature", "sha1=aa"}}}, Options{}, time.Time{})
	require.Equal(t, HeaderMissing, v.Reason)
	require.Contains(t, v.Explain(), "SHA-1")
}

// The window counts in both directions, to the second, and the skew is told.
func TestWindow(t *testing.T) {
	t.Parallel()
	signed := time.Unix(1_700_000_000, 0)
	sum := hex.EncodeToString(keyed(crypto.SHA256, []byte("secret"), [][]byte{[]byte("1700000000."), []byte(signedBody)}))
	request := Request{Header: Header{{"Stripe-Signature", "t=1700000000,v1=" + sum}}, Body: []byte(signedBody)}
	for _, test := range []struct {
		now    time.Time
		window time.Duration
		want   Reason
	}{
		{signed.Add(300 * time.Second), 0, Verified},
		{signed.Add(301 * time.Second), 0, TooOld},
		{signed.Add(-300 * time.Second), 0, Verified},
		{signed.Add(-301 * time.Second), 0, FromTheFuture},
		{signed.Add(301 * time.Second), 10 * time.Minute, Verified},
		{signed.Add(2 * time.Second), time.Second, TooOld},
		{signed.Add(1000 * time.Hour), NoWindow, Verified},
		{time.Time{}, 0, Verified},
	} {
		v := verifyWith("stripe", "secret", request, Options{Window: test.window}, test.now)
		require.Equal(t, test.want, v.Reason, "%v", test)
		if v.Result == Stale {
			require.Equal(t, test.now.Sub(signed), v.Skew)
		}
	}
	old := verifyWith("stripe", "other", request, Options{}, signed.Add(time.Hour))
	require.Equal(t, BadSignature, old.Result, "a time that nobody vouches for is neither old nor new")
}

// A forged body costs no more than its length: not the square of its depth.
func TestOriginals_AreNotMadeToIndentWhatNobodyWould(t *testing.T) {
	t.Parallel()
	deep := []byte(strings.Repeat("[", 9000) + strings.Repeat("]", 9000))
	wide := []byte(strings.Repeat("[", 60) + strings.Repeat("1,", 100_000) + "1" + strings.Repeat("]", 60))
	for _, body := range [][]byte{deep, wide} {
		longest := 0
		for _, original := range originals(body) {
			longest = max(longest, len(original))
		}
		require.LessOrEqual(t, longest, 3*len(body))
	}
	require.True(t, isIndentable([]byte(`{"a":[1,2,{"b":{"c":"[[[[[[[[[[[[[[[[[[[["}}]}`)))
}
