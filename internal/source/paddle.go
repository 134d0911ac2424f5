package source

import "time"

var paddle = &Provider{
	Name: "paddle", Title: "Paddle",
	Headers:   []string{"Paddle-Signature"},
	Signed:    "HMAC-SHA256 of “ts:body”, hexadecimal, in Paddle-Signature: ts=…;h1=… (any h1 may match)",
	Window:    5 * time.Second,
	Secret:    "the notification destination's secret key",
	Dedupe:    "event_id",
	Type:      "event_type",
	Handshake: "none",
	Retries:   "a 2xx within 5 s",
	Gotcha:    "Five seconds are all it allows: verify on arrival, never after a queue, and keep the clock right.",
	verify:    verifyPaddle,
}

func verifyPaddle(c *call) (Verdict, *refusal) {
	secret, refused := c.timedSignature(timedScheme{
		header: "Paddle-Signature", separator: ";", clock: "ts", version: "h1", joint: ":", encoding: inHex,
	})
	if refused != nil {
		return Verdict{}, refused
	}
	return c.event(secret, c.identified(c.text("event_id"), c.text("event_type"))), nil
}
