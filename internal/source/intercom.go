package source

import "crypto"

var intercom = &Provider{
	Name: "intercom", Title: "Intercom",
	Headers:   []string{"X-Hub-Signature"},
	Signed:    "HMAC-SHA1 of the body, X-Hub-Signature: sha1=hexadecimal",
	Secret:    "the app's client secret",
	Dedupe:    "id",
	Type:      "topic",
	Handshake: "a ping event, which is an event like others",
	Retries:   "a 2xx within 5 s",
	Gotcha:    "SHA-1 is all it offers; as a keyed hash it still holds.",
	verify:    verifyIntercom,
}

func verifyIntercom(c *call) (Verdict, *refusal) {
	secret, refused := c.overBody("X-Hub-Signature", "sha1=", crypto.SHA1, inHex)
	if refused != nil {
		return Verdict{}, refused
	}
	return c.event(secret, c.identified(c.text("id"), c.text("topic"))), nil
}
