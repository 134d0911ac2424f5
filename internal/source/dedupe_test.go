package source

import (
	"crypto"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// signedFor is a request that a provider's sender with the secret u:p signs.
func signedFor(provider, body string) Request {
	sum := keyed(crypto.SHA256, []byte("u:p"), [][]byte{[]byte(body)})
	header := map[string]Header{
		"docusign": {{"X-DocuSign-Signature-1", base64.StdEncoding.EncodeToString(sum)}},
		"gitlab":   {{"X-Gitlab-Token", "u:p"}, {"X-Gitlab-Event-UUID", "uuid"}},
		"meta":     {{"X-Hub-Signature-256", "sha256=" + hex.EncodeToString(sum)}},
		"postmark": {{"Authorization", "Basic " + base64.StdEncoding.EncodeToString([]byte("u:p"))}},
	}
	return Request{Method: "POST", URL: "https://a.example/in", Header: header[provider], Body: []byte(body)}
}

func keyOf(t *testing.T, provider string, request Request) string {
	t.Helper()
	v := verifyWith(provider, "u:p", request, Options{}, time.Unix(1_700_000_000, 0))
	require.Equal(t, OK, v.Result, v.Explain())
	return v.Items[0].Dedupe
}

// Two events that a provider's identifier runs together are two all the same.
func TestDedupe_LosesNoEvent(t *testing.T) {
	t.Parallel()
	instagram := func(message string) string {
		return `{"object":"instagram","entry":[{"id":"1","messaging":[{"sender":{"id":"s"},"recipient":{"id":"r"},"timestamp":1,` + message + `}]}]}`
	}
	whatsapp := func(value string) string {
		return `{"entry":[{"changes":[{"field":"messages","value":{` + value + `}}]}]}`
	}
	for name, test := range map[string]struct{ provider, one, other string }{
		"branches pushed at once":  {"gitlab", `{"ref":"a"}`, `{"ref":"b"}`},
		"recipients of a message":  {"postmark", `{"RecordType":"Delivery","MessageID":"M","Recipient":"a@x","DeliveredAt":"1"}`, `{"RecordType":"Delivery","MessageID":"M","Recipient":"b@x","DeliveredAt":"1"}`},
		"complaints of a message":  {"postmark", `{"RecordType":"SpamComplaint","MessageID":"M","Email":"a@x","BouncedAt":"1"}`, `{"RecordType":"SpamComplaint","MessageID":"M","Email":"b@x","BouncedAt":"1"}`},
		"an envelope sent twice":   {"docusign", `{"event":"envelope-resent","generatedDateTime":"1","data":{"envelopeId":"E"}}`, `{"event":"envelope-resent","generatedDateTime":"2","data":{"envelopeId":"E"}}`},
		"a message and its end":    {"meta", instagram(`"message":{"mid":"M","text":"hello"}`), instagram(`"message":{"mid":"M","is_deleted":true}`)},
		"a message and its echo":   {"meta", instagram(`"message":{"mid":"M","text":"hello"}`), instagram(`"message":{"mid":"M","text":"hello","is_echo":true}`)},
		"two escaped differently":  {"meta", instagram(`"message":{"mid":"M","text":"hello"}`), instagram(`"message":{"mid":"M","text":"hello","is\u005fdeleted":true}`)},
		"readers of a group":       {"meta", whatsapp(`"statuses":[{"id":"w","status":"read","timestamp":"1","recipient_id":"g","recipient_participant_id":"1"}]`), whatsapp(`"statuses":[{"id":"w","status":"read","timestamp":"1","recipient_id":"g","recipient_participant_id":"2"}]`)},
		"recipients of a template": {"meta", whatsapp(`"statuses":[{"id":"w","status":"read","timestamp":"1","recipient_id":"1"}]`), whatsapp(`"statuses":[{"id":"w","status":"read","timestamp":"1","recipient_id":"2"}]`)},
		"a status that comes back": {"meta", whatsapp(`"statuses":[{"id":"w","status":"failed","timestamp":"1"}]`), whatsapp(`"statuses":[{"id":"w","status":"failed","timestamp":"2"}]`)},
		"a message that is edited": {"meta", whatsapp(`"messages":[{"id":"w","type":"text"}]`), whatsapp(`"messages":[{"id":"w","type":"edit"}]`)},
		"one with an error":        {"meta", whatsapp(`"messages":[{"id":"w","type":"text"}]`), whatsapp(`"messages":[{"id":"w","type":"text","errors":[{"code":1}]}]`)},
		"a message and a status":   {"meta", whatsapp(`"messages":[{"id":"w","type":"text"}]`), whatsapp(`"messages":[{"id":"w","type":"text"}],"statuses":[{"id":"x","status":"read"}]`)},
	} {
		require.NotEqual(t, keyOf(t, test.provider, signedFor(test.provider, test.one)), keyOf(t, test.provider, signedFor(test.provider, test.other)), name)
	}
}

// What comes again is known, however its bytes differ.
func TestDedupe_KnowsRepetitions(t *testing.T) {
	t.Parallel()
	message := func(time string) Request {
		return signedFor("meta", `{"entry":[{"time":`+time+`,"messaging":[{"sender":{"id":"s"},"message":{"mid":"M","text":"hello"}}]}]}`)
	}
	require.Equal(t, keyOf(t, "meta", message("1")), keyOf(t, "meta", message("2")))
	hook := signedFor("gitlab", `{"attempt":1}`)
	hook.Header = append(hook.Header, Field{"Idempotency-Key", "k"})
	require.Equal(t, "k", keyOf(t, "gitlab", hook))
	v := verifyWith("gitlab", "u:p", signedFor("gitlab", "{}"), Options{}, time.Time{})
	require.Equal(t, "uuid", v.ID)
	bare := Request{Header: Header{{"X-Gitlab-Token", "u:p"}}, Body: []byte("{}")}
	require.Equal(t, BodyHash([]byte("{}")), keyOf(t, "gitlab", bare))
}

func TestDedupe_TwilioBySignedContent(t *testing.T) {
	t.Parallel()
	const address = "https://a.example/in"
	form := url.Values{"CallSid": {"CA1"}, "CallStatus": {"completed"}}
	post := func(address, signed, body string) string {
		return keyOf(t, "twilio", Request{
			Method: "POST", URL: address, Body: []byte(body),
			Header: Header{{"Content-Type", "application/x-www-form-urlencoded"}, twilioSign("u:p", signed)},
		})
	}
	signed := address + string(twilioFields(form))
	want := post(address, signed, form.Encode())
	for _, body := range []string{
		"CallStatus=completed&CallSid=CA1", "CallSid=CA1&CallStatus=completed&CallSid=CA1", "CallSid=%43A1&CallStatus=completed",
		"CallSid=CA1CallStatuscompleted",
	} {
		require.Equal(t, want, post(address, signed, body), body)
	}
	require.Equal(t, want, post("https://a.example:443/in", signed, form.Encode()), "the port was not signed")
	require.NotEqual(t, want, post(address, address+"CallSidCA1CallStatusringing", "CallSid=CA1&CallStatus=ringing"))
	get := func(status string) string {
		address := address + "?CallSid=CA1&CallStatus=" + status
		return keyOf(t, "twilio", Request{Method: "GET", URL: address, Header: Header{twilioSign("u:p", address)}})
	}
	require.NotEqual(t, get("ringing"), get("completed"))
	require.Equal(t, get("ringing"), get("ringing"))
}

// Whoever sends thousands of signatures is nobody known yet.
func TestDocuSign_BoundsItsSignatures(t *testing.T) {
	t.Parallel()
	with := func(count int, more ...Field) Verdict {
		request := signedFor("docusign", `{"event":"x","data":{"envelopeId":"e"}}`)
		for i := range count - 1 {
			request.Header = append(request.Header, Field{fmt.Sprintf("X-Docusign-Signature-%d", i+2), "a"})
		}
		request.Header = append(request.Header, more...)
		return verifyWith("docusign", "u:p", request, Options{}, time.Time{})
	}
	for name, test := range map[string]struct {
		verdict Verdict
		want    Reason
	}{
		"as many as may be":          {with(maxSignatures), Verified},
		"one more":                   {with(maxSignatures + 1), SignatureMalformed},
		"thousands, read no further": {with(60_000, Field{"X-DocuSign-Signature-2", "a"}), SignatureMalformed},
		"one twice":                  {with(2, Field{"x-docusign-signature-2", ""}), HeaderTwice},
		"one that is huge":           {with(2, Field{"X-DocuSign-Signature-3", strings.Repeat("a", maxHeaderValue+1)}), HeaderTooLong},
		"an empty one":               {with(2, Field{"X-DocuSign-Signature-3", " "}), Verified},
	} {
		require.Equal(t, test.want, test.verdict.Reason, name)
	}
}
