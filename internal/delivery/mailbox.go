package delivery

import "strings"

// Lengths of an e-mail address in bytes (RFC 5321 section 4.5.3.1).
const (
	MaxMailbox      = 254
	maxMailboxLocal = 64
)

// ValidMailbox says whether an address is one that mail can be sent to and that
// can stand in a header and in an SMTP command as it is: local@domain in ASCII, a
// dot-atom (RFC 5322 section 3.2.3) and a host name, without quotes, comments or
// address literals.
func ValidMailbox(address string) bool {
	at := strings.LastIndexByte(address, '@')
	if at < 1 || at > maxMailboxLocal || len(address) > MaxMailbox {
		return false
	}
	for atom := range strings.SplitSeq(address[:at], ".") {
		if atom == "" || strings.ContainsFunc(atom, isNotAtom) {
			return false
		}
	}
	for label := range strings.SplitSeq(address[at+1:], ".") {
		if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' || strings.ContainsFunc(label, isNotLabel) {
			return false
		}
	}
	return true
}

func isNotLabel(c rune) bool {
	return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-'
}

func isNotAtom(c rune) bool {
	return isNotLabel(c) && !strings.ContainsRune("!#$%&'*+/=?^_`{|}~", c)
}
