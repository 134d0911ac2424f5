package contractpage

import (
	"time"

	"github.com/malotehq/malote/internal/policy"
)

const day = 24 * time.Hour

// noBreak keeps a number and its unit on one line.
const noBreak = "\u00a0"

// none stands where a table has nothing to say.
const none = "–"

type amount struct {
	n    float64
	unit string
}

// amounts takes a duration apart, largest unit first, to the millisecond: what
// is finer comes from computing with chance, and nobody reads it.
func amounts(d time.Duration, largest time.Duration) []amount {
	d = d.Round(time.Millisecond)
	var parts []amount
	for _, unit := range []struct {
		name   string
		length time.Duration
	}{{"day", day}, {"hour", time.Hour}, {"minute", time.Minute}} {
		if n := d / unit.length; n > 0 && unit.length <= largest {
			parts = append(parts, amount{float64(n), unit.name})
			d %= unit.length
		}
	}
	if d > 0 || len(parts) == 0 {
		parts = append(parts, amount{float64(d.Milliseconds()) / 1000, "second"})
	}
	return parts
}

// duration is a length of time within a sentence. Days are used where they come
// out even and there are at least two.
func (c *composer) duration(d time.Duration) value {
	largest := time.Hour
	if d >= 2*day && d%day == 0 {
		largest = day
	}
	var parts []phrase
	for _, a := range amounts(d, largest) {
		parts = append(parts, c.say("unit."+a.unit, args{"n": c.count(a.n)}))
	}
	return value{phrase: c.list(parts, c.and)}
}

// brief is a length of time in a table or a picture.
func (c *composer) brief(d time.Duration) string {
	if d == policy.Never {
		return none
	}
	text := ""
	for i, a := range amounts(d, time.Hour) {
		if i > 0 {
			text += " "
		}
		text += c.number(a.n) + noBreak + c.text("unit.short."+a.unit, nil)
	}
	return text
}

func (c *composer) count(n float64) value {
	return value{phrase: phrase{{plain, c.number(n)}}, count: n}
}

// between is "n" or, of two different numbers, "n to m".
func (c *composer) between(least, most int) value {
	v := c.count(float64(most))
	switch {
	case least == most-1:
		v.phrase = c.list([]phrase{c.count(float64(least)).phrase, v.phrase}, c.or)
	case least < most:
		v.phrase = c.say("range", args{"from": c.count(float64(least)), "to": v})
	}
	return v
}
