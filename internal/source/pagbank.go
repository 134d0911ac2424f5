package source

import (
	"bytes"
	"crypto"
)

var pagbank = &Provider{
	Name: "pagbank", Title: "PagBank",
	Headers:   []string{"x-authenticity-token"},
	Signed:    "SHA-256 of “token-body”, hexadecimal, in x-authenticity-token",
	Secret:    "the account's token",
	Dedupe:    "id and the body's hash: a charge keeps its id from WAITING to PAID",
	Type:      "none",
	Handshake: "none",
	Retries:   "any 2xx",
	Gotcha:    "In its sandbox the header may be absent.",
	verify:    verifyPagBank,
}

func verifyPagBank(c *call) (Verdict, *refusal) {
	text, refused := c.header("x-authenticity-token")
	if refused != nil {
		return Verdict{}, refused
	}
	secret, refused := c.match(signed{hash: crypto.SHA256, encoding: inHex, texts: []string{text}, content: after("-"), sum: unkeyed})
	if refused != nil {
		return Verdict{}, refused
	}
	if refused := c.whole(); refused != nil {
		return Verdict{}, refused
	}
	item := c.identified(c.text("id"), "")
	if item.ID != "" {
		item.Dedupe = joined(item.ID, BodyHash(c.Body))
	}
	return c.event(secret, item), nil
}

// unkeyed is a plain hash of the secret and what is signed, which providers that
// came before HMAC use.
func unkeyed(hash crypto.Hash, key []byte, parts [][]byte) []byte {
	sum := hash.New()
	sum.Write(key)
	for _, part := range parts {
		sum.Write(part)
	}
	return sum.Sum(nil)
}

// whole refuses what may have been made of a plain hash without its secret:
// whoever has one signature can compute that of the same body with a certain
// padding and anything behind it. That is never JSON.
func (c *call) whole() *refusal {
	if len(bytes.TrimSpace(c.Body)) == 0 {
		return nil
	}
	if _, refused := c.json(); refused != nil {
		return bad(BodyNotCovered, "it is not JSON, and a hash without a key can be extended")
	}
	return nil
}
