package source

import (
	"crypto"
	"strings"
)

var adyenPlatform = &Provider{
	Name: "adyen_platform", Title: "Adyen for Platforms",
	Headers:     []string{"HmacSignature", "Protocol"},
	Signed:      "HMAC-SHA256 of the body, base64, in HmacSignature",
	Secret:      "the webhook's HMAC key, hexadecimal",
	Dedupe:      "pspReference and eventType, else the body's hash",
	Type:        "eventType, else type",
	Handshake:   "none",
	Retries:     "200 with the body [accepted] within 10 s",
	Gotcha:      "The key is decoded first.",
	Success:     Response{Status: 200, ContentType: "text/plain", Body: "[accepted]"},
	verify:      verifyAdyenPlatform,
	checkSecret: checkKey(hexKey),
}

func verifyAdyenPlatform(c *call) (Verdict, *refusal) {
	text, refused := c.header("HmacSignature")
	if refused != nil {
		return Verdict{}, refused
	}
	if protocol := c.Header.Get("Protocol"); protocol != "" && !strings.EqualFold(protocol, "HmacSHA256") {
		return Verdict{}, malformed(AlgorithmRefused, "Protocol")
	}
	secret, refused := c.match(signed{
		hash: crypto.SHA256, encoding: inBase64, texts: []string{text}, content: bodyOnly, key: hexKey,
	})
	if refused != nil {
		return Verdict{}, refused
	}
	kind := orElse(c.text("eventType"), c.text("type"))
	item := c.identified(c.text("pspReference"), kind)
	if item.ID != "" {
		item.Dedupe = joined(item.ID, kind)
	}
	return c.event(secret, item), nil
}
