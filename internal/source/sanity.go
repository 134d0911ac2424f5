package source

var sanity = &Provider{
	Name: "sanity", Title: "Sanity",
	Headers:   []string{"sanity-webhook-signature"},
	Signed:    "HMAC-SHA256 of “t.body”, URL-safe base64 without padding, in sanity-webhook-signature: t=…,v1=…; t in milliseconds",
	signsTime: true,
	Secret:    "the webhook's secret",
	Dedupe:    "idempotency-key, else the body's hash",
	Type:      "sanity-operation",
	Handshake: "none",
	Retries:   "any 2xx; for about half an hour",
	verify:    verifySanity,
}

func verifySanity(c *call) (Verdict, *refusal) {
	secret, refused := c.timedSignature(timedScheme{
		header: "sanity-webhook-signature", separator: ",", clock: "t", version: "v1", joint: ".", encoding: inBase64URL, versioned: true,
	})
	if refused != nil {
		return Verdict{}, refused
	}
	return c.event(secret, c.identified(c.Header.Get("idempotency-key"), c.Header.Get("sanity-operation"))), nil
}
