package contractpage

import (
	"fmt"
	"time"

	"github.com/malotehq/malote/internal/policy"
)

// composer writes one page. What several sections speak of is computed once.
type composer struct {
	*locale
	p         *policy.Policy
	retention time.Duration

	timetable    []policy.Instant
	fewest, most int
	answers      []answers
	failures     []failures

	err error // the first text or value that was missing
}

func compose(p *policy.Policy, l *locale, retention time.Duration) (*page, error) {
	c := &composer{locale: l, p: p, retention: retention, timetable: policy.Schedule(p), answers: answersOf(p), failures: failuresOf(p)}
	c.fewest, c.most = policy.Attempts(c.timetable)
	composed := &page{
		locale:      l,
		Title:       c.say("title", args{"policy": quote(p.Name)}),
		Description: quote(p.Description).phrase,
		Intro:       []phrase{c.say("intro", nil), c.say("words", nil)},
		Skip:        c.say("skip", nil),
		Contents:    c.say("contents", nil),
		Sections: []section{
			c.glance(),
			c.request(),
			c.answering(),
			c.schedule(),
			c.trouble(),
			c.verification(),
			c.repeats(),
			c.reconciliation(),
			c.checklist(),
		},
	}
	return composed, c.err
}

// say is the text of a key with its placeholders filled.
func (c *composer) say(key string, given args) phrase {
	m, known := c.texts()[key]
	if !known {
		c.fail(fmt.Errorf("there is no text %q in %s", key, c.language))
		return nil
	}
	said, err := m.fill(c.one, given)
	if err != nil {
		c.fail(fmt.Errorf("text %q in %s: %w", key, c.language, err))
	}
	return said
}

func (c *composer) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

func (c *composer) text(key string, given args) string { return c.say(key, given).String() }

// section begins one; key.title is its heading.
func (c *composer) section(id string, blocks ...block) section {
	return section{ID: id, Title: c.say(id+".title", nil), Blocks: blocks}
}

// paragraph is one paragraph of one or several texts.
func (c *composer) paragraph(given args, keys ...string) block {
	var text phrase
	for i, key := range keys {
		if i > 0 {
			text = append(text, span{plain, " "})
		}
		text = append(text, c.say(key, given)...)
	}
	return block{Text: text}
}

func (c *composer) subheading(id, key string) block {
	return block{Heading: &heading{ID: id, Title: c.say(key, nil)}}
}

// alternatives joins tokens as in "a, b or c".
func (c *composer) alternatives(tokens []string) value {
	var parts []phrase
	for _, t := range tokens {
		parts = append(parts, token(t).phrase)
	}
	return value{phrase: c.list(parts, c.or)}
}
