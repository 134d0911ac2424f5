package source

import (
	"crypto"
	"strings"
	"time"
)

var zendesk = &Provider{
	Name: "zendesk", Title: "Zendesk",
	Headers:   []string{"X-Zendesk-Webhook-Signature", "X-Zendesk-Webhook-Signature-Timestamp", "X-Zendesk-Webhook-Invocation-Id"},
	Signed:    "HMAC-SHA256 of the timestamp and the body, base64, in X-Zendesk-Webhook-Signature; the timestamp is RFC 3339",
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
	at, err := time.Parse(time.RFC3339, values[1])
	if err != nil && c.window() > 0 {
		return Verdict{}, malformed(TimestampMalformed, "it must be RFC 3339")
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
