package source

var hubspotV2 = &Provider{
	Name: "hubspot_v2", Title: "HubSpot, signature v2",
	Headers:   []string{"X-HubSpot-Signature", "X-HubSpot-Signature-Version"},
	Signed:    "SHA-256 of the client secret, method, URL and body, hexadecimal, in X-HubSpot-Signature",
	Secret:    "the app's client secret",
	Dedupe:    hubspotDedupe,
	Type:      "subscriptionType of each item",
	Handshake: "none",
	Retries:   "any 2xx; 10 tries in 24 h",
	Gotcha:    "There is no time in it, so that a captured request holds for ever: prefer v3.",
	Methods:   []string{"GET", "PUT"},
	verify:    verifyHubSpotV2,
}

func verifyHubSpotV2(c *call) (Verdict, *refusal) {
	over := func(address string) content { return after(c.Method + address) }
	return c.hubspotHash(signed{content: over(c.URL), other: otherURLs(c.URL, over)})
}
