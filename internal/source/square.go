package source

import "crypto"

var square = &Provider{
	Name: "square", Title: "Square",
	Headers:   []string{"x-square-hmacsha256-signature"},
	Signed:    "HMAC-SHA256 of the notification URL and the body, base64, in x-square-hmacsha256-signature",
	Secret:    "the subscription's signature key",
	Dedupe:    "event_id",
	Type:      "type",
	Handshake: "none",
	Retries:   "any 2xx; for 24 h",
	Gotcha:    "The URL is signed exactly as it was entered there, down to a slash at its end.",
	verify:    verifySquare,
}

func verifySquare(c *call) (Verdict, *refusal) {
	text, refused := c.header("x-square-hmacsha256-signature")
	if refused != nil {
		return Verdict{}, refused
	}
	if c.URL == "" {
		return Verdict{}, malformed(URLMalformed, "Square signs it")
	}
	secret, refused := c.match(signed{
		hash: crypto.SHA256, encoding: inBase64, texts: []string{text}, content: after(c.URL),
		other: otherURLs(c.URL, func(url string) content { return after(url) }),
	})
	if refused != nil {
		return Verdict{}, refused
	}
	return c.event(secret, c.identified(c.text("event_id"), c.text("type"))), nil
}
