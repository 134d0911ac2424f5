package outbox

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// Event is something that happened, as it is to be told to a tenant's endpoints.
// Tenant, Type, and either Data or Body must be given.
type Event struct {
	// Tenant is whose endpoints get it: 1 to 64 characters of a-z, A-Z, 0-9, '_',
	// '.' and '-'. "malote" is Malote itself, which alone publishes for it.
	Tenant string
	// Type is what happened, such as "invoice.paid": 1 to 256 of the same
	// characters.
	Type string

	// Data is one JSON value in UTF-8. It is put into the envelope of the
	// endpoint's policy byte for byte: no number is rounded, no key moved. A
	// variable of []byte may be given as it is.
	Data json.RawMessage
	// Body is the whole body, in the bytes that are to be signed and sent; it may
	// be empty, but not nil. ContentType goes with it: at most 256 printable ASCII
	// characters, application/json when empty.
	Body        []byte
	ContentType string

	// IdempotencyKey makes of several events with it one, within the tenant and for
	// 7 days. Where it is empty, the key is that of [ID.IdempotencyKey]. This key
	// and the following three may have 256 bytes of UTF-8 each, without NUL.
	IdempotencyKey string
	// CoalesceKey names the entity whose state the event tells: of several that
	// wait for an endpoint, the newest is sent. Empty for facts, which are all sent.
	CoalesceKey string
	// EntityVersion says which of two states of an entity is the newer.
	EntityVersion string
	// ExternalID is the application's own name for the event.
	ExternalID string
	// AggregateType and AggregateID are two halves of an ExternalID, which becomes
	// "type/id", or the id alone. Both with an ExternalID are refused.
	AggregateType, AggregateID string

	// OccurredAt is when it happened, in microseconds; between the years 1970 and
	// 9999. Zero: when it was published.
	OccurredAt time.Time
	// EndpointIDs narrows the endpoints down to these, at most 1,000, like
	// "whe_01h455vb4pex5vsknk084sn02q". Nil: all that subscribe. None is refused: it
	// is more likely a mistake than a wish.
	EndpointIDs []string
}

// Limits of what can be said about an event, in bytes.
const (
	maxTenant      = 64
	maxType        = 256
	maxKey         = 256
	maxContentType = 256
	maxEndpointIDs = 1000
)

// ownTenant is Malote's own.
const ownTenant = "malote"

// InvalidError says which part of an event Malote would not accept, and why.
// Nothing was sent to the database.
type InvalidError struct {
	Index  int    // the event's place in a batch; -1 of an event alone
	Field  string // in the spelling of SQL and the API, such as "idempotency_key"
	Reason string
}

// Error says what must be otherwise.
func (e *InvalidError) Error() string {
	if e.Index < 0 {
		return fmt.Sprintf("outbox: %s %s", e.Field, e.Reason)
	}
	return fmt.Sprintf("outbox: event %d: %s %s", e.Index, e.Field, e.Reason)
}

// check holds an event to the rules that Malote holds it to later, when the
// transaction is committed and nobody can be told any more.
func (e *Event) check(index int) error {
	invalid := func(field, reason string, arguments ...any) error {
		return &InvalidError{Index: index, Field: field, Reason: fmt.Sprintf(reason, arguments...)}
	}
	switch {
	case !isName(e.Tenant, maxTenant):
		return invalid("tenant", "must be 1 to %d characters of a-z, A-Z, 0-9, '_', '.' and '-'", maxTenant)
	case e.Tenant == ownTenant:
		return invalid("tenant", "is Malote itself, whose events only Malote publishes: name a tenant of yours")
	case !isName(e.Type, maxType):
		return invalid("type", "must be 1 to %d characters of a-z, A-Z, 0-9, '_', '.' and '-', such as invoice.paid", maxType)
	case (e.Data == nil) == (e.Body == nil):
		return invalid("data", "or body must be given, and not both")
	case e.Data != nil && !(json.Valid(e.Data) && utf8.Valid(e.Data)):
		return invalid("data", "must be one JSON value in UTF-8")
	case e.ContentType != "" && e.Body == nil:
		return invalid("content_type", "goes with body; what wraps data is always application/json")
	case !isHeaderValue(e.ContentType) || len(e.ContentType) > maxContentType:
		return invalid("content_type", "must be a media type of at most %d printable characters", maxContentType)
	case !e.OccurredAt.IsZero() && (e.OccurredAt.UTC().Year() < 1970 || e.OccurredAt.UTC().Year() > 9999):
		return invalid("occurred_at", "must lie between the years 1970 and 9999")
	case e.EndpointIDs != nil && len(e.EndpointIDs) == 0, len(e.EndpointIDs) > maxEndpointIDs:
		return invalid("endpoint_ids", "must name 1 to %d endpoints, or be left out for all that subscribe", maxEndpointIDs)
	}
	for _, id := range e.EndpointIDs {
		if !isEndpointID(id) {
			return invalid("endpoint_ids", "must be ids of endpoints, which look like whe_…: %.64q is none", id)
		}
	}
	return e.checkKeys(invalid)
}

func (e *Event) checkKeys(invalid func(field, reason string, arguments ...any) error) error {
	switch {
	case e.AggregateID != "" && e.ExternalID != "":
		return invalid("external_id", "and aggregate_id are the same thing: give one")
	case e.AggregateType != "" && e.AggregateID == "":
		return invalid("aggregate_type", "goes with aggregate_id")
	}
	aggregate := e.AggregateID
	if e.AggregateType != "" {
		aggregate = e.AggregateType + "/" + e.AggregateID
	}
	for _, key := range []struct{ field, value string }{
		{"idempotency_key", e.IdempotencyKey}, {"coalesce_key", e.CoalesceKey},
		{"entity_version", e.EntityVersion}, {"external_id", e.ExternalID}, {"aggregate_id", aggregate},
	} {
		if len(key.value) > maxKey || !utf8.ValidString(key.value) || strings.ContainsRune(key.value, 0) {
			return invalid(key.field, "must be at most %d bytes of UTF-8 without NUL", maxKey)
		}
	}
	return nil
}

// isName says whether a text has only the characters of tenants and types.
func isName(text string, most int) bool {
	for _, c := range []byte(text) {
		isLetter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !isLetter && !(c >= '0' && c <= '9') && c != '_' && c != '.' && c != '-' {
			return false
		}
	}
	return text != "" && len(text) <= most
}

func isHeaderValue(text string) bool {
	for _, c := range []byte(text) {
		if c < 0x20 || c > 0x7e {
			return false
		}
	}
	return true
}
