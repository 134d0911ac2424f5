package source

import (
	"crypto"
	"strings"
)

var mercadopago = &Provider{
	Name: "mercadopago", Title: "Mercado Pago",
	Headers:   []string{"x-signature", "x-request-id"},
	Signed:    "HMAC-SHA256 of “id:…;request-id:…;ts:…;”, hexadecimal, in x-signature: ts=…,v1=…; the body is NOT signed",
	Secret:    "the webhook's secret key",
	Dedupe:    "id",
	Type:      "action, else type",
	Handshake: "none",
	Retries:   "200 or 201 within 22 s",
	Gotcha:    "The id is data.id of the URL, in lower case; what is absent is left out. Fetch the resource rather than believe the body.",
	verify:    verifyMercadoPago,
}

func verifyMercadoPago(c *call) (Verdict, *refusal) {
	text, refused := c.header("x-signature")
	if refused != nil {
		return Verdict{}, refused
	}
	if len(c.Header.Values("x-request-id")) > 1 {
		return Verdict{}, malformed(HeaderTwice, "x-request-id")
	}
	read, refused := timedScheme{header: "x-signature", separator: ",", clock: "ts", version: "v1"}.read(text)
	if refused != nil {
		return Verdict{}, refused
	}
	query, refused := c.query()
	if refused != nil {
		return Verdict{}, refused
	}
	manifest := "ts:" + read.clock + ";"
	if id := c.Header.Get("x-request-id"); id != "" {
		manifest = "request-id:" + id + ";" + manifest
	}
	if id := query.Get("data.id"); id != "" {
		manifest = "id:" + strings.ToLower(id) + ";" + manifest
	}
	secret, refused := c.match(signed{
		hash: crypto.SHA256, encoding: inHex, texts: read.sums,
		content: func([]byte) [][]byte { return [][]byte{[]byte(manifest)} },
	})
	if refused != nil {
		return Verdict{}, refused
	}
	if refused := c.inTime(read.at); refused != nil {
		return Verdict{}, refused
	}
	return c.event(secret, c.identified(c.text("id"), orElse(c.text("action"), c.text("type")))), nil
}
