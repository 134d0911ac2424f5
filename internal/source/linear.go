package source

import (
	"crypto"
	"time"
)

var linear = &Provider{
	Name: "linear", Title: "Linear",
	Headers:   []string{"Linear-Signature", "Linear-Delivery", "Linear-Event"},
	Signed:    "HMAC-SHA256 of the body, hexadecimal, in Linear-Signature; the time is webhookTimestamp in the body, in milliseconds",
	Window:    time.Minute,
	Secret:    "the webhook's signing secret",
	Dedupe:    "Linear-Delivery",
	Type:      "type and action, as in Comment.create",
	Handshake: "none",
	Retries:   "200 within 5 s; three times more",
	verify:    verifyLinear,
}

func verifyLinear(c *call) (Verdict, *refusal) {
	secret, refused := c.overBody("Linear-Signature", "", crypto.SHA256, inHex)
	if refused != nil {
		return Verdict{}, refused
	}
	// The body is signed, so that nobody but Linear can leave the time out.
	if clock := c.text("webhookTimestamp"); clock != "" {
		at, refused := seconds("webhookTimestamp", clock)
		if refused != nil {
			return Verdict{}, refused
		}
		if refused := c.inTime(at); refused != nil {
			return Verdict{}, refused
		}
	}
	kind := orElse(c.text("type"), c.Header.Get("Linear-Event"))
	if action := c.text("action"); kind != "" && action != "" {
		kind += "." + action
	}
	return c.event(secret, c.identified(c.Header.Get("Linear-Delivery"), kind)), nil
}
