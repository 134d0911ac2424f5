package source

import (
	"crypto"
	"errors"
)

var meta = metaProvider("meta", "Meta")

var whatsapp = metaProvider("whatsapp", "WhatsApp")

func metaProvider(name, title string) *Provider {
	return &Provider{
		Name: name, Title: title,
		Headers:   []string{"X-Hub-Signature-256"},
		Signed:    "HMAC-SHA256 of the body, X-Hub-Signature-256: sha256=hexadecimal",
		Secret:    "the app secret, and the verify token as a secret of its own with the role handshake",
		Dedupe:    "the message's id, for a status also which one; the body's hash when there is more than one change",
		Type:      "field of the first change, else object",
		Handshake: "GET with hub.verify_token: hub.challenge as plain text",
		Retries:   "200; for up to a week",
		Gotcha:    "Characters beyond ASCII are signed as \\u escapes: a body that was parsed and written anew does not verify.",
		Methods:   []string{"GET"},
		verify:    verifyMeta,
	}
}

func verifyMeta(c *call) (Verdict, *refusal) {
	if c.Method == "GET" {
		return c.subscribeMeta()
	}
	secret, refused := c.overBody("X-Hub-Signature-256", "sha256=", crypto.SHA256, inHex)
	if refused != nil {
		return Verdict{}, refused
	}
	return c.event(secret, c.metaItem()), nil
}

// subscribeMeta answers the request that sets a subscription up.
func (c *call) subscribeMeta() (Verdict, *refusal) {
	query, refused := c.query()
	switch {
	case refused != nil:
		return Verdict{}, refused
	case !query.Has("hub.verify_token"):
		return Verdict{}, missing("hub.verify_token in the query")
	case query.Get("hub.mode") != "subscribe":
		return Verdict{}, malformed(HandshakeMalformed, "hub.mode must be subscribe")
	}
	secret, refused := c.token(query.Get("hub.verify_token"), RoleSignature)
	if refused != nil {
		return Verdict{}, refused
	}
	return echo(secret, query.Get("hub.challenge"))
}

// metaItem knows one message or one status by its identifier. A body may hold
// more, and a status has its message's identifier.
func (c *call) metaItem() Item {
	item := Item{Type: orElse(c.text("entry", "0", "changes", "0", "field"), c.text("object")), Dedupe: BodyHash(c.Body)}
	document, refused := c.json()
	if refused != nil {
		return item
	}
	lists := []struct{ path, more []string }{
		{[]string{"entry", "0", "changes", "0", "value", "messages"}, nil},
		{[]string{"entry", "0", "changes", "0", "value", "statuses"}, []string{"status"}},
		{[]string{"entry", "0", "messaging"}, nil},
	}
	for _, list := range lists {
		messages, err := document.at(list.path...)
		if err != nil {
			continue
		}
		first, err := messages.at("0")
		if err != nil {
			continue
		}
		item.ID = orElse(first.textAt("id"), first.textAt("message", "mid"))
		if item.ID != "" && !several(document, "entry") && !several(document, "entry", "0", "changes") && !several(messages) {
			item.Dedupe = item.ID
			if list.more != nil {
				item.Dedupe = joined(item.ID, first.textAt(list.more...))
			}
		}
		return item
	}
	return item
}

// several says whether an array holds more than one.
func several(v value, path ...string) bool {
	list, err := v.at(path...)
	if err != nil {
		return false
	}
	_, err = list.at("1")
	return !errors.Is(err, errAbsent) && !errors.Is(err, errOtherKind)
}
