package source

import (
	"crypto"
	"strings"
)

var adyen = &Provider{
	Name: "adyen", Title: "Adyen",
	Signed:      "HMAC-SHA256 of eight fields of each item, joined by colons, base64, in the item's additionalData.hmacSignature",
	Secret:      "the webhook's HMAC key, hexadecimal",
	Dedupe:      "pspReference, eventCode and success of each item",
	Type:        "eventCode of each item",
	Handshake:   "none",
	Retries:     "200 with the body [accepted] within 10 s",
	Gotcha:      "Only eight fields are signed. The key is decoded first. One forged item condemns the batch.",
	Success:     Response{Status: 200, ContentType: "text/plain", Body: "[accepted]"},
	verify:      verifyAdyen,
	checkSecret: checkKey(hexKey),
}

// adyenSigned are the fields in the order in which they are joined.
var adyenSigned = [][]string{
	{"pspReference"}, {"originalReference"}, {"merchantAccountCode"}, {"merchantReference"},
	{"amount", "value"}, {"amount", "currency"}, {"eventCode"}, {"success"},
}

func verifyAdyen(c *call) (Verdict, *refusal) {
	document, refused := c.json()
	if refused != nil {
		return Verdict{}, refused
	}
	elements, refused := list(document, "notificationItems")
	if refused != nil {
		return Verdict{}, refused
	}
	secret := ""
	for i, element := range elements {
		name, refused := c.adyenItem(element)
		switch {
		case refused != nil && refused.reason == WrongSecret && i > 0:
			return Verdict{}, bad(ItemForged, "")
		case refused != nil:
			return Verdict{}, refused
		}
		secret = name
	}
	return batch(secret, "", "", items(elements, func(e value) Item {
		item, _ := e.member("NotificationRequestItem") // it was verified
		kind := item.textAt("eventCode")
		return Item{ID: joined(item.textAt("pspReference"), kind, item.textAt("success")), Type: kind}
	})), nil
}

// adyenItem verifies one item.
func (c *call) adyenItem(element value) (string, *refusal) {
	item, refused := node(element, "NotificationRequestItem")
	if refused != nil {
		return "", malformed(BodyMalformed, "an item is no NotificationRequestItem")
	}
	signature, refused := field(item, "additionalData", "hmacSignature")
	if refused != nil {
		return "", refused
	}
	fields := make([]string, len(adyenSigned))
	for i, path := range adyenSigned {
		if fields[i], refused = optional(item, path...); refused != nil {
			return "", refused
		}
	}
	head := []byte(strings.Join(fields, ":"))
	return c.match(signed{
		hash: crypto.SHA256, encoding: inBase64, texts: []string{signature}, key: hexKey,
		content: func([]byte) [][]byte { return [][]byte{head} },
	})
}
