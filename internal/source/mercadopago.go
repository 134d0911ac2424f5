package source

import (
	"crypto"
	"errors"
	"strings"
)

var mercadopago = &Provider{
	Name: "mercadopago", Title: "Mercado Pago",
	Headers:   []string{"x-signature", "x-request-id"},
	Signed:    "HMAC-SHA256 of “id:…;request-id:…;ts:…;”, hexadecimal, in x-signature: ts=…,v1=…; the body is NOT signed",
	signsTime: true,
	Secret:    "the webhook's secret key",
	Dedupe:    "id; whether a retry keeps its x-request-id is not documented",
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
	read, refused := timedScheme{header: "x-signature", separator: ",", clock: "ts", version: "v1"}.read(text)
	if refused != nil {
		return Verdict{}, refused
	}
	id, request, refused := c.mercadopagoNames()
	if refused != nil {
		return Verdict{}, refused
	}
	manifest := "ts:" + read.clock + ";"
	if request != "" {
		manifest = "request-id:" + request + ";" + manifest
	}
	if id != "" {
		manifest = "id:" + id + ";" + manifest
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
	if refused := c.aboutTheSame(id); refused != nil {
		return Verdict{}, refused
	}
	return c.event(secret, c.identified(c.text("id"), orElse(c.text("action"), c.text("type")))), nil
}

// mercadopagoNames are what is signed besides the time: the identifier in the
// URL and the request's. Neither may hold what ends them there.
func (c *call) mercadopagoNames() (id, request string, _ *refusal) {
	query, refused := c.query()
	if refused != nil {
		return "", "", refused
	}
	id, request = strings.ToLower(query.Get("data.id")), c.Header.Get("x-request-id")
	switch {
	case len(c.Header.Values("x-request-id")) > 1:
		return "", "", malformed(HeaderTwice, "x-request-id")
	case len(query["data.id"]) > 1:
		return "", "", malformed(HeaderTwice, "data.id in the query")
	case strings.Contains(request, ";"):
		return "", "", malformed(SignatureMalformed, "x-request-id has a semicolon, which joins what is signed")
	case strings.Contains(id, ";"):
		return "", "", malformed(SignatureMalformed, "data.id has a semicolon, which joins what is signed")
	}
	return id, request, nil
}

// aboutTheSame refuses a body that names another resource than the one that is
// signed. It says nothing about the rest of the body.
func (c *call) aboutTheSame(signed string) *refusal {
	document, refused := c.json()
	if refused != nil || signed == "" {
		return nil
	}
	at, err := document.at("data", "id")
	switch {
	case errors.Is(err, errTwice):
		return malformed(BodyAmbiguous, "data.id")
	case err != nil || at.is('n'):
		return nil
	}
	if text, ok := at.text(); !ok || !strings.EqualFold(text, signed) {
		return bad(BodyNotCovered, "its data.id is another one than the signed one in the URL")
	}
	return nil
}
