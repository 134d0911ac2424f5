package egress

import (
	"strings"

	"github.com/malotehq/malote/internal/delivery"
)

const mailto = "mailto:"

// MailtoAnybody is the URL of an endpoint whose events say themselves whom they are
// mailed to. Nobody can make one but Malote itself.
const MailtoAnybody = mailto

// IsMailto says whether a URL is an e-mail address. Those are not the guard's:
// they are reached by the operator's mail server, and no other.
func IsMailto(raw string) bool {
	return len(raw) >= len(mailto) && strings.EqualFold(raw[:len(mailto)], mailto)
}

// CheckMailto returns the normal form of a mailto: URL (RFC 6068) of exactly one
// address, or a *[URLError]. It takes no header fields: what is in a mail's header
// is Malote's to say.
func CheckMailto(raw string) (string, error) {
	address := raw[min(len(mailto), len(raw)):]
	switch {
	case !IsMailto(raw):
		return "", refuse(RuleScheme, "the URL is not an e-mail address: begin it with mailto:")
	case strings.ContainsAny(address, "?%#,;/"):
		return "", refuse(RuleMalformed, "a mailto: URL has one address here, and nothing else: write it like mailto:ops@example.com")
	case !delivery.ValidMailbox(address):
		return "", refuse(RuleMalformed, "it holds no e-mail address that mail can be sent to: write it like mailto:ops@example.com")
	}
	return mailto + address, nil
}

// MailtoAddress is the address in a normal form of CheckMailto's, or "" where the
// URL holds none: then each mail says whom it is for.
func MailtoAddress(normalized string) string { return strings.TrimPrefix(normalized, mailto) }
