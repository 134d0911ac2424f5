package source

var asaas = &Provider{
	Name: "asaas", Title: "Asaas",
	Headers:   []string{"asaas-access-token"},
	Signed:    "nothing: asaas-access-token holds the secret itself",
	Secret:    "the webhook's authentication token",
	Dedupe:    "id",
	Type:      "event",
	Handshake: "none",
	Retries:   "exactly 200 within 10 s: 202 and 204 count as failures, and 15 of them pause the queue",
	Gotcha:    "The token proves who knows it, and says nothing about the body.",
	Success:   Response{Status: 200},
	verify:    verifyAsaas,
}

func verifyAsaas(c *call) (Verdict, *refusal) {
	secret, refused := c.staticToken("asaas-access-token")
	if refused != nil {
		return Verdict{}, refused
	}
	return c.event(secret, c.identified(c.text("id"), c.text("event"))), nil
}
