package publish

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/malotehq/malote/internal/delivery"
)

// Limits of what a publisher may say about an event, in bytes.
const (
	maxKey         = 256 // idempotency_key, coalesce_key, external_id, entity_version
	maxContentType = 256
	maxEndpointIDs = 1000
)

// drafter turns checked requests into drafts.
type drafter struct{ maxBody int }

// foreign is draft for requests of others: what Malote itself publishes, it must
// be the only one to.
func (d drafter) foreign(index int, request Request) (*delivery.Draft, error) {
	if request.Tenant == delivery.OwnTenant {
		return nil, &InvalidError{Index: index, Field: "tenant", Reason: "is Malote itself, whose events only Malote publishes: name a tenant of yours"}
	}
	return d.draft(index, request)
}

// draft checks a request and makes its draft. The event's id and the time of its
// acceptance, and of its occurrence where the publisher gave none, are made in
// the transaction: until then nobody knows them.
func (d drafter) draft(index int, request Request) (*delivery.Draft, error) {
	if err := d.check(index, request); err != nil {
		return nil, err
	}
	event := delivery.Event{
		Tenant: request.Tenant, Type: request.Type, Body: request.Body, ContentType: request.ContentType,
		IdempotencyKey: request.IdempotencyKey, CoalesceKey: request.CoalesceKey,
		EntityVersion: request.EntityVersion, ExternalID: request.ExternalID,
		OccurredAt: request.OccurredAt, SourceID: request.Source, Headers: request.Headers,
	}
	if delivery.ValidTraceParent(request.TraceParent) { // otherwise as if there were none: W3C Trace Context section 3.2.2
		event.TraceParent = request.TraceParent
	}
	if event.OccurredAt.IsZero() {
		event.OccurredAt = request.WrittenAt
	}
	if event.ContentType == "" {
		event.ContentType = "application/json"
	}
	return &delivery.Draft{
		Event: event, Data: request.Data, EndpointIDs: request.EndpointIDs, Fingerprint: fingerprint(request),
	}, nil
}

func (d drafter) check(index int, r Request) error {
	invalid := func(field Field, reason string, arguments ...any) error {
		return &InvalidError{Index: index, Field: field, Reason: fmt.Sprintf(reason, arguments...)}
	}
	switch {
	case !delivery.ValidTenant(r.Tenant):
		return invalid("tenant", "must be 1 to %d characters of a-z, A-Z, 0-9, '_', '.' and '-'", delivery.MaxTenantLength)
	case !delivery.ValidType(r.Type):
		return invalid("type", "must be 1 to %d characters of a-z, A-Z, 0-9, '_', '.' and '-', such as invoice.paid", delivery.MaxTypeLength)
	case (r.Data == nil) == (r.Body == nil):
		return invalid("data", "or body_base64 must be given, and not both")
	case len(r.Data) > d.maxBody || len(r.Body) > d.maxBody:
		return &TooLargeError{Index: index, Size: max(len(r.Data), len(r.Body)), Limit: d.maxBody}
	case r.Data != nil && !(json.Valid(r.Data) && utf8.Valid(r.Data)): // RFC 8259 section 8.1; encoding/json does not mind
		return invalid("data", "must be one JSON value in UTF-8")
	case r.ContentType != "" && r.Body == nil:
		return invalid("content_type", "goes with body_base64; what wraps data is always application/json")
	case r.EndpointIDs != nil && len(r.EndpointIDs) == 0, len(r.EndpointIDs) > maxEndpointIDs:
		return invalid("endpoint_ids", "must name 1 to %d endpoints, or be left out for all that subscribe", maxEndpointIDs)
	}
	if !isHeaderValue(r.ContentType) || len(r.ContentType) > maxContentType {
		return invalid("content_type", "must be a media type of at most %d printable characters", maxContentType)
	}
	for _, key := range []struct {
		field Field
		value string
	}{
		{"idempotency_key", r.IdempotencyKey}, {"coalesce_key", r.CoalesceKey},
		{"entity_version", r.EntityVersion}, {"external_id", r.ExternalID},
	} {
		if len(key.value) > maxKey || !utf8.ValidString(key.value) || strings.ContainsRune(key.value, 0) {
			return invalid(key.field, "must be at most %d bytes of UTF-8 without NUL", maxKey)
		}
	}
	if year := r.OccurredAt.UTC().Year(); !r.OccurredAt.IsZero() && (year < 1970 || year > 9999) {
		return invalid("occurred_at", "must lie between the years 1970 and 9999")
	}
	return nil
}

func isHeaderValue(value string) bool {
	for _, c := range []byte(value) {
		if c < 0x20 || c > 0x7e {
			return false
		}
	}
	return true
}

// fingerprint hashes all that the publisher said, each part with its length in
// front, so that no two different requests hash the same bytes.
func fingerprint(r Request) [32]byte {
	sum := sha256.New()
	if !r.Source.IsZero() { // a provider's id is all that counts
		return [32]byte(sum.Sum(nil))
	}
	occurred := ""
	if !r.OccurredAt.IsZero() {
		occurred = r.OccurredAt.UTC().Format(time.RFC3339Nano)
	}
	kind := "body"
	if r.Data != nil {
		kind = "data"
	}
	for _, part := range []string{r.Type, kind, r.ContentType, r.CoalesceKey, r.EntityVersion, r.ExternalID, occurred} {
		writePart(sum, []byte(part))
	}
	writePart(sum, r.Data)
	writePart(sum, r.Body)
	for _, id := range r.EndpointIDs {
		writePart(sum, id[:])
	}
	return [32]byte(sum.Sum(nil))
}

func writePart(sum hash.Hash, part []byte) {
	var length [8]byte
	binary.BigEndian.PutUint64(length[:], uint64(len(part)))
	sum.Write(length[:])
	sum.Write(part)
}
