package source

import "crypto"

var bitbucket = &Provider{
	Name: "bitbucket", Title: "Bitbucket",
	Headers:   []string{"X-Hub-Signature", "X-Request-UUID", "X-Event-Key"},
	Signed:    "HMAC-SHA256 of the body, X-Hub-Signature: sha256=hexadecimal",
	Secret:    "the webhook's secret",
	Dedupe:    "X-Request-UUID",
	Type:      "X-Event-Key",
	Handshake: "none",
	Retries:   "any 2xx; twice more",
	Gotcha:    "Without a secret there, the header is absent.",
	verify:    verifyBitbucket,
}

func verifyBitbucket(c *call) (Verdict, *refusal) {
	secret, refused := c.overBody("X-Hub-Signature", "sha256=", crypto.SHA256, inHex)
	if refused != nil {
		return Verdict{}, refused
	}
	return c.event(secret, c.identified(c.Header.Get("X-Request-UUID"), c.Header.Get("X-Event-Key"))), nil
}
