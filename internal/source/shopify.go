package source

import "crypto"

var shopify = &Provider{
	Name: "shopify", Title: "Shopify",
	Headers:   []string{"X-Shopify-Hmac-Sha256", "X-Shopify-Webhook-Id", "X-Shopify-Topic"},
	Signed:    "HMAC-SHA256 of the body, base64, in X-Shopify-Hmac-Sha256",
	Secret:    "the app's client secret, or the secret shown below the shop's webhooks",
	Dedupe:    "X-Shopify-Webhook-Id",
	Type:      "X-Shopify-Topic",
	Handshake: "none",
	Retries:   "a 2xx within 5 s, 1 s to connect; 8 tries in 4 h",
	Gotcha:    "It deletes the subscription after failures.",
	verify:    verifyShopify,
}

func verifyShopify(c *call) (Verdict, *refusal) {
	secret, refused := c.overBody("X-Shopify-Hmac-Sha256", "", crypto.SHA256, inBase64)
	if refused != nil {
		return Verdict{}, refused
	}
	return c.event(secret, c.identified(c.Header.Get("X-Shopify-Webhook-Id"), c.Header.Get("X-Shopify-Topic"))), nil
}
