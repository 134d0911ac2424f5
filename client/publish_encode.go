package client

import (
	"encoding/base64"
	"encoding/json"
	"slices"
	"strconv"
	"unicode/utf8"
)

// appendTo writes the event as the API takes it, with the caller's idempotency
// key or one of its own. at is in front of fields' names in errors. Data goes in
// as it is, which makes it the one thing that must be checked here: with a comma
// or a bracket too many it would become other members, or another event.
func (e *NewEvent) appendTo(b []byte, at string) ([]byte, error) {
	switch {
	case e.Data == nil && e.Body == nil:
		return nil, &ArgumentError{at + "Data", "is missing: set it, or Body"}
	case e.Data != nil && e.Body != nil:
		return nil, &ArgumentError{at + "Data", "and Body are both set: set one of them"}
	case e.Data != nil && !(json.Valid(e.Data) && utf8.Valid(e.Data)):
		return nil, &ArgumentError{at + "Data", "is not one JSON value in UTF-8: correct it, or send the bytes as Body"}
	}
	key := e.IdempotencyKey
	if key == "" {
		key = newKey()
	}
	b = slices.Grow(b, 256+len(e.Data)+base64.StdEncoding.EncodedLen(len(e.Body)))
	b = append(b, '{')
	for _, member := range []struct{ field, name, value string }{
		{"Type", "type", e.Type}, {"Tenant", "tenant", e.Tenant}, {"ContentType", "content_type", e.ContentType},
		{"IdempotencyKey", "idempotency_key", key}, {"CoalesceKey", "coalesce_key", e.CoalesceKey},
		{"EntityVersion", "entity_version", e.EntityVersion}, {"ExternalID", "external_id", e.ExternalID},
		{"OccurredAt", "occurred_at", instant(e.OccurredAt)},
	} {
		if !utf8.ValidString(member.value) {
			// JSON would replace its bytes, and make one key of two.
			return nil, &ArgumentError{at + member.field, "is not UTF-8: encode its bytes, as in hexadecimal"}
		}
		if member.value != "" {
			b = append(append(b, '"'), member.name...)
			b = append(appendText(append(b, `":`...), member.value), ',')
		}
	}
	if len(e.EndpointIDs) > 0 {
		b = append(b, `"endpoint_ids":[`...)
		for i, id := range e.EndpointIDs {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendText(b, id)
		}
		b = append(b, "],"...)
	}
	if e.Data != nil {
		return append(append(append(b, `"data":`...), e.Data...), '}'), nil
	}
	b = base64.StdEncoding.AppendEncode(append(b, `"body_base64":"`...), e.Body)
	return append(b, `"}`...), nil
}

// appendText writes a text as JSON.
func appendText(b []byte, value string) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		panic("client: a text of " + strconv.Itoa(len(value)) + " bytes cannot be written as JSON: " + err.Error()) // it always can
	}
	return append(b, text...)
}
