package egress

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// asciiName returns the host in lower-case ASCII.
//
// A transport maps a host through UTS 46 before it dials, and that mapping
// turns ①②⑦.⓪.⓪.① into 127.0.0.1, ſ into s and drops characters altogether. So
// a name that the mapping would change is refused. Two things are not counted as
// change, or internationalised names could not be used at all: lower case, and
// the punycode spelling of a label whose characters all survive as they are
// (bücher → xn--bcher-kva). A label that arrives as xn-- must decode to such a
// label and encode back to itself.
//
// The labels are mapped one by one with the profile of net/http; the result is
// ASCII, which net/http passes on untouched.
func asciiName(host string) (string, error) {
	labels := strings.Split(host, ".")
	for i, label := range labels {
		ascii, err := asciiLabel(label)
		if err != nil {
			return "", err
		}
		labels[i] = ascii
	}
	return strings.Join(labels, "."), nil
}

func asciiLabel(label string) (string, error) {
	wanted, unchanged := lowerLabel(label)
	if !unchanged {
		return "", changedName(label)
	}
	encoded := strings.HasPrefix(wanted, "xn--")
	if isASCII(wanted) && !encoded {
		return wanted, nil
	}
	ascii, err := idna.Lookup.ToASCII(wanted)
	if err != nil {
		return "", refuse(RuleIDNAInvalid, "%q is not a valid internationalised name: check its spelling", label)
	}
	if encoded {
		if ascii != wanted {
			return "", changedName(label)
		}
		return ascii, nil
	}
	if back, err := idna.Lookup.ToUnicode(ascii); err != nil || back != wanted {
		return "", changedName(label)
	}
	return ascii, nil
}

func changedName(label string) error {
	return refuse(RuleIDNAChangedName, "%q becomes another name when it is looked up: write it in plain letters, or as its xn-- form", label)
}

// lowerLabel returns label in lower case. It reports false when that is more
// than a change of case: the Kelvin sign, for one, lower-cases to a plain k
// and never comes back.
func lowerLabel(label string) (string, bool) {
	unchanged := true
	lower := strings.Map(func(r rune) rune {
		low := unicode.ToLower(r)
		if low != r && unicode.ToUpper(low) != r {
			unchanged = false
		}
		return low
	}, label)
	return lower, unchanged
}

func isASCII(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}

// Limits of RFC 1035 §2.3.4, in octets; a name's counts without the root's dot.
const (
	maxNameOctets  = 253
	maxLabelOctets = 63
)

// checkName applies the rules for a host name in lower-case ASCII without a
// trailing dot.
func checkName(name string) error {
	if len(name) > maxNameOctets {
		return refuse(RuleNameLength, "the host has %d characters: a name has at most %d", len(name), maxNameOctets)
	}
	labels := strings.Split(name, ".")
	for _, label := range labels {
		if err := checkLabel(label); err != nil {
			return err
		}
	}
	last := labels[len(labels)-1]
	if isNumeric(last) {
		return refuse(RuleNumericLabel, "%q ends in a number, which some software reads as an IP address: use a name, or an address like 172.32.0.1", name)
	}
	if suffix := reservedSuffix(name); suffix != "" {
		return refuse(RuleReservedName, "%q is under .%s, which does not exist in the public DNS: use a public name", name, suffix)
	}
	if len(labels) == 1 {
		return refuse(RuleSingleLabel, "%q is a single word, which search domains would complete: use a full public name", name)
	}
	return nil
}

// checkLabel allows letters, digits, hyphens inside, and underscores, which
// real host names have.
func checkLabel(label string) error {
	if label == "" {
		return refuse(RuleLabelSyntax, "the host has an empty part between two dots: remove the extra dot")
	}
	if len(label) > maxLabelOctets {
		return refuse(RuleNameLength, "the part %q of the host has %d characters: at most %d are possible", label, len(label), maxLabelOctets)
	}
	if label[0] == '-' || label[len(label)-1] == '-' {
		return refuse(RuleLabelSyntax, "the part %q of the host begins or ends with a hyphen: check its spelling", label)
	}
	for _, r := range label {
		if !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' || r == '_') {
			return refuse(RuleLabelSyntax, "the host has the character %q: use letters, digits, hyphens and dots", r)
		}
	}
	return nil
}

// isNumeric reports whether a name with this last label is a number to the
// parsers of getaddrinfo and of browsers: decimal or octal digits, or 0x with
// hexadecimal digits or nothing behind it. Digits of other scripts count, too,
// since many a language's number parser takes them.
func isNumeric(label string) bool {
	if hex, found := strings.CutPrefix(label, "0x"); found {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	if strings.HasPrefix(label, "xn--") {
		label, _ = idna.Lookup.ToUnicode(label)
	}
	return strings.IndexFunc(label, func(r rune) bool { return !unicode.IsDigit(r) }) < 0
}
