package source

import (
	"crypto/ed25519"
	"encoding/hex"
	"errors"
	"slices"
)

var discord = &Provider{
	Name: "discord", Title: "Discord",
	Headers:     []string{"X-Signature-Ed25519", "X-Signature-Timestamp"},
	Signed:      "ed25519 over the timestamp and the body, hexadecimal, in X-Signature-Ed25519",
	signsTime:   true,
	Secret:      "the application's public key, hexadecimal",
	Dedupe:      "the body's hash: no identifier is documented",
	Type:        "event.type",
	Handshake:   "a PING: 204 to one of webhook events (type 0), {\"type\":1} to one of interactions",
	Retries:     "204 within 3 s",
	Gotcha:      "It probes with bad signatures, and takes the address off when they are not refused with 401.",
	Success:     Response{Status: 204},
	verify:      verifyDiscord,
	checkSecret: func(secret string) error { _, err := readEd25519(secret); return err },
}

func verifyDiscord(c *call) (Verdict, *refusal) {
	values, refused := c.headers("X-Signature-Ed25519", "X-Signature-Timestamp")
	if refused != nil {
		return Verdict{}, refused
	}
	signature, err := hex.DecodeString(values[0])
	if err != nil || len(signature) != ed25519.SignatureSize {
		return Verdict{}, bad(SignatureEncoding, "it must be 64 bytes in hexadecimal")
	}
	at, refused := c.abutting("X-Signature-Timestamp", values[1])
	if refused != nil {
		return Verdict{}, refused
	}
	secret, refused := matchPublic(c, readEd25519, func(key ed25519.PublicKey, body []byte) bool {
		return ed25519.Verify(key, slices.Concat([]byte(values[1]), body), signature)
	})
	if refused != nil {
		return Verdict{}, refused
	}
	if refused := c.inTime(at); refused != nil {
		return Verdict{}, refused
	}
	return c.discordEvent(secret), nil
}

// discordEvent tells the two PINGs from events, of which type 1 is one too.
func (c *call) discordEvent(secret string) Verdict {
	kind := c.text("event", "type")
	switch c.text("type") {
	case "0":
		return handshake(secret, Response{Status: 204})
	case "1":
		if kind == "" {
			return handshake(secret, Response{Status: 200, ContentType: "application/json", Body: `{"type":1}`})
		}
	}
	return c.event(secret, c.identified("", kind))
}

func readEd25519(secret string) (ed25519.PublicKey, error) {
	key, err := hex.DecodeString(secret)
	if err != nil || len(key) != ed25519.PublicKeySize {
		return nil, errors.New("it must be a public key: 32 bytes in hexadecimal")
	}
	return key, nil
}
