package source

import (
	"errors"
	"strings"
)

var postmark = &Provider{
	Name: "postmark", Title: "Postmark",
	Headers:   []string{"Authorization"},
	Signed:    "nothing: basic authentication in the webhook's URL",
	Secret:    "user:password, as they stand in the URL",
	Dedupe:    "MessageID, RecordType, the recipient and the time: one message goes to several, is opened and clicked many times",
	Type:      "RecordType",
	Handshake: "none",
	Retries:   "200; for about 10 h",
	Gotcha:    "There is no signature: the password proves who knows it, and says nothing about the body.",
	verify:    verifyPostmark,
	checkSecret: func(secret string) error {
		if !strings.Contains(secret, ":") {
			return errors.New("it must be user:password")
		}
		return nil
	},
}

func verifyPostmark(c *call) (Verdict, *refusal) {
	secret, refused := c.basic()
	if refused != nil {
		return Verdict{}, refused
	}
	item := c.identified(c.text("MessageID"), c.text("RecordType"))
	if item.ID != "" {
		occurrence := orElse(c.text("ID"), c.text("ReceivedAt"), c.text("DeliveredAt"), c.text("BouncedAt"), c.text("ChangedAt"))
		item.Dedupe = joined(item.ID, item.Type, occurrence, orElse(c.text("Recipient"), c.text("Email")), c.text("OriginalLink"))
	}
	return c.event(secret, item), nil
}
