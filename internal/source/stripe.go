package source

import "time"

var stripe = &Provider{
	Name: "stripe", Title: "Stripe",
	Headers:   []string{"Stripe-Signature"},
	Signed:    "HMAC-SHA256 of “t.body”, hexadecimal, in Stripe-Signature: t=…,v1=… (any v1 may match, v0 never counts)",
	Window:    5 * time.Minute,
	Secret:    "the endpoint's signing secret, whsec_ included",
	Dedupe:    "id",
	Type:      "type",
	Retries:   "any 2xx; for three days",
	Gotcha:    "The order of events is not guaranteed.",
	Handshake: "none",
	verify:    verifyStripe,
}

func verifyStripe(c *call) (Verdict, *refusal) {
	secret, refused := c.timedSignature(timedScheme{
		header: "Stripe-Signature", separator: ",", clock: "t", version: "v1", joint: ".", encoding: inHex, versioned: true,
	})
	if refused != nil {
		return Verdict{}, refused
	}
	return c.event(secret, c.identified(c.text("id"), c.text("type"))), nil
}
