package contractpage

// reconcileCall is how a receiver asks for what it may have missed.
const reconcileCall = `curl -sG "$MALOTE_URL/v1/events" \
  -H "Authorization: Bearer $MALOTE_API_KEY" \
  -d since=2026-03-01T00:00:00Z \
  -d until=2026-03-02T00:00:00Z \
  -d type=invoice.paid \
  -d limit=250
`

// reconciliation is how a receiver finds what it missed (F16, D15).
func (c *composer) reconciliation() section {
	given := args{"retention": c.duration(c.retention)}
	var steps []phrase
	for _, key := range []string{"reconcile.pages", "reconcile.compare", "reconcile.body", "reconcile.complete"} {
		steps = append(steps, c.say(key, given))
	}
	return c.section("reconcile",
		c.paragraph(given, "reconcile.intro", "reconcile.kept"),
		block{Listing: &listing{Label: c.say("reconcile.title", nil), Language: "sh", Text: reconcileCall}},
		block{Steps: steps},
		c.paragraph(given, "reconcile.often"),
	)
}
