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
	Dedupe:    "data.envelopeId, event, for a recipient's also which one, and generatedDateTime: an envelope may be sent twice",
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
	if item.ID != "" {
		item.Dedupe = joined(item.ID, c.text("data", "recipientId"), c.text("generatedDateTime"))
	}
	return c.event(secret, item), nil
}

// docusignSignatures are those of every key. Each header may be there once. All
// is found in one pass: nobody is known yet, and they may be thousands.
func (c *call) docusignSignatures() ([]string, *refusal) {
	var texts []string
	seen := make(map[string]bool, maxSignatures)
	for _, field := range c.Header {
		if len(field.Name) <= len(docusignPrefix) || !strings.EqualFold(field.Name[:len(docusignPrefix)], docusignPrefix) {
			continue
		}
		number := field.Name[len(docusignPrefix):]
		if _, err := strconv.ParseUint(number, 10, 16); err != nil {
			continue
		}
		text := strings.Trim(field.Value, " \t")
		switch {
		case seen[number]:
			return nil, malformed(HeaderTwice, field.Name)
		case len(text) > maxHeaderValue:
			return nil, malformed(HeaderTooLong, field.Name)
		case len(seen) == maxSignatures:
			return nil, malformed(SignatureMalformed, "there are too many")
		case text != "":
			texts = append(texts, text)
		}
		seen[number] = true
	}
	if len(texts) == 0 {
		return nil, missing(docusignPrefix + "1")
	}
	return texts, nil
}
