package source

import (
	"crypto"
	"encoding/base64"
	"encoding/hex"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func dedupes(v Verdict) (keys []string) {
	for _, item := range v.Items {
		keys = append(keys, item.Dedupe)
	}
	return keys
}

func bodies(v Verdict) (texts []string) {
	for _, item := range v.Items {
		texts = append(texts, string(item.Body))
	}
	return texts
}

// adyenBatch signs items whose fields are these.
func adyenBatch(references ...string) string {
	key, _ := hexKey("00ff")
	var items []string
	for _, reference := range references {
		sum := keyed(crypto.SHA256, key, [][]byte{[]byte(reference + "::M:::EUR:CAPTURE:true")})
		items = append(items, `{"NotificationRequestItem" :{"additionalData":{"hmacSignature":"`+base64.StdEncoding.EncodeToString(sum)+
			`"},"amount":{"currency":"EUR"},"pspReference":"`+reference+`","eventCode":"CAPTURE","merchantAccountCode":"M","success":true}}`)
	}
	return `{"live":"true","notificationItems":[` + strings.Join(items, " , ") + `]}`
}

func TestBatch_Adyen(t *testing.T) {
	t.Parallel()
	verify := func(body string) Verdict {
		return verifyWith("adyen", "00ff", Request{Body: []byte(body)}, Options{}, time.Time{})
	}
	v := verify(adyenBatch("1", "2"))
	require.Equal(t, OK, v.Result, v.Explain())
	require.Equal(t, []string{"1:CAPTURE:true", "2:CAPTURE:true"}, dedupes(v))
	require.Equal(t, "[accepted]", v.Response.Body)
	for _, text := range bodies(v) {
		require.True(t, strings.HasPrefix(text, `{"NotificationRequestItem" :{`) && strings.HasSuffix(text, "}}"))
	}
	// A reader that takes the first of two members would see another event than
	// one that takes the last.
	twice := strings.Replace(adyenBatch("1"), `"success":true`, `"success":true,"pspReference":"9"`, 1)
	require.Equal(t, BodyAmbiguous, verify(twice).Reason)
	require.Equal(t, BodyAmbiguous, verify(strings.Replace(adyenBatch("1"), `{"live"`, `{"notificationItems":[{}],"live"`, 1)).Reason)
	for _, field := range []string{`"pspReference":"1"`, `"eventCode":"CAPTURE"`, `"success":true`, `"currency":"EUR"`, `"merchantAccountCode":"M"`} {
		changed := strings.Replace(adyenBatch("1"), field, strings.Replace(field, `":`, `":"x","y":`, 1), 1)
		require.Equal(t, BadSignature, verify(changed).Result, field)
	}
}

func TestBatch_HubSpot(t *testing.T) {
	t.Parallel()
	const items = `[{"eventId":1,"subscriptionId":2,"objectId":3,"occurredAt":4,"subscriptionType":"contact.creation","attemptNumber":%}, {"eventId":1,"subscriptionId":2,"objectId":9,"occurredAt":4,"subscriptionType":"contact.deletion"}]`
	verify := func(attempt string) Verdict {
		body := strings.Replace(items, "%", attempt, 1)
		sum := keyed(crypto.SHA256, []byte("s"), [][]byte{[]byte("POSThttps://a.example/in?x=/:@" + body + "1700000000000")})
		return verifyWith("hubspot", "s", Request{
			Method: "POST", URL: "https://a.example/in?x=%2F%3a%40", Body: []byte(body),
			Header: Header{{"X-HubSpot-Signature-v3", base64.StdEncoding.EncodeToString(sum)}, {"X-HubSpot-Request-Timestamp", "1700000000000"}},
		}, Options{}, time.Unix(1_700_000_000, 0))
	}
	first, again := verify("0"), verify("1")
	require.Equal(t, OK, first.Result, first.Explain())
	require.Equal(t, []string{"1:2:3:4", "1:2:9:4"}, dedupes(first))
	require.Equal(t, dedupes(first), dedupes(again), "a repetition has another attemptNumber")
	require.Equal(t, "contact.deletion", first.Items[1].Type)
	require.Equal(t, `{"eventId":1,"subscriptionId":2,"objectId":9,"occurredAt":4,"subscriptionType":"contact.deletion"}`, bodies(first)[1])
}

func TestBatch_OktaAndGraph(t *testing.T) {
	t.Parallel()
	okta := verifyWith("okta", "Bearer x", Request{
		Header: Header{{"Authorization", "Bearer x"}},
		Body:   []byte(`{"eventId":"e","eventType":"com.okta.event_hook","data":{"events":[{"uuid":"a","eventType":"user.start"},{"uuid":"b","eventType":"user.end"}]}}`),
	}, Options{}, time.Time{})
	require.Equal(t, []string{"a", "b"}, dedupes(okta))
	require.Equal(t, "e", okta.ID)
	require.Equal(t, "user.end", okta.Items[1].Type)

	graph := func(body string) Verdict {
		return verifyWith("msgraph", "state", Request{URL: "https://a.example/in", Body: []byte(body)}, Options{}, time.Time{})
	}
	two := graph(`{"value":[{"clientState":"state","id":"a","changeType":"created"},{"clientState":"state","subscriptionId":"s","changeType":"updated","resourceData":{"@odata.etag":"1"}}]}`)
	require.Equal(t, OK, two.Result)
	require.Equal(t, "a", two.Items[0].Dedupe)
	require.Empty(t, two.Items[1].Dedupe, "a subscription has many events, of the same bytes")
	require.Equal(t, "s", two.Items[1].ID)
	require.Equal(t, MissingHeader, graph(`{"value":[{"clientState":"state"},{"id":"a"}]}`).Result)
	require.Equal(t, BodyAmbiguous, graph(`{"value":[{"clientState":"state","clientState":"x"}]}`).Reason)
	require.Equal(t, Malformed, graph(`{"value":[]}`).Result)
	require.Equal(t, Malformed, graph(`{"value":{}}`).Result)
	require.Equal(t, Malformed, graph(`{}`).Result)
}

// What is genuine and cannot be split is kept whole: it comes only once.
func TestBatch_ThatCannotBeSplitIsOneEvent(t *testing.T) {
	t.Parallel()
	for _, body := range []string{`[]`, `x`, ``, `{"a":1}`, `{"data":{"events":[]}}`, `{"data":{"events":[1],"events":[2]}}`, "[" + strings.Repeat("1,", maxItems) + "1]"} {
		hubspot := hex.EncodeToString(unkeyed(crypto.SHA256, []byte("t"), [][]byte{[]byte(body)}))
		for provider, header := range map[string]Field{"okta": {"Authorization", "t"}, "hubspot_v1": {"X-HubSpot-Signature", hubspot}} {
			v := verifyWith(provider, "t", Request{Method: "POST", Header: Header{header}, Body: []byte(body)}, Options{}, time.Time{})
			if provider == "hubspot_v1" && body == "x" {
				require.Equal(t, BodyNotCovered, v.Reason)
				continue
			}
			require.Equal(t, OK, v.Result, "%s: %s", provider, v.Explain())
			require.Equal(t, []string{body}, bodies(v))
			require.Equal(t, []string{BodyHash([]byte(body))}, dedupes(v))
		}
	}
}

// What is one event for us must not be one for the other: keys that providers'
// own identifiers would run together.
func TestDedupe_TellsEventsOfOneObjectApart(t *testing.T) {
	t.Parallel()
	key := func(provider, secret string, request Request) string {
		v := verifyWith(provider, secret, request, Options{}, time.Unix(1_700_000_000, 0))
		require.Equal(t, OK, v.Result, v.Explain())
		return v.Items[0].Dedupe
	}
	basic := func(body string) string {
		return key("postmark", "a:b", Request{Header: Header{{"Authorization", "basic YTpi"}}, Body: []byte(body)})
	}
	require.NotEqual(t, basic(`{"MessageID":"m","RecordType":"Open","ReceivedAt":"1"}`), basic(`{"MessageID":"m","RecordType":"Open","ReceivedAt":"2"}`))
	require.NotEqual(t, basic(`{"MessageID":"m","RecordType":"Open"}`), basic(`{"MessageID":"m","RecordType":"Click"}`))

	pagbank := func(body string) string {
		sum := hex.EncodeToString(unkeyed(crypto.SHA256, []byte("t"), [][]byte{[]byte("-" + body)}))
		return key("pagbank", "t", Request{Header: Header{{"x-authenticity-token", sum}}, Body: []byte(body)})
	}
	require.NotEqual(t, pagbank(`{"id":"c","status":"WAITING"}`), pagbank(`{"id":"c","status":"PAID"}`))

	meta := func(body string) string {
		return key("meta", "s", Request{Method: "POST", Header: Header{{"X-Hub-Signature-256", sha("s", body)}}, Body: []byte(body)})
	}
	status := func(of string) string {
		return `{"entry":[{"changes":[{"field":"messages","value":{"statuses":[{"id":"wamid.1","status":"` + of + `"}]}}]}]}`
	}
	require.NotEqual(t, meta(status("sent")), meta(status("read")))
	require.Equal(t, "wamid.1:read", meta(status("read")))
	several := `{"entry":[{"changes":[{"value":{"messages":[{"id":"a"}]}},{"value":{"messages":[{"id":"b"}]}}]}]}`
	require.Equal(t, BodyHash([]byte(several)), meta(several))

	docusign := func(body string) string {
		sum := keyed(crypto.SHA256, []byte("s"), [][]byte{[]byte(body)})
		return key("docusign", "s", Request{Header: Header{{"X-DocuSign-Signature-1", base64.StdEncoding.EncodeToString(sum)}}, Body: []byte(body)})
	}
	require.NotEqual(t, docusign(`{"event":"recipient-completed","data":{"envelopeId":"e","recipientId":"1"}}`),
		docusign(`{"event":"recipient-completed","data":{"envelopeId":"e","recipientId":"2"}}`))
	require.Equal(t, docusign(`{"event":"envelope-sent","retryCount":0,"data":{"envelopeId":"e"}}`),
		docusign(`{"event":"envelope-sent","retryCount":1,"data":{"envelopeId":"e"}}`), "a repetition")
}

// A hash without a key can be extended by whoever saw one; what comes of it is
// not JSON.
func TestPlainHashesCannotBeExtended(t *testing.T) {
	t.Parallel()
	extended := `{"id":"c"}` + "\x80\x00\x00\x00" + `{"id":"d"}`
	sum := hex.EncodeToString(unkeyed(crypto.SHA256, []byte("t"), [][]byte{[]byte("-" + extended)}))
	v := verifyWith("pagbank", "t", Request{Header: Header{{"x-authenticity-token", sum}}, Body: []byte(extended)}, Options{}, time.Time{})
	require.Equal(t, BodyNotCovered, v.Reason)
	sum = hex.EncodeToString(unkeyed(crypto.SHA256, []byte("t"), [][]byte{[]byte(extended)}))
	v = verifyWith("hubspot_v1", "t", Request{Header: Header{{"X-HubSpot-Signature", sum}}, Body: []byte(extended)}, Options{}, time.Time{})
	require.Equal(t, BodyNotCovered, v.Reason)
}
