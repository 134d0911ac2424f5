package source

import (
	"bytes"
	"crypto"
	"strings"
	"time"
)

var zendesk = &Provider{
	Name: "zendesk", Title: "Zendesk",
	Headers:   []string{"X-Zendesk-Webhook-Signature", "X-Zendesk-Webhook-Signature-Timestamp", "X-Zendesk-Webhook-Invocation-Id"},
	Signed:    "HMAC-SHA256 of the timestamp and the body, base64, in X-Zendesk-Webhook-Signature; the timestamp is RFC 3339",
	signsTime: true,
	Secret:    "the webhook's signing secret, verbatim: it looks like base64 and is not decoded",
	Dedupe:    "X-Zendesk-Webhook-Invocation-Id, else the id of an event",
	Type:      "type",
	Handshake: "none",
	Retries:   "any 2xx",
	verify:    verifyZendesk,
}

func verifyZendesk(c *call) (Verdict, *refusal) {
	values, refused := c.headers("X-Zendesk-Webhook-Signature", "X-Zendesk-Webhook-Signature-Timestamp")
	if refused != nil {
		return Verdict{}, refused
	}
	at, refused := c.zendeskTime(values[1])
	if refused != nil {
		return Verdict{}, refused
	}
	secret, refused := c.match(signed{
		hash: crypto.SHA256, encoding: inBase64, texts: values[:1], content: after(values[1]),
		other: []alternative{{TimestampChanged, "the body alone was signed", bodyOnly}},
	})
	if refused != nil {
		return Verdict{}, refused
	}
	if refused := c.inTime(at); refused != nil {
		return Verdict{}, refused
	}
	kind := c.text("type")
	item := c.identified(orElse(c.Header.Get("X-Zendesk-Webhook-Invocation-Id"), c.text("id")), kind)
	// The body of a trigger is whatever its author wrote: its id is a ticket's.
	if !c.Header.has("X-Zendesk-Webhook-Invocation-Id") && !strings.HasPrefix(kind, "zen:event-type:") {
		item.Dedupe = BodyHash(append([]byte(values[1]), c.Body...))
	}
	return c.event(secret, item), nil
}

// zendeskTime reads the time, which is signed right before the body: nothing may
// pass from one to the other. Digits, which tests of Zendesk's use, could be the
// year of a longer time, whose rest would begin with a dash.
func (c *call) zendeskTime(text string) (time.Time, *refusal) {
	const name = "X-Zendesk-Webhook-Signature-Timestamp"
	at, refused := rfc3339(name, text)
	if refused == nil {
		return at, nil
	}
	if bytes.HasPrefix(c.Body, []byte("-")) {
		return time.Time{}, refused
	}
	if at, no := c.abutting(name, text); no == nil {
		return at, nil
	}
	return time.Time{}, refused
}
