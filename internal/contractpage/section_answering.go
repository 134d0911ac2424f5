package contractpage

import (
	"fmt"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
)

// answering is what a receiver answers, and what follows from it.
func (c *composer) answering() section {
	body := c.p.Response
	given := args{
		"deadline": c.duration(c.p.Deadline), "statuses": {phrase: c.successes()},
		"limit": size(body.ReadLimit), "kept": size(body.KeepFailed),
	}
	reading := []string{"answers.body.none"}
	if body.ReadLimit > 0 {
		reading = []string{"answers.body.read", "answers.body.thrown", "answers.broken.succeeds"}
		if body.KeepFailed > 0 {
			reading[1] = "answers.body.kept"
		}
		if body.BrokenBodyFails {
			reading[2] = "answers.broken.fails"
		}
	}
	return c.section("answers",
		c.paragraph(given, "answers.deadline", "answers.note_down"),
		c.paragraph(given, "answers.success", "answers.redirects"),
		c.paragraph(given, reading...),
		block{Table: c.answerTable()},
		block{Table: c.failureTable()},
		c.paragraph(given, "answers.unsent"),
	)
}

// size writes a number of bytes as the policy does; it is a technical token in
// every language.
func size(n int) value {
	switch {
	case n >= 1<<20 && n%(1<<20) == 0:
		return token(fmt.Sprintf("%d MiB", n>>20))
	case n >= 1<<10 && n%(1<<10) == 0:
		return token(fmt.Sprintf("%d KiB", n>>10))
	default:
		return token(fmt.Sprintf("%d B", n))
	}
}

func (c *composer) answerTable() *table {
	t := &table{ID: "responses", Caption: c.say("answers.caption", nil), Head: []phrase{
		c.say("answers.answer", nil), c.say("answers.then", nil), c.say("answers.pause", nil),
	}}
	for _, row := range c.answers {
		t.Rows = append(t.Rows, []cell{c.label(row), c.consequence(row.verdict), c.pause(row.verdict)})
	}
	return t
}

// label names the statuses of a row.
func (c *composer) label(row answers) cell {
	var lines cell
	if len(row.statuses) > 0 {
		lines = append(lines, c.commas(row.statuses))
	}
	for _, class := range row.classes {
		given := args{"class": token(class.name), "statuses": {phrase: c.commas(class.among)}}
		key := "answers.class"
		if class.rest {
			key = "answers.rest"
		}
		if len(class.among) > 0 {
			key += ".among"
		}
		lines = append(lines, c.say(key, given))
	}
	return lines
}

func (c *composer) commas(tokens []string) phrase {
	var parts []phrase
	for _, t := range tokens {
		parts = append(parts, token(t).phrase)
	}
	return c.list(parts, c.comma)
}

// consequence says what follows from a verdict, a sentence on each line.
func (c *composer) consequence(v verdict) cell {
	var lines cell
	switch {
	case v.state == delivery.Delivered:
		lines = cell{c.say("then.delivered", nil)}
	case v.state == delivery.Pending:
		lines = cell{c.say("then.retry", nil)}
	case v.cause == policy.ByRule:
		lines = cell{c.say("then.dead", args{"reason": token(string(v.reason))})}
	default: // of an attempt that was the only one
		lines = cell{c.say("then.only", args{"reason": token(string(v.reason))})}
	}
	if v.disables {
		lines = append(lines, c.say("then.disabled", nil))
	}
	if v.slows {
		lines = append(lines, c.say("then.slower", nil))
	}
	return lines
}

func (c *composer) pause(v verdict) cell {
	switch {
	case v.pause > 0:
		return cell{c.say("pause.obeyed", args{"cap": c.duration(v.pause)})}
	case v.state == delivery.Pending:
		return cell{c.say("pause.ignored", nil)}
	default:
		return oneLine(words(none))
	}
}

func (c *composer) failureTable() *table {
	t := &table{ID: "failures", Caption: c.say("failures.caption", nil), Head: []phrase{c.say("failures.failure", nil), c.say("answers.then", nil)}}
	for _, row := range c.failures {
		var lines cell
		for _, failure := range row.codes {
			lines = append(lines, c.say("failures.line", args{
				"what": {phrase: c.say("error."+string(failure), nil)}, "code": token(string(failure)),
			}))
		}
		t.Rows = append(t.Rows, []cell{lines, c.consequence(row.verdict)})
	}
	return t
}

// successes names the statuses that succeed.
func (c *composer) successes() phrase {
	return c.list(c.statusesThat(func(v verdict) bool { return v.state == delivery.Delivered }), c.or)
}

// outcomes names the statuses and the errors whose verdict is such, as in "410,
// any other 4xx or timeout"; nil: there is none.
func (c *composer) outcomes(such func(verdict) bool) phrase {
	parts := c.statusesThat(such)
	for _, row := range c.failures {
		for _, failure := range row.codes {
			if row.verdict.state != delivery.Delivered && such(row.verdict) {
				parts = append(parts, token(string(failure)).phrase)
			}
		}
	}
	return c.list(parts, c.or)
}

func (c *composer) statusesThat(such func(verdict) bool) []phrase {
	var parts []phrase
	for _, row := range c.answers {
		if !such(row.verdict) {
			continue
		}
		for _, status := range row.statuses {
			parts = append(parts, token(status).phrase)
		}
		for _, class := range row.classes {
			key := "answers.class"
			if class.rest {
				key = "answers.rest"
			}
			parts = append(parts, c.say(key, args{"class": token(class.name)}))
		}
	}
	return parts
}
