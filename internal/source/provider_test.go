package source

import (
	"crypto"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func twilioSign(secret, text string) Field {
	sum := keyed(crypto.SHA1, []byte(secret), [][]byte{[]byte(text)})
	return Field{"X-Twilio-Signature", base64.StdEncoding.EncodeToString(sum)}
}

func TestTwilio_BodiesThatAreNoForms(t *testing.T) {
	t.Parallel()
	body := []byte(`{"MessageSid":"SM1"}`)
	sum := sha256.Sum256(body)
	address := "https://a.example/in?bodySHA256=" + hex.EncodeToString(sum[:])
	verify := func(address, kind, signed string, body []byte) Verdict {
		header := Header{twilioSign("s", signed)}
		if kind != "" {
			header = append(header, Field{"Content-Type", kind})
		}
		return verifyWith("twilio", "s", Request{Method: "POST", URL: address, Header: header, Body: body}, Options{}, time.Time{})
	}
	v := verify(address, "application/json; charset=utf-8", address, body)
	require.Equal(t, OK, v.Result, v.Explain())
	require.Equal(t, "SM1", v.ID)
	require.Equal(t, BodyChanged, verify(address, "application/json", address, append(body, ' ')).Reason)
	require.Equal(t, BodyNotCovered, verify("https://a.example/in", "application/json", "https://a.example/in", body).Reason)
	require.Equal(t, BadSignature, verify("https://a.example/in", "", "https://a.example/in", body).Result, "taken for a form, all of it is signed")
	require.Equal(t, OK, verify("https://a.example/in?CallSid=CA1", "", "https://a.example/in?CallSid=CA1", nil).Result)
	require.Equal(t, Malformed, verify("", "", "", nil).Result)
}

func TestTwilio_FieldsAndPorts(t *testing.T) {
	t.Parallel()
	form := url.Values{"b": {"2", "1", "2"}, "A": {"x"}}
	verify := func(address, signed string) Result {
		return verifyWith("twilio", "s", Request{
			Method: "POST", URL: address, Body: []byte(form.Encode()),
			Header: Header{twilioSign("s", signed+"Axb1b2"), {"Content-Type", "application/x-www-form-urlencoded"}},
		}, Options{}, time.Time{}).Result
	}
	for _, signed := range []string{"https://u:p@a.example/in", "https://u:p@a.example:443/in"} {
		require.Equal(t, OK, verify("https://u:p@a.example/in", signed), signed)
	}
	require.Equal(t, OK, verify("http://a.example/in", "http://a.example:80/in"))
	require.Equal(t, OK, verify("http://[::1]:8080/in", "http://[::1]/in"))
	require.Equal(t, BadSignature, verify("https://a.example/in", "https://a.example:444/in"))
}

func TestStandard_SecretsAndLists(t *testing.T) {
	t.Parallel()
	key := []byte("0123456789abcdef01234567")
	sum := base64.StdEncoding.EncodeToString(keyed(crypto.SHA256, key, [][]byte{[]byte("m.1700000000.{}")}))
	verify := func(secret, id, list string) Verdict {
		return verifyWith("resend", secret, Request{Body: []byte("{}"), Header: Header{
			{"svix-id", id}, {"svix-timestamp", "1700000000"}, {"svix-signature", list},
		}}, Options{}, time.Unix(1_700_000_000, 0))
	}
	encoded := base64.RawStdEncoding.EncodeToString(key)
	for _, secret := range []string{encoded, "whsec_" + encoded, "v1,whsec_" + encoded, base64.URLEncoding.EncodeToString(key)} {
		require.Equal(t, OK, verify(secret, "m", "v1,"+sum).Result, secret)
	}
	require.Equal(t, OK, verify(encoded, "m", "junk v1a,x v1,"+sum).Result)
	require.Equal(t, SignatureVersion, verify(encoded, "m", "v2,"+sum).Reason)
	require.Equal(t, Malformed, verify(encoded, "m", sum).Result)
	require.Equal(t, Malformed, verify(encoded, "m.1", "v1,"+sum).Result)
	require.Equal(t, SecretUnusable, verify("!", "m", "v1,"+sum).Reason)
	require.Equal(t, SignatureEncoding, verify(encoded, "m", "v1,"+hex.EncodeToString(keyed(crypto.SHA256, key, [][]byte{[]byte("m.1700000000.{}")}))).Reason)
}

func TestMailgun_Forms(t *testing.T) {
	t.Parallel()
	sum := hex.EncodeToString(keyed(crypto.SHA256, []byte("s"), [][]byte{[]byte("1700000000token")}))
	verify := func(body string) Verdict {
		return verifyWith("mailgun", "s", Request{
			Body: []byte(body), Header: Header{{"Content-Type", "application/x-www-form-urlencoded"}},
		}, Options{Window: time.Minute}, time.Unix(1_700_000_000, 0))
	}
	v := verify("timestamp=1700000000&token=token&signature=" + sum)
	require.Equal(t, OK, v.Result, v.Explain())
	require.Equal(t, "1700000000token", v.Items[0].Dedupe)
	require.Equal(t, "token", v.ID)
	require.Equal(t, BodyAmbiguous, verify("timestamp=1700000000&token=token&token=x&signature="+sum).Reason)
	require.Equal(t, MissingHeader, verify("timestamp=1700000000&token=token").Result)
	require.Equal(t, Malformed, verify("%").Result)
}

// Whoever holds one signature of Mailgun's can put other data beside it; the
// token, which is signed, is the same then, and so it is no new event.
func TestMailgun_OneTokenIsOneEvent(t *testing.T) {
	t.Parallel()
	sum := hex.EncodeToString(keyed(crypto.SHA256, []byte("s"), [][]byte{[]byte("1token")}))
	key := func(data string) string {
		body := `{"signature":{"timestamp":"1","token":"token","signature":"` + sum + `"},"event-data":` + data + `}`
		v := verifyWith("mailgun", "s", Request{Body: []byte(body)}, Options{}, time.Time{})
		require.Equal(t, OK, v.Result)
		return v.Items[0].Dedupe
	}
	require.Equal(t, key(`{"id":"a"}`), key(`{"id":"b"}`))
}

func TestDiscord_TellsEventsFromPings(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]Result{
		`{"type":0}`:                            Challenge,
		`{"type":1}`:                            Challenge,
		`{"type":1,"event":{"type":"A"}}`:       OK,
		`{"type":2,"data":{}}`:                  OK,
		`{"type":"0"}`:                          Challenge,
		`{"application_id":"1","version":1}`:    OK,
		`{"type":1,"token":"x","version":1}`:    Challenge,
		`{"event":{"type":"B"},"type":1,"a":1}`: OK,
	} {
		c := &call{Request: Request{Body: []byte(body)}}
		require.Equal(t, want, c.discordEvent("s").Result, body)
	}
}

func TestRecords_TakeHeadersInEveryForm(t *testing.T) {
	t.Parallel()
	want := Header{{"A", "1"}, {"a", "2"}, {"B", "3"}}
	for _, text := range []string{
		`"headers":{"A":"1","a":"2","B":"3"}`,
		`"headers":{"A":"1","a":["2"],"B":"3"}`,
		`"headers_list":[["A","1"],["a","2"],["B","3"]]`,
		`"headers_list":[{"name":"A","value":"1"},{"name":"a","value":"2"},{"B":"3"}]`,
		`"headers":{"A":"1"},"headers_list":[["a","2"],["B","3"]]`,
	} {
		record, err := ParseRecord([]byte(`{"provider":"github","secret":"s",` + text + `}`))
		require.NoError(t, err, text)
		require.Equal(t, want, record.Request.Header, text)
	}
	for _, text := range []string{`"headers":1`, `"headers":{"A":null}`, `"headers_list":[["A"]]`, `"headers_list":["A: b"]`, `"body_b64":"!"`, `"secret":1`, `"secret":[1]`} {
		_, err := ParseRecord([]byte(`{"provider":"github",` + text + `}`))
		require.Error(t, err, text)
	}
	twice, err := ParseRecord([]byte(`{"provider":"github","secret":"s","headers_list":[["X-Hub-Signature-256","sha256=00"],["x-hub-signature-256","sha256=00"]]}`))
	require.NoError(t, err)
	require.Equal(t, Malformed, twice.Judge().Verdict)
}
