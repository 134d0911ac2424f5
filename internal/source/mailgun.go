package source

import (
	"crypto"
	"net/url"
	"regexp"
	"strings"
)

var mailgun = &Provider{
	Name: "mailgun", Title: "Mailgun",
	Signed:    "HMAC-SHA256 of timestamp and token, hexadecimal, all three in the body's signature; event-data is NOT signed",
	signsTime: true,
	Secret:    "the account's HTTP webhook signing key",
	Dedupe:    "signature.timestamp and token as they are signed, so that they cannot vouch for other data",
	Type:      "event-data.event",
	Handshake: "none",
	Retries:   "200, or 406 to have it stop",
	Gotcha:    "Whoever has seen one request can send its signature with other data: only the token's being used once stands against it.",
	verify:    verifyMailgun,
}

// mailgunToken is of fifty digits in hexadecimal; others are let through as long
// as they cannot be taken for anything else.
var mailgunToken = regexp.MustCompile(`^[0-9A-Za-z_-]{1,128}$`)

func verifyMailgun(c *call) (Verdict, *refusal) {
	parts, refused := c.mailgunParts()
	if refused != nil {
		return Verdict{}, refused
	}
	clock, token, signature := parts[0], parts[1], parts[2]
	at, refused := seconds("timestamp", clock)
	if refused != nil {
		return Verdict{}, refused
	}
	if !mailgunToken.MatchString(token) {
		return Verdict{}, malformed(SignatureMalformed, "token is none of Mailgun's")
	}
	secret, refused := c.match(signed{
		hash: crypto.SHA256, encoding: inHex, texts: []string{signature},
		content: func([]byte) [][]byte { return [][]byte{[]byte(clock), []byte(token)} },
	})
	if refused != nil {
		return Verdict{}, refused
	}
	if refused := c.inTime(at); refused != nil {
		return Verdict{}, refused
	}
	return c.event(secret, Item{
		ID: orElse(c.text("event-data", "id"), token), Type: c.text("event-data", "event"), Dedupe: clock + token,
	}), nil
}

// mailgunParts are timestamp, token and signature: an object of the JSON, or
// three fields of the form that routes and old webhooks send.
func (c *call) mailgunParts() ([]string, *refusal) {
	names := []string{"timestamp", "token", "signature"}
	parts := make([]string, len(names))
	if strings.HasPrefix(strings.ToLower(c.Header.Get("Content-Type")), "application/x-www-form-urlencoded") {
		form, err := url.ParseQuery(string(c.Body))
		if err != nil {
			return nil, malformed(BodyMalformed, "the form does not parse")
		}
		for i, name := range names {
			switch values := form[name]; {
			case len(values) == 0 || values[0] == "":
				return nil, refuse(MissingHeader, FieldMissing, name)
			case len(values) > 1:
				return nil, malformed(BodyAmbiguous, name)
			default:
				parts[i] = values[0]
			}
		}
		return parts, nil
	}
	document, refused := c.json()
	if refused != nil {
		return nil, refused
	}
	for i, name := range names {
		if parts[i], refused = field(document, "signature", name); refused != nil {
			return nil, refused
		}
	}
	return parts, nil
}
