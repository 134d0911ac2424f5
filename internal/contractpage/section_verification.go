package contractpage

import (
	"time"

	"github.com/malotehq/malote/internal/policy"
)

// tolerance is how far a signature's time may be from a receiver's clock, in
// either direction (F16).
const tolerance = 5 * time.Minute

// verification is how a receiver knows that a request is genuine.
func (c *composer) verification() section {
	names, scheme := c.p.Headers, string(c.p.Signature.Scheme)
	given := args{
		"id": token(names.ID), "timestamp": token(names.Timestamp), "signature": token(names.Signature),
		"tolerance": c.duration(tolerance),
	}
	say := func(keys ...string) (steps []phrase) {
		for _, key := range keys {
			steps = append(steps, c.say(key, given))
		}
		return steps
	}
	steps := say("verify.raw", "verify.time", "verify.signed."+scheme, "verify.key", "verify.compare."+scheme)
	blocks := []block{
		c.paragraph(given, "verify.intro"), {Steps: steps},
		c.paragraph(given, "verify.rotation", "verify.rotation."+scheme),
		c.paragraph(given, c.more(given)...),
		c.paragraph(given, "verify.samples"),
	}
	samples, err := samplesFor(c.p)
	if err != nil {
		c.fail(err)
	}
	for _, s := range samples {
		blocks = append(blocks, c.subheading("verify-"+s.name, "sample."+s.name))
		if _, noted := c.texts()["sample."+s.name+".note"]; noted {
			blocks = append(blocks, c.paragraph(given, "sample."+s.name+".note"))
		}
		blocks = append(blocks, block{Listing: &listing{Label: c.say("sample."+s.name, nil), Language: s.language, Text: s.text}})
	}
	return c.section("verify", blocks...)
}

// more is what else there is to say about the scheme.
func (c *composer) more(given args) []string {
	keys := []string{"verify.more." + string(c.p.Signature.Scheme)}
	if member, has := c.member(policy.EventID); has && c.p.Signature.Scheme == policy.TimestampHex {
		given["member"] = token(inJSON(member))
		keys = append(keys, "verify.more.member")
	}
	return keys
}
