package source

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"crypto/x509"
	"encoding/asn1"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"math/big"
)

const (
	sendgridSignature = "X-Twilio-Email-Event-Webhook-Signature"
	sendgridTimestamp = "X-Twilio-Email-Event-Webhook-Timestamp"
)

var sendgrid = &Provider{
	Name: "sendgrid", Title: "SendGrid",
	Headers:     []string{sendgridSignature, sendgridTimestamp},
	Signed:      "ECDSA on P-256 over the timestamp and the body, DER in base64, in " + sendgridSignature,
	signsTime:   true,
	Secret:      "the verification key: a public key in base64",
	Dedupe:      "sg_event_id of each item",
	Type:        "event of each item",
	Handshake:   "none",
	Retries:     "any 2xx; for 24 h",
	Gotcha:      "The CR LF at the body's end is signed.",
	verify:      verifySendGrid,
	checkSecret: checkECDSA,
}

func verifySendGrid(c *call) (Verdict, *refusal) {
	values, refused := c.headers(sendgridSignature, sendgridTimestamp)
	if refused != nil {
		return Verdict{}, refused
	}
	signature, refused := derSignature(values[0])
	if refused != nil {
		return Verdict{}, refused
	}
	at, refused := c.abutting(sendgridTimestamp, values[1])
	if refused != nil {
		return Verdict{}, refused
	}
	secret, refused := matchPublic(c, readECDSA, func(key *ecdsa.PublicKey, body []byte) bool {
		sum := sha256.New()
		sum.Write([]byte(values[1]))
		sum.Write(body)
		return ecdsa.VerifyASN1(key, sum.Sum(nil), signature)
	})
	if refused != nil {
		return Verdict{}, refused
	}
	if refused := c.inTime(at); refused != nil {
		return Verdict{}, refused
	}
	return c.sendgridItems(secret), nil
}

// sendgridItems are the events of a batch; its test sends an object alone.
func (c *call) sendgridItems(secret string) Verdict {
	elements := c.elements()
	if len(elements) == 0 {
		return c.event(secret, c.identified(c.text("sg_event_id"), c.text("event")))
	}
	return batch(secret, "", "", items(elements, func(e value) Item {
		return Item{ID: e.textAt("sg_event_id"), Type: e.textAt("event")}
	}))
}

// elements are those of the body, or of an array in it, once it is verified.
// There are none when it cannot be split: it is one event then, as who sends it
// once will not do so again.
func (c *call) elements(path ...string) []value {
	document, refused := c.json()
	if refused != nil {
		return nil
	}
	array, err := document.at(path...)
	if err != nil {
		return nil
	}
	elements, err := array.elements()
	if err != nil {
		return nil
	}
	return elements
}

// items are a batch's elements. One without a key is known by its hash.
func items(elements []value, read func(value) Item) []Item {
	all := make([]Item, len(elements))
	for i, e := range elements {
		item := read(e)
		item.Dedupe = orElse(item.Dedupe, item.ID, BodyHash(e.raw))
		item.Body = e.raw
		all[i] = item
	}
	return all
}

// derSignature reads base64 of two numbers in DER, and nothing behind them.
func derSignature(text string) ([]byte, *refusal) {
	signature, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, malformed(SignatureMalformed, "it is not base64")
	}
	var numbers struct{ R, S *big.Int }
	if rest, err := asn1.Unmarshal(signature, &numbers); err != nil || len(rest) > 0 {
		return nil, malformed(SignatureMalformed, "it is not DER")
	}
	return signature, nil
}

var errNotECDSA = errors.New("it must be a public key on P-256, in base64 or PEM")

// readECDSA reads a public key in base64 of DER, or in PEM.
func readECDSA(secret string) (*ecdsa.PublicKey, error) {
	der, err := base64.StdEncoding.DecodeString(secret)
	if block, _ := pem.Decode([]byte(secret)); block != nil {
		der, err = block.Bytes, nil
	}
	if err != nil {
		return nil, errNotECDSA
	}
	parsed, err := x509.ParsePKIXPublicKey(der)
	key, ok := parsed.(*ecdsa.PublicKey)
	if err != nil || !ok || key.Curve != elliptic.P256() {
		return nil, errNotECDSA
	}
	return key, nil
}

func checkECDSA(secret string) error {
	_, err := readECDSA(secret)
	return err
}
