package source

import "crypto"

var jira = &Provider{
	Name: "jira", Title: "Jira",
	Headers:   []string{"X-Hub-Signature", "X-Atlassian-Webhook-Identifier"},
	Signed:    "HMAC-SHA256 of the body, X-Hub-Signature: sha256=hexadecimal",
	Secret:    "the webhook's secret",
	Dedupe:    "X-Atlassian-Webhook-Identifier, the same on every try",
	Type:      "webhookEvent",
	Handshake: "none",
	Retries:   "any 2xx; five times more",
	Gotcha:    "Without a secret there, the header is absent.",
	verify:    verifyJira,
}

func verifyJira(c *call) (Verdict, *refusal) {
	secret, refused := c.overBody("X-Hub-Signature", "sha256=", crypto.SHA256, inHex)
	if refused != nil {
		return Verdict{}, refused
	}
	return c.event(secret, c.identified(c.Header.Get("X-Atlassian-Webhook-Identifier"), c.text("webhookEvent"))), nil
}
