package policy

import (
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// headerName is a token of RFC 9110 §5.6.2, of a sensible length.
var headerName = regexp.MustCompile("^[a-zA-Z0-9!#$%&'*+.^_`|~-]{1,64}$")

// reserved headers are the HTTP client's own or decide what the body is.
var reserved = []string{
	"connection", "content-encoding", "content-length", "content-type", "date", "expect", "host",
	"keep-alive", "te", "trailer", "transfer-encoding", "upgrade", "user-agent",
}

func (p *Policy) readHeaders(s *section) {
	p.Signature.Scheme = StandardWebhooks
	if part := s.sub("signature", "scheme"); part != nil {
		part.need("scheme")
		p.Signature.Scheme = choice(part, "scheme", StandardWebhooks, StandardWebhooks, TimestampHex, Unsigned)
	}
	h := &p.Headers
	*h = Headers{
		ID: "webhook-id", Timestamp: "webhook-timestamp", Signature: "webhook-signature",
		Attempt: "webhook-attempt", Trigger: "webhook-trigger", IdempotencyKeyFrom: KeyFromEventID,
	}
	part := s.sub("headers", "id", "timestamp", "signature", "attempt", "trigger", "event_type", "trace",
		"idempotency_key", "idempotency_key_from", "extra")
	if part == nil {
		return
	}
	// A section replaces the defaults; the three that make a signature
	// verifiable are always sent, under whatever name.
	h.Attempt, h.Trigger = "", ""
	names := map[string]*string{
		"id": &h.ID, "timestamp": &h.Timestamp, "signature": &h.Signature, "attempt": &h.Attempt,
		"trigger": &h.Trigger, "event_type": &h.EventType, "trace": &h.Trace, "idempotency_key": &h.IdempotencyKey,
	}
	for field, name := range names {
		*name = part.text(field, *name)
	}
	h.IdempotencyKeyFrom = choice(part, "idempotency_key_from", KeyFromEventID, KeyFromEventID, KeyAsUUID4)
	if h.IdempotencyKey == "" {
		part.forbid("without idempotency_key", "idempotency_key_from")
	}
	h.Extra = part.readExtra()
	h.check(part)
}

func (s *section) readExtra() []Header {
	e, given := s.entries["extra"]
	if !given {
		return nil
	}
	mapping, ok := e.node.(*ast.MappingNode)
	if !ok {
		s.refuse(e.at, e.field, "must be a section of names and values")
		return nil
	}
	var headers []Header
	for _, value := range mapping.Values {
		name, _ := scalar(value.Key)
		text, ok := scalar(value.Value)
		if !ok || len(text) > 1024 || strings.ContainsFunc(text, func(c rune) bool { return c < ' ' || c > '~' }) {
			s.refuse(value.Key.GetToken(), e.field+"."+name, "must be text of at most 1024 printable ASCII characters")
		}
		headers = append(headers, Header{Name: name, Value: text})
	}
	return headers
}

// check refuses names that are not header names, are not ours to set, or are
// used twice.
func (h *Headers) check(part *section) {
	used := []string{}
	check := func(field, name string) {
		lower := strings.ToLower(name)
		switch {
		case !headerName.MatchString(name):
			part.complain(field, "%q is not a header name", name)
		case slices.Contains(reserved, lower):
			part.complain(field, "the header %s is not a policy's to set", name)
		case slices.Contains(used, lower):
			part.complain(field, "the header %s is used twice", name)
		}
		used = append(used, lower)
	}
	check("id", h.ID)
	check("timestamp", h.Timestamp)
	check("signature", h.Signature)
	for _, optional := range []struct{ field, name string }{
		{"attempt", h.Attempt}, {"trigger", h.Trigger}, {"event_type", h.EventType}, {"trace", h.Trace}, {"idempotency_key", h.IdempotencyKey},
	} {
		if optional.name != "" {
			check(optional.field, optional.name)
		}
	}
	for _, extra := range h.Extra {
		check("extra", extra.Name)
	}
}

// standardEnvelope is S06's.
var standardEnvelope = []Member{{"type", EventType}, {"timestamp", OccurredAt}, {"data", Data}}

func (p *Policy) readEnvelope(s *section) {
	p.Envelope.Members = standardEnvelope
	defer p.checkUnsigned(s)
	e, given := s.entries["envelope"]
	if !given {
		return
	}
	mapping, ok := e.node.(*ast.MappingNode)
	if !ok {
		s.refuse(e.at, e.field, "must be a section that maps each member of the JSON object to its value")
		return
	}
	p.Envelope.Members = s.readMembers(e, mapping)
}

// checkUnsigned keeps data from being sent unsigned (A08): who verifies nothing,
// gets words.
func (p *Policy) checkUnsigned(s *section) {
	hasData := slices.ContainsFunc(p.Envelope.Members, func(m Member) bool { return m.Value == Data })
	if p.Signature.Scheme == Unsigned && hasData {
		s.complain("signature", "%s is for chat services and mail, which verify nothing: it goes with an envelope that has text or mrkdwn in place of data", Unsigned)
	}
}

func (s *section) readMembers(e entry, mapping *ast.MappingNode) []Member {
	var members []Member
	payloads := 0
	for _, value := range mapping.Values {
		name, _ := scalar(value.Key)
		content, _ := scalar(value.Value)
		at := value.Key.GetToken()
		if name == "" || len(name) > 64 {
			s.refuse(at, e.field, "member names are 1 to 64 bytes long")
		}
		if !slices.Contains(Values, Value(content)) {
			s.refuse(at, e.field+"."+name, "must be one of %s", listed(Values))
		}
		if slices.ContainsFunc(members, func(m Member) bool { return m.Name == name }) {
			s.refuse(at, e.field+"."+name, "is given twice")
		}
		if Value(content).isPayload() {
			payloads++
		}
		members = append(members, Member{Name: name, Value: Value(content)})
	}
	if payloads != 1 {
		s.refuse(e.at, e.field, "must have exactly one member with the value data, text or mrkdwn, not %d", payloads)
	}
	return members
}
