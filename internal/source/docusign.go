package source

import (
	"crypto"
	"strconv"
	"strings"
)

const docusignPrefix = "X-DocuSign-Signature-"

var docusign = &Provider{
	Name: "docusign", Title: "DocuSign Connect",
	Headers:   []string{docusignPrefix + "1"},
	Signed:    "HMAC-SHA256 of the body, base64, in X-DocuSign-Signature-1, -2, …: one for each key that is active there",
	Secret:    "a Connect key, as it was shown when it was made",
	Dedupe:    "data.envelopeId and event, for a recipient's also which one",
	Type:      "event",
	Handshake: "none",
	Retries:   "any 2xx",
	verify:    verifyDocuSign,
}

func verifyDocuSign(c *call) (Verdict, *refusal) {
	texts, refused := c.docusignSignatures()
	if refused != nil {
		return Verdict{}, refused
	}
	secret, refused := c.match(signed{hash: crypto.SHA256, encoding: inBase64, texts: texts, content: bodyOnly})
	if refused != nil {
		return Verdict{}, refused
	}
	kind := c.text("event")
	item := c.identified(joined(c.text("data", "envelopeId"), kind), kind)
	if recipient := c.text("data", "recipientId"); item.ID != "" && recipient != "" {
		item.Dedupe = joined(item.ID, recipient)
	}
	return c.event(secret, item), nil
}

// docusignSignatures are those of every key. Each header may be there once.
func (c *call) docusignSignatures() ([]string, *refusal) {
	var texts []string
	seen := make(map[string]bool)
	for _, field := range c.Header {
		if len(field.Name) <= len(docusignPrefix) || !strings.EqualFold(field.Name[:len(docusignPrefix)], docusignPrefix) {
			continue
		}
		number := field.Name[len(docusignPrefix):]
		if _, err := strconv.ParseUint(number, 10, 16); err != nil {
			continue
		}
		text, refused := c.header(field.Name)
		if refused != nil && refused.result == Malformed {
			return nil, refused
		}
		if refused == nil && !seen[number] {
			texts = append(texts, text)
		}
		seen[number] = true
	}
	if len(texts) == 0 {
		return nil, missing(docusignPrefix + "1")
	}
	return texts, nil
}
