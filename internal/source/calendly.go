package source

import "time"

var calendly = &Provider{
	Name: "calendly", Title: "Calendly",
	Headers:   []string{"Calendly-Webhook-Signature"},
	Signed:    "HMAC-SHA256 of “t.body”, hexadecimal, in Calendly-Webhook-Signature: t=…,v1=…",
	Window:    5 * time.Minute,
	Secret:    "the subscription's signing key",
	Dedupe:    "event, payload.uri and created_at together: an invitee that is created and then canceled has one uri",
	Type:      "event",
	Handshake: "none",
	Retries:   "any 2xx; for 24 h, then the subscription is disabled",
	verify:    verifyCalendly,
}

func verifyCalendly(c *call) (Verdict, *refusal) {
	secret, refused := c.timedSignature(timedScheme{
		header: "Calendly-Webhook-Signature", separator: ",", clock: "t", version: "v1", joint: ".", encoding: inHex, versioned: true,
	})
	if refused != nil {
		return Verdict{}, refused
	}
	item := c.identified(c.text("payload", "uri"), c.text("event"))
	if item.ID != "" {
		item.Dedupe = joined(item.ID, item.Type, c.text("created_at"))
	}
	return c.event(secret, item), nil
}
