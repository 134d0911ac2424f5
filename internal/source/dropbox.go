package source

import "crypto"

var dropbox = &Provider{
	Name: "dropbox", Title: "Dropbox",
	Headers:   []string{"X-Dropbox-Signature"},
	Signed:    "HMAC-SHA256 of the body, hexadecimal, in X-Dropbox-Signature",
	Secret:    "the app's secret",
	Dedupe:    "nothing: two changes of one account are the same bytes, so that no notification is taken for a repetition",
	Type:      "none",
	Handshake: "GET with ?challenge=: the challenge as plain text, which browsers must not sniff",
	Retries:   "a 2xx within 10 s",
	Methods:   []string{"GET"},
	verify:    verifyDropbox,
}

func verifyDropbox(c *call) (Verdict, *refusal) {
	if c.Method == "GET" {
		query, refused := c.query()
		if refused != nil {
			return Verdict{}, refused
		}
		return echo("", query.Get("challenge"))
	}
	secret, refused := c.overBody("X-Dropbox-Signature", "", crypto.SHA256, inHex)
	if refused != nil {
		return Verdict{}, refused
	}
	return c.event(secret, Item{}), nil
}
