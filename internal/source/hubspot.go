package source

import (
	"crypto"
	"strings"
	"time"
)

var hubspot = &Provider{
	Name: "hubspot", Title: "HubSpot",
	Headers:   []string{"X-HubSpot-Signature-v3", "X-HubSpot-Request-Timestamp"},
	Signed:    "HMAC-SHA256 of method, URL, body and timestamp, base64, in X-HubSpot-Signature-v3; the timestamp in milliseconds",
	Window:    5 * time.Minute,
	Secret:    "the app's client secret",
	Dedupe:    hubspotDedupe,
	Type:      "subscriptionType of each item",
	Handshake: "none",
	Retries:   "any 2xx; 10 tries in 24 h",
	Gotcha:    "Some escapes in the URL are decoded before it is signed. Events come in batches.",
	Methods:   []string{"GET", "PUT"},
	verify:    verifyHubSpot,
}

const hubspotDedupe = "eventId, subscription, object and time of each item: eventId alone may not be unique"

// hubspotEscapes are the only escapes that are decoded.
var hubspotEscapes = strings.NewReplacer(
	"%3A", ":", "%2F", "/", "%3F", "?", "%40", "@", "%21", "!", "%24", "$", "%27", "'", "%28", "(", "%29", ")", "%2A", "*", "%2C", ",", "%3B", ";",
	"%3a", ":", "%2f", "/", "%3f", "?", "%2a", "*", "%2c", ",", "%3b", ";",
)

func verifyHubSpot(c *call) (Verdict, *refusal) {
	values, refused := c.headers("X-HubSpot-Signature-v3", "X-HubSpot-Request-Timestamp")
	if refused != nil {
		return Verdict{}, refused
	}
	at, refused := seconds("X-HubSpot-Request-Timestamp", values[1])
	if refused != nil {
		return Verdict{}, refused
	}
	if c.URL == "" {
		return Verdict{}, malformed(URLMalformed, "HubSpot signs it")
	}
	over := func(address string) content {
		return func(body []byte) [][]byte {
			return [][]byte{[]byte(c.Method + hubspotEscapes.Replace(address)), body, []byte(values[1])}
		}
	}
	secret, refused := c.match(signed{
		hash: crypto.SHA256, encoding: inBase64, texts: values[:1], content: over(c.URL), other: otherURLs(c.URL, over),
	})
	if refused != nil {
		return Verdict{}, refused
	}
	if refused := c.inTime(at); refused != nil {
		return Verdict{}, refused
	}
	return c.hubspotItems(secret), nil
}

// hubspotItems are the events of a batch. Other signed requests, of workflows
// and cards, are one event.
func (c *call) hubspotItems(secret string) Verdict {
	elements := c.elements()
	if len(elements) == 0 {
		return c.event(secret, c.identified(c.text("eventId"), c.text("subscriptionType")))
	}
	return batch(secret, "", "", items(elements, func(e value) Item {
		id := e.textAt("eventId")
		return Item{
			ID: id, Type: e.textAt("subscriptionType"),
			Dedupe: joined(id, e.textAt("subscriptionId"), e.textAt("objectId"), e.textAt("occurredAt")),
		}
	}))
}
