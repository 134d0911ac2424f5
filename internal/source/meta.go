package source

import (
	"crypto"
	"errors"
	"slices"
)

var meta = metaProvider("meta", "Meta")

var whatsapp = metaProvider("whatsapp", "WhatsApp")

func metaProvider(name, title string) *Provider {
	return &Provider{
		Name: name, Title: title,
		Headers:   []string{"X-Hub-Signature-256"},
		Signed:    "HMAC-SHA256 of the body, X-Hub-Signature-256: sha256=hexadecimal",
		Secret:    "the app secret, and the verify token as a secret of its own with the role handshake",
		Dedupe:    "a plain message's id; a status's id, status, timestamp and recipient; the body's hash for all else, as several events bear one id",
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

// metaItem is the event of a body.
func (c *call) metaItem() Item {
	item := Item{Type: orElse(c.text("entry", "0", "changes", "0", "field"), c.text("object")), Dedupe: BodyHash(c.Body)}
	document, refused := c.json()
	if refused != nil {
		return item
	}
	for _, kind := range metaKinds {
		list, err := document.at(kind.path...)
		if err != nil {
			continue
		}
		first, err := list.at("0")
		if err != nil {
			continue
		}
		item.ID = orElse(first.textAt("id"), first.textAt("message", "mid"))
		if item.ID != "" && alone(document, list, kind.path) {
			item.Dedupe = orElse(kind.key(item.ID, first), item.Dedupe)
		}
		return item
	}
	return item
}

// metaKinds are where events with an identifier are, and the keys that tell
// them from others with the same identifier; an empty key: the body's hash does.
var metaKinds = []struct {
	path []string
	key  func(id string, first value) string
}{
	{[]string{"entry", "0", "changes", "0", "value", "messages"}, func(id string, message value) string {
		_, err := message.member("errors")
		if slices.Contains(plainTypes, message.textAt("type")) && errors.Is(err, errAbsent) {
			return id
		}
		return ""
	}},
	{[]string{"entry", "0", "changes", "0", "value", "statuses"}, func(id string, status value) string {
		return joined(id, status.textAt("status"), status.textAt("timestamp"),
			orElse(status.textAt("recipient_participant_id"), status.textAt("recipient_id")))
	}},
	// What happens to a message later has its identifier: it was deleted, edited,
	// read, or comes back as an echo.
	{[]string{"entry", "0", "messaging"}, func(id string, event value) string {
		message, err := event.member("message")
		if err == nil && onlyOf(event, "sender", "recipient", "timestamp", "message") &&
			onlyOf(message, "mid", "text", "attachments", "quick_reply", "reply_to", "nlp") {
			return id
		}
		return ""
	}},
}

// plainTypes are WhatsApp's of messages that come once.
var plainTypes = []string{
	"text", "image", "audio", "video", "document", "sticker", "location", "contacts", "button", "interactive", "order", "reaction",
}

// alone says whether a body has one event: the first of the list at path. Every
// list on the way has one element, and nothing but the path leads to an event.
func alone(document, list value, path []string) bool {
	if several(document, "entry") || several(document, "entry", "0", "changes") || several(list) {
		return false
	}
	for _, kind := range metaKinds {
		_, err := document.at(kind.path...)
		if err == nil && !slices.Equal(kind.path, path) {
			return false
		}
	}
	return true
}

// onlyOf says whether an object has no members but these. A name that is written
// with escapes is none of them.
func onlyOf(v value, names ...string) bool {
	only := v.is('{')
	if only {
		v.members(func(key []byte, _ value) bool {
			only = slices.Contains(names, string(key[1:len(key)-1]))
			return only
		})
	}
	return only
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
