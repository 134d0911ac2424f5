package source

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Where nothing parts the signed time from the body, a captured signature must
// not hold for another place to part them.
func TestCaptured_TimeAndBodyAreNotMoved(t *testing.T) {
	t.Parallel()
	shared := func(text string) string {
		return base64.StdEncoding.EncodeToString(keyed(crypto.SHA256, []byte("s"), [][]byte{[]byte(text)}))
	}
	public, private, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	curve, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	der, err := x509.MarshalPKIXPublicKey(&curve.PublicKey)
	require.NoError(t, err)
	for name, test := range map[string]struct {
		provider, secret, clock, body string
		signature, timestamp          string
		sign                          func(text string) string
	}{
		"zendesk":          {"zendesk", "s", "2023-11-14T22:13:20Z", `{"comment":{"type":"zen:event-type:evil","id":"1"}}`, "X-Zendesk-Webhook-Signature", "X-Zendesk-Webhook-Signature-Timestamp", shared},
		"zendesk's offset": {"zendesk", "s", "2023-11-14T22:13:20+01:00", `{"a":1}`, "X-Zendesk-Webhook-Signature", "X-Zendesk-Webhook-Signature-Timestamp", shared},
		"zendesk's tests":  {"zendesk", "s", "1234", `{"a":1}`, "X-Zendesk-Webhook-Signature", "X-Zendesk-Webhook-Signature-Timestamp", shared},
		"discord": {"discord", hex.EncodeToString(public), "1700000000", `{"type":1,"x":{"a":"b"}}`, "X-Signature-Ed25519", "X-Signature-Timestamp", func(text string) string {
			return hex.EncodeToString(ed25519.Sign(private, []byte(text)))
		}},
		"sendgrid": {"sendgrid", base64.StdEncoding.EncodeToString(der), "1700000000", `[{"sg_event_id":"1"},{"sg_event_id":"2"}]`, sendgridSignature, sendgridTimestamp, func(text string) string {
			sum := sha256.Sum256([]byte(text))
			signature, err := ecdsa.SignASN1(rand.Reader, curve, sum[:])
			require.NoError(t, err)
			return base64.StdEncoding.EncodeToString(signature)
		}},
	} {
		whole := test.clock + test.body
		signature := test.sign(whole)
		for at := 1; at <= len(whole); at++ {
			v := verifyWith(test.provider, test.secret, Request{
				Method: "POST", Body: []byte(whole[at:]), Header: Header{{test.signature, signature}, {test.timestamp, whole[:at]}},
			}, Options{}, time.Time{})
			require.Equal(t, at == len(test.clock), v.Accepted(), "%s: %q", name, whole[:at])
		}
	}
}

func TestCaptured_MailgunIsOneEvent(t *testing.T) {
	t.Parallel()
	const clock, token = "1700000000", "a8ce0edb2dd8301dee6c2405235584e45aa91d1e9f979f3de0"
	whole := clock + token
	sum := hex.EncodeToString(keyed(crypto.SHA256, []byte("s"), [][]byte{[]byte(whole)}))
	verify := func(clock, token string) Verdict {
		body := fmt.Sprintf(`{"signature":{"timestamp":%q,"token":%q,"signature":%q},"event-data":{"id":%q}}`, clock, token, sum, clock)
		return verifyWith("mailgun", "s", Request{Method: "POST", Body: []byte(body)}, Options{}, time.Time{})
	}
	for at := 1; at < len(whole); at++ {
		if v := verify(whole[:at], whole[at:]); v.Result == OK {
			require.Equal(t, whole, v.Items[0].Dedupe)
		}
	}
	require.Equal(t, OK, verify(clock, token).Result)
	require.Equal(t, TimestampMalformed, verify(clock+"a", token[1:]).Reason)
	require.Equal(t, Malformed, verify(clock, "").Result)
	for _, token := range []string{" " + token, token + "\n", "a b", "é", strings.Repeat("a", 129)} {
		require.Equal(t, SignatureMalformed, verify(clock, token).Reason, token)
	}
}

func TestCaptured_PayPalWithinItsWindow(t *testing.T) {
	t.Parallel()
	const address = "https://api.paypal.com/v1/notifications/certs/CERT-1"
	certificate := certificateFor(t, "messageverificationcerts.paypal.com")
	body := []byte(`{"id":"WH-1","event_type":"X"}`)
	verify := func(at string, window time.Duration) Verdict {
		return verifyWith("paypal", "W", Request{Body: body, Header: Header{
			{paypalAlgorithm, "SHA256withRSA"}, {paypalCertificate, address}, {paypalID, "T"}, {paypalTime, at},
			{paypalSignature, signRSA(t, crypto.SHA256, fmt.Sprintf("T|%s|W|%d", at, crc32.ChecksumIEEE(body)))},
		}}, Options{Window: window, Fetched: map[string][]byte{address: certificate}}, time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC))
	}
	for _, test := range []struct {
		at     string
		window time.Duration
		want   Reason
	}{
		{"2023-12-31T23:59:00Z", time.Minute, Verified},
		{"2023-12-31T23:58:59Z", time.Minute, TooOld},
		{"2024-01-01T00:01:01Z", time.Minute, FromTheFuture},
		{"1704067200", time.Minute, TimestampMalformed},
		{"2020-01-01T00:00:00Z", 0, Verified},
		{"2020-01-01T00:00:00Z", NoWindow, Verified},
	} {
		v := verify(test.at, test.window)
		require.Equal(t, test.want, v.Reason, "%v", test)
		if test.want == Verified {
			require.Equal(t, "WH-1", v.Items[0].Dedupe)
			require.Equal(t, "WH-1", v.ID)
		}
	}
}

func TestCaptured_MercadoPagoIsAboutWhatItSigned(t *testing.T) {
	t.Parallel()
	verify := func(query, request, manifest, body string) Verdict {
		sum := hex.EncodeToString(keyed(crypto.SHA256, []byte("s"), [][]byte{[]byte(manifest + "ts:1700000000;")}))
		header := Header{{"x-signature", "ts=1700000000,v1=" + sum}}
		if request != "" {
			header = append(header, Field{"x-request-id", request})
		}
		return verifyWith("mercadopago", "s", Request{Method: "POST", URL: "https://a.example/in" + query, Header: header, Body: []byte(body)}, Options{}, time.Time{})
	}
	const both = "id:a1;request-id:r;"
	for name, test := range map[string]struct {
		query, request, manifest, body string
		want                           Reason
		key                            string
	}{
		"as it is sent":            {"?data.id=A1", "r", both, `{"id":1,"data":{"id":"A1"}}`, Verified, "1"},
		"another event's id":       {"?data.id=A1", "r", both, `{"id":2,"data":{"id":"a1"}}`, Verified, "2"},
		"another resource":         {"?data.id=A1", "r", both, `{"id":1,"data":{"id":"A2"}}`, BodyNotCovered, ""},
		"another one, in numbers":  {"?data.id=12", "r", "id:12;request-id:r;", `{"id":1,"data":{"id":13}}`, BodyNotCovered, ""},
		"the same one, in numbers": {"?data.id=12", "r", "id:12;request-id:r;", `{"id":1,"data":{"id":12}}`, Verified, "1"},
		"no text":                  {"?data.id=A1", "r", both, `{"id":1,"data":{"id":["A1"]}}`, BodyNotCovered, ""},
		"two resources":            {"?data.id=A1", "r", both, `{"id":1,"data":{"id":"A1","id":"A2"}}`, BodyAmbiguous, ""},
		"none in the body":         {"?data.id=A1", "r", both, `{"id":1}`, Verified, "1"},
		"none in the URL":          {"", "r", "request-id:r;", `{"id":1,"data":{"id":"A1"}}`, Verified, "1"},
		"no request":               {"?data.id=A1", "", "id:a1;", `{"id":1}`, Verified, "1"},
		"a time alone":             {"", "", "", `{"id":1}`, Verified, "1"},
		"moved into the URL":       {"?data.id=a1%3Brequest-id:r", "", both, `{"id":1}`, SignatureMalformed, ""},
		"moved into the header":    {"", "r;ts:1", "request-id:r;ts:1;", `{"id":1}`, SignatureMalformed, ""},
		"two in the URL":           {"?data.id=A1&data.id=A2", "r", both, `{"id":1}`, HeaderTwice, ""},
	} {
		v := verify(test.query, test.request, test.manifest, test.body)
		require.Equal(t, test.want, v.Reason, "%s: %s", name, v.Explain())
		if test.want == Verified {
			require.Equal(t, test.key, v.Items[0].Dedupe, name)
		}
	}
}
