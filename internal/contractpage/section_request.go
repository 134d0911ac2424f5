package contractpage

import (
	"github.com/malotehq/malote/internal/policy"
)

// request is what a receiver gets.
func (c *composer) request() section {
	e := exampleOf(c.p)
	h := &table{ID: "headers", Caption: c.say("request.headers", nil), Head: []phrase{c.say("request.header", nil), c.say("request.meaning", nil)}}
	h.add(token("Content-Type"), c.say("header.content_type", args{"type": token(policy.EnvelopeContentType)}))
	h.add(token("User-Agent"), c.say("header.user_agent", nil))
	names := c.p.Headers
	for _, header := range []struct{ name, key string }{
		{names.ID, "header.id"}, {names.Timestamp, "header.timestamp"}, {names.Signature, "header.signature"},
		{names.Attempt, "header.attempt"}, {names.Trigger, "header.trigger"}, {names.EventType, "header.event_type"}, {names.Trace, "header.trace"},
		{names.IdempotencyKey, "header.idempotency_key." + string(names.IdempotencyKeyFrom)},
	} {
		if header.name != "" {
			h.add(token(header.name), c.say(header.key, nil))
		}
	}
	for _, extra := range names.Extra {
		h.add(token(extra.Name), c.say("header.extra", args{"value": token(extra.Value)}))
	}
	return c.section("request",
		c.paragraph(nil, "request.post"),
		c.paragraph(nil, "request.envelope"),
		block{Table: c.members()},
		c.paragraph(nil, "request.unknown", "request.raw"),
		block{Table: h},
		c.paragraph(nil, "request.case"),
		c.subheading("example", "request.example"),
		block{Listing: &listing{Label: c.say("request.example", nil), Language: "http", Text: e.text}},
		c.paragraph(args{"secret": token(exampleSecret)}, "request.genuine"),
	)
}

func (c *composer) members() *table {
	t := &table{ID: "members", Caption: c.say("request.members", nil), Head: []phrase{c.say("request.member", nil), c.say("request.meaning", nil)}}
	for _, member := range c.p.Envelope.Members {
		t.add(token(inJSON(member.Name)), c.say("member."+string(member.Value), nil))
	}
	return t
}

// add adds a row of one line in each cell.
func (t *table) add(head value, cells ...phrase) {
	row := []cell{oneLine(head)}
	for _, text := range cells {
		row = append(row, cell{text})
	}
	t.Rows = append(t.Rows, row)
}
