package source

import (
	"crypto"
	"strings"
	"time"
)

// timed is a header such as "t=1700000000,v1=aa,v1=bb".
type timed struct {
	clock string // as it is written: it is signed so
	at    time.Time
	sums  []string
}

// timedScheme is how a provider writes such a header, and what it signs: the
// time as it is written, the joint and the body.
type timedScheme struct {
	header, separator, clock, version string
	joint                             string
	encoding                          encoding
	// versioned: signatures of other versions alone are no mistake of writing,
	// but cannot be checked.
	versioned bool
}

// read takes the header apart. There must be one time and a signature.
func (s timedScheme) read(text string) (timed, *refusal) {
	var read timed
	others, clocks := 0, 0
	for part := range strings.SplitSeq(text, s.separator) {
		name, val, found := strings.Cut(strings.TrimSpace(part), "=")
		switch {
		case !found:
			return timed{}, malformed(SignatureMalformed, s.header+" has a part without a value")
		case name == s.clock:
			clocks++
			read.clock = val
		case name == s.version:
			read.sums = append(read.sums, val)
		default:
			others++
		}
	}
	switch {
	case clocks > 1:
		return timed{}, malformed(SignatureMalformed, s.header+" has several times")
	case read.clock == "":
		return timed{}, malformed(SignatureMalformed, s.header+" has no "+s.clock+"=")
	case len(read.sums) == 0 && (others == 0 || !s.versioned):
		return timed{}, malformed(SignatureMalformed, s.header+" has no "+s.version+"=")
	}
	at, refused := seconds(s.clock, read.clock)
	read.at = at
	return read, refused
}

// timedSignature finds the secret that made a header of that kind, in time.
func (c *call) timedSignature(s timedScheme) (string, *refusal) {
	text, refused := c.header(s.header)
	if refused != nil {
		return "", refused
	}
	read, refused := s.read(text)
	if refused != nil {
		return "", refused
	}
	if len(read.sums) == 0 {
		return "", bad(SignatureVersion, "there is no "+s.version+"=")
	}
	secret, refused := c.match(signed{
		hash: crypto.SHA256, encoding: s.encoding, texts: read.sums, content: after(read.clock + s.joint),
		other: []alternative{{TimestampChanged, "the body alone was signed", bodyOnly}},
	})
	if refused != nil {
		return "", refused
	}
	return secret, c.inTime(read.at)
}
