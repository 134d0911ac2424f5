package source

import (
	"crypto"
	"time"
)

var slack = &Provider{
	Name: "slack", Title: "Slack",
	Headers:   []string{"X-Slack-Signature", "X-Slack-Request-Timestamp"},
	Signed:    "HMAC-SHA256 of “v0:timestamp:body”, X-Slack-Signature: v0=hexadecimal",
	Window:    5 * time.Minute,
	Secret:    "the app's signing secret",
	Dedupe:    "event_id, else the body's hash",
	Type:      "event.type, else type",
	Handshake: "url_verification: the challenge as plain text, once its signature holds",
	Retries:   "a 2xx within 3 s; three times more",
	Gotcha:    "Slash commands and interactions are forms: the raw bytes are signed, not the fields.",
	verify:    verifySlack,
}

func verifySlack(c *call) (Verdict, *refusal) {
	secret, refused := c.versionZero("X-Slack-Signature", "X-Slack-Request-Timestamp")
	if refused != nil {
		return Verdict{}, refused
	}
	if c.text("type") == "url_verification" {
		return echo(secret, c.text("challenge"))
	}
	kind := orElse(c.text("event", "type"), c.text("type"))
	return c.event(secret, c.identified(c.text("event_id"), kind)), nil
}

// versionZero is the rule that Slack and Zoom share.
func (c *call) versionZero(signature, timestamp string) (string, *refusal) {
	values, refused := c.headers(signature, timestamp)
	if refused != nil {
		return "", refused
	}
	text, refused := prefixed(values[0], "v0=", signature)
	if refused != nil {
		return "", refused
	}
	at, refused := seconds(timestamp, values[1])
	if refused != nil {
		return "", refused
	}
	secret, refused := c.match(signed{
		hash: crypto.SHA256, encoding: inHex, texts: []string{text}, content: after("v0:" + values[1] + ":"),
		other: []alternative{{TimestampChanged, "the body alone was signed", bodyOnly}},
	})
	if refused != nil {
		return "", refused
	}
	return secret, c.inTime(at)
}
