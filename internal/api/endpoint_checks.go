package api

import (
	"errors"
	"net/http"
	"net/textproto"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/egress"
	"github.com/malotehq/malote/internal/filter"
	"github.com/malotehq/malote/internal/policy"
)

// Limits on what an endpoint may carry along.
const (
	maxHeaders       = 20
	maxHeaderBytes   = 4096 // all names and values
	maxMetadata      = 50
	maxMetadataBytes = 8192 // all names and values

	leastRate = 0.001 // attempts a second
)

// ownHeaders are Malote's to send: they belong to the connection, describe the
// body, or would change what net/http does with the request.
var ownHeaders = []string{
	"Accept-Encoding", "Connection", "Date", "Expect", "Host", "Http2-Settings", "Keep-Alive", "Proxy-Authenticate",
	"Proxy-Authorization", "Proxy-Connection", "Te", "Trailer", "Transfer-Encoding", "Upgrade", "User-Agent",
}

// ownPrefixes are of headers that are Malote's as a family.
var ownPrefixes = []string{"Content-", "Webhook-"}

// checkHeaders says whether headers may be sent to an endpoint with the policy,
// which has header names of its own.
func checkHeaders(headers map[string]string, p *policy.Policy) error {
	if len(headers) > maxHeaders {
		return fault("headers", "must be at most %d", maxHeaders)
	}
	reserved := append(policyHeaders(p), ownHeaders...)
	seen, size := map[string]bool{}, 0
	for name, value := range headers {
		field := "headers." + name
		canonical := textproto.CanonicalMIMEHeaderKey(name)
		switch {
		case !httpguts.ValidHeaderFieldName(name):
			return fault("headers", "has a name that HTTP does not allow: use letters, digits and -")
		case !httpguts.ValidHeaderFieldValue(value) || strings.ContainsAny(value, "\r\n"):
			return fault(field, "has a value that HTTP does not allow: it must be one line without control characters")
		case slices.Contains(reserved, canonical) || hasPrefix(canonical, ownPrefixes):
			return fault(field, "cannot be set: Malote sends or leaves out this header by itself")
		case seen[canonical]:
			return fault(field, "is there twice: upper and lower case do not tell headers apart")
		}
		seen[canonical] = true
		size += len(name) + len(value)
	}
	if size > maxHeaderBytes {
		return fault("headers", "must have at most %d bytes in all", maxHeaderBytes)
	}
	return nil
}

func hasPrefix(name string, prefixes []string) bool {
	return slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// policyHeaders are the names that the policy gives to Malote's values.
func policyHeaders(p *policy.Policy) []string {
	h := p.Headers
	names := []string{h.ID, h.Timestamp, h.Signature, h.Attempt, h.Trigger, h.EventType, h.IdempotencyKey}
	for _, extra := range h.Extra {
		names = append(names, extra.Name)
	}
	for i, name := range names {
		names[i] = http.CanonicalHeaderKey(name)
	}
	return slices.DeleteFunc(names, func(name string) bool { return name == "" })
}

// checkTypes takes types (S06), "*", and prefixes that end in ".*".
func checkTypes(types []string) error {
	for _, eventType := range types {
		stem, isPrefix := strings.CutSuffix(eventType, ".*")
		if eventType == "*" || delivery.ValidType(eventType) || isPrefix && delivery.ValidType(stem) {
			continue
		}
		return fault("event_types", "must hold types such as invoice.paid, or prefixes such as invoice.*: letters, digits, _, . and -, at most %d characters", delivery.MaxTypeLength)
	}
	return nil
}

func checkMetadata(metadata map[string]string) error {
	size := 0
	for name, value := range metadata {
		size += len(name) + len(value)
	}
	if len(metadata) > maxMetadata || size > maxMetadataBytes {
		return fault("metadata", "must have at most %d members and %d bytes in all", maxMetadata, maxMetadataBytes)
	}
	return nil
}

// checkFilter says where a filter is wrong.
func checkFilter(source string) error {
	if source == "" {
		return nil
	}
	_, err := filter.Compile(source)
	if wrong, ok := errors.AsType[*filter.SyntaxError](err); ok {
		return faultAs(InvalidFilter, "filter", "%v", wrong)
	}
	return err
}

// checkURL gives the normal form of a URL that may be called, or mailed to.
func (s *server) checkURL(tenant, raw string) (string, error) {
	if egress.IsMailto(raw) {
		return s.checkMailto(tenant, raw)
	}
	target, err := s.URLs.CheckURL(raw)
	if err != nil {
		return "", faultAs(URLNotAllowed, "url", "%v", err)
	}
	return target.String(), nil
}

// checkMailto lets alerts alone be mailed: Malote sends nobody else's mail.
func (s *server) checkMailto(tenant, raw string) (string, error) {
	switch {
	case tenant != delivery.OwnTenant:
		return "", faultAs(URLNotAllowed, "url", "is an e-mail address: only endpoints of the tenant %s, where alerts go, may be one; use an https:// URL", delivery.OwnTenant)
	case !s.CanMail:
		return "", faultAs(URLNotAllowed, "url", "is an e-mail address, and no SMTP server is configured: start malote serve with --smtp-url and --smtp-from")
	}
	normalized, err := egress.CheckMailto(raw)
	if err != nil {
		return "", faultAs(URLNotAllowed, "url", "%v", err)
	}
	return normalized, nil
}

// policyFor is the policy of an endpoint that names none.
func policyFor(name, target string) string {
	switch {
	case name != "":
		return name
	case egress.IsMailto(target):
		return policy.Email
	}
	return policy.Default
}

// checkSigned keeps a policy that signs from an address: nobody could verify.
func checkSigned(target string, p *policy.Policy) error {
	if egress.IsMailto(target) && p.Signature.Scheme != policy.Unsigned {
		return fault("policy", "must be %s for an e-mail address, or one of yours with signature: {scheme: none}", policy.Email)
	}
	return nil
}
