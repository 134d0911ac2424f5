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
	signsTime: true,
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

// validateZoom shows that the secret that signed the question is known here.
func (c *call) validateZoom(name string) (Verdict, *refusal) {
	plain := c.text("payload", "plainToken")
	if plain == "" || len(plain) > maxEcho {
		return Verdict{}, malformed(HandshakeMalformed, "payload.plainToken")
	}
	body, err := json.Marshal(struct {
		Plain     string `json:"plainToken"`
		Encrypted string `json:"encryptedToken"`
	}{plain, hex.EncodeToString(keyed(crypto.SHA256, c.zoomKey(), [][]byte{[]byte(plain)}))})
	if err != nil {
		return Verdict{}, malformed(HandshakeMalformed, "payload.plainToken")
	}
	return handshake(name, Response{Status: 200, ContentType: "application/json", Body: string(body)}), nil
}

// zoomKey is the first of the secrets that signed; one did.
func (c *call) zoomKey() []byte {
	alone := *c
	for _, secret := range usable(c.secrets, RoleHandshake) {
		alone.secrets = []Secret{secret}
		if _, refused := alone.versionZero("x-zm-signature", "x-zm-request-timestamp"); refused == nil {
			return []byte(secret.Value)
		}
	}
	return nil
}
