package source

import "crypto"

var github = &Provider{
	Name: "github", Title: "GitHub",
	Headers:   []string{"X-Hub-Signature-256", "X-Hub-Signature", "X-GitHub-Delivery", "X-GitHub-Event"},
	Signed:    "HMAC-SHA256 of the body, X-Hub-Signature-256: sha256=hexadecimal",
	Secret:    "the webhook's secret",
	Dedupe:    "X-GitHub-Delivery, which a redelivery has too",
	Type:      "X-GitHub-Event",
	Handshake: "a ping event, which is an event like others",
	Retries:   "a 2xx within 10 s; it does not try again by itself",
	Gotcha:    "X-Hub-Signature (SHA-1) never counts. X-GitHub-Delivery and X-GitHub-Event are not signed.",
	verify:    verifyGitHub,
}

func verifyGitHub(c *call) (Verdict, *refusal) {
	secret, refused := c.overBody("X-Hub-Signature-256", "sha256=", crypto.SHA256, inHex)
	if refused != nil && refused.reason == HeaderMissing && c.Header.has("X-Hub-Signature") {
		refused.detail += "; X-Hub-Signature is there, but its SHA-1 never counts"
	}
	if refused != nil {
		return Verdict{}, refused
	}
	return c.event(secret, c.identified(c.Header.Get("X-GitHub-Delivery"), c.Header.Get("X-GitHub-Event"))), nil
}
