package source

import "crypto"

var hubspotV1 = &Provider{
	Name: "hubspot_v1", Title: "HubSpot, signature v1",
	Headers:   []string{"X-HubSpot-Signature", "X-HubSpot-Signature-Version"},
	Signed:    "SHA-256 of the client secret and the body, hexadecimal, in X-HubSpot-Signature",
	Secret:    "the app's client secret",
	Dedupe:    hubspotDedupe,
	Type:      "subscriptionType of each item",
	Handshake: "none",
	Retries:   "any 2xx; 10 tries in 24 h",
	Gotcha:    "There is no time in it, so that a captured request holds for ever: prefer v3.",
	verify:    verifyHubSpotV1,
}

func verifyHubSpotV1(c *call) (Verdict, *refusal) {
	return c.hubspotHash(signed{content: bodyOnly})
}

// hubspotHash is what both have in common.
func (c *call) hubspotHash(s signed) (Verdict, *refusal) {
	text, refused := c.header("X-HubSpot-Signature")
	if refused != nil {
		return Verdict{}, refused
	}
	s.hash, s.encoding, s.texts, s.sum = crypto.SHA256, inHex, []string{text}, unkeyed
	secret, refused := c.match(s)
	if refused != nil {
		return Verdict{}, refused
	}
	if refused := c.whole(); refused != nil {
		return Verdict{}, refused
	}
	return c.hubspotItems(secret), nil
}
