package source

var msgraph = &Provider{
	Name: "msgraph", Title: "Microsoft Graph",
	Signed:    "nothing: clientState of every item holds the secret itself",
	Secret:    "the subscription's clientState",
	Dedupe:    "id of each item; without one, nothing: two changes of one resource may be the same bytes, so that none is taken for a repetition",
	Type:      "changeType of each item, else lifecycleEvent",
	Handshake: "POST with ?validationToken=: the token as plain text within 10 s",
	Retries:   "a 2xx within 3 s; for 4 h",
	Gotcha:    "clientState proves who knows it, and says nothing about the rest. Items come in batches.",
	verify:    verifyMSGraph,
}

func verifyMSGraph(c *call) (Verdict, *refusal) {
	query, refused := c.query()
	if refused != nil {
		return Verdict{}, refused
	}
	if query.Has("validationToken") {
		return echo("", query.Get("validationToken"))
	}
	document, refused := c.json()
	if refused != nil {
		return Verdict{}, refused
	}
	elements, refused := list(document, "value")
	if refused != nil {
		return Verdict{}, refused
	}
	secret := ""
	for i, e := range elements {
		state, refused := field(e, "clientState")
		if refused != nil {
			return Verdict{}, refused
		}
		if secret, refused = c.token(state, RoleHandshake); refused != nil {
			if i > 0 && refused.reason == WrongToken {
				refused.reason = ItemForged
			}
			return Verdict{}, refused
		}
	}
	return batch(secret, "", "", notifications(elements)), nil
}

// notifications are the items. A subscription has many, and one that a resource
// changed twice is twice the same: only an identifier tells a repetition.
func notifications(elements []value) []Item {
	all := make([]Item, len(elements))
	for i, e := range elements {
		id := e.textAt("id")
		all[i] = Item{
			ID: orElse(id, e.textAt("subscriptionId")), Type: orElse(e.textAt("changeType"), e.textAt("lifecycleEvent")),
			Dedupe: id, Body: e.raw,
		}
	}
	return all
}
