package delivery

import "time"

// Event is something that happened, as its publisher told it. Immutable.
type Event struct {
	ID     ID
	Tenant string
	Type   string // dotted, [a-zA-Z0-9_.-], at most 256 characters (S06)

	// Body is exactly what is signed and sent. It is made once, at publish, and
	// never decoded and encoded again.
	Body        []byte
	ContentType string

	// Where it came from, if a provider's webhook brought it: the source, and the
	// headers of the provider's request that are passed through, in their order.
	SourceID ID
	Headers  []Header

	IdempotencyKey string // unique within the source, or else within the tenant
	CoalesceKey    string // F13: the entity; empty for facts, which are never coalesced
	EntityVersion  string
	ExternalID     string // the publisher's own name for the event
	TraceParent    string // W3C traceparent of what it belongs to; "": nobody traces it

	OccurredAt time.Time // when it happened, by the publisher's word
	AcceptedAt time.Time // when Malote took it in
}

// Header is one header of a request that came in.
type Header struct{ Name, Value string }

// MaxTypeLength is the longest event type in characters (S06).
const MaxTypeLength = 256

// ValidType says whether a type has only the characters of S06 and a length
// between 1 and MaxTypeLength.
func ValidType(name string) bool {
	if name == "" || len(name) > MaxTypeLength {
		return false
	}
	for _, c := range []byte(name) {
		if !isTypeByte(c) {
			return false
		}
	}
	return true
}

func isTypeByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
		c == '_' || c == '.' || c == '-'
}

// MaxTenantLength is the longest tenant slug in characters.
const MaxTenantLength = 64

// ValidTenant says whether a slug is 1 to 64 characters of [a-zA-Z0-9_.-]: it
// appears in URLs, metrics and file names.
func ValidTenant(slug string) bool {
	return len(slug) <= MaxTenantLength && ValidType(slug)
}
