package source

import "encoding/json"

const oktaChallenge = "X-Okta-Verification-Challenge"

var okta = &Provider{
	Name: "okta", Title: "Okta",
	Headers:   []string{"Authorization", oktaChallenge},
	Signed:    "nothing: Authorization holds the secret itself",
	Secret:    "the whole value of the Authorization header, with Bearer if that was entered",
	Dedupe:    "uuid of each of data.events",
	Type:      "eventType of each of data.events",
	Handshake: "GET with " + oktaChallenge + ": {\"verification\": …}",
	Retries:   "200 or 204 within 3 s",
	Gotcha:    "The secret proves who knows it, and says nothing about the body. Events come in batches.",
	Methods:   []string{"GET"},
	verify:    verifyOkta,
}

func verifyOkta(c *call) (Verdict, *refusal) {
	secret, refused := c.staticToken("Authorization")
	if refused != nil {
		return Verdict{}, refused
	}
	if c.Method == "GET" {
		return c.verifyOktaAddress(secret)
	}
	elements := c.elements("data", "events")
	if len(elements) == 0 {
		return c.event(secret, c.identified(c.text("eventId"), c.text("eventType"))), nil
	}
	return batch(secret, c.text("eventId"), c.text("eventType"), items(elements, func(e value) Item {
		return Item{ID: e.textAt("uuid"), Type: e.textAt("eventType")}
	})), nil
}

func (c *call) verifyOktaAddress(secret string) (Verdict, *refusal) {
	text, refused := c.header(oktaChallenge)
	if refused != nil {
		return Verdict{}, refused
	}
	body, err := json.Marshal(map[string]string{"verification": text})
	if err != nil || len(text) > maxEcho {
		return Verdict{}, malformed(HandshakeMalformed, oktaChallenge)
	}
	return handshake(secret, Response{Status: 200, ContentType: "application/json", Body: string(body)}), nil
}
