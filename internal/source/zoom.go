package source

import (
	"crypto"
	"encoding/hex"
	"encoding/json"
)

var zoom = &Provider{
	Name: "zoom", Title: "Zoom",
	Headers:   []string{"x-zm-signature", "x-zm-request-timestamp"},
	Signed:    "HMAC-SHA256 of “v0:timestamp:body”, x-zm-signature: v0=hexadecimal",
	Secret:    "the app's webhook secret token",
	Dedupe:    "the body's hash: there is no identifier, but event_ts in milliseconds",
	Type:      "event",
	Handshake: "endpoint.url_validation: the plainToken and its HMAC as JSON within 3 s; it asks again every three days",
	Retries:   "200 or 204",
	Gotcha:    "A validation that is not answered, also the hundredth, ends the subscription.",
	verify:    verifyZoom,
}

func verifyZoom(c *call) (Verdict, *refusal) {
	secret, refused := c.versionZero("x-zm-signature", "x-zm-request-timestamp")
	if refused != nil {
		return Verdict{}, refused
	}
	if c.text("event") == "endpoint.url_validation" {
		return c.validateZoom(secret)
	}
	return c.event(secret, c.identified("", c.text("event"))), nil
}

// validateZoom shows that the secret is known here: the one that signed.
func (c *call) validateZoom(name string) (Verdict, *refusal) {
	plain := c.text("payload", "plainToken")
	if plain == "" || len(plain) > maxEcho {
		return Verdict{}, malformed(HandshakeMalformed, "payload.plainToken")
	}
	var sum []byte
	for _, secret := range usable(c.secrets, RoleHandshake) {
		if secret.Name == name && sum == nil {
			sum = keyed(crypto.SHA256, []byte(secret.Value), [][]byte{[]byte(plain)})
		}
	}
	body, err := json.Marshal(struct {
		Plain     string `json:"plainToken"`
		Encrypted string `json:"encryptedToken"`
	}{plain, hex.EncodeToString(sum)})
	if err != nil {
		return Verdict{}, malformed(HandshakeMalformed, "payload.plainToken")
	}
	return handshake(name, Response{Status: 200, ContentType: "application/json", Body: string(body)}), nil
}
