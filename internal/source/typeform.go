package source

import "crypto"

var typeform = &Provider{
	Name: "typeform", Title: "Typeform",
	Headers:   []string{"Typeform-Signature"},
	Signed:    "HMAC-SHA256 of the body, Typeform-Signature: sha256=base64",
	Secret:    "the webhook's secret",
	Dedupe:    "event_id",
	Type:      "event_type",
	Handshake: "none",
	Retries:   "any 2xx; it disables a webhook that keeps failing",
	Gotcha:    "What follows sha256= is base64, where others write hexadecimal.",
	verify:    verifyTypeform,
}

func verifyTypeform(c *call) (Verdict, *refusal) {
	secret, refused := c.overBody("Typeform-Signature", "sha256=", crypto.SHA256, inBase64)
	if refused != nil {
		return Verdict{}, refused
	}
	return c.event(secret, c.identified(c.text("event_id"), c.text("event_type"))), nil
}
