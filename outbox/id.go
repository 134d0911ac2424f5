package outbox

import (
	"encoding/hex"
	"fmt"
	"strings"
)

// ID is what the database called the published row: a UUID. It is not the event's
// id, which Malote gives when it takes the event in.
type ID [16]byte

// String is the UUID, such as "6ba7b810-9dad-41d1-80b4-00c04fd430c8".
func (id ID) String() string {
	return fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}

// MarshalText is String, for JSON and logs.
func (id ID) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

// IdempotencyKey is the idempotency key of an event that was given none of its
// own: GET /v1/events?tenant=…&idempotency_key=… finds the event by it, once it
// has been carried over.
func (id ID) IdempotencyKey() string { return "outbox:" + id.String() }

// parseID reads the form that PostgreSQL writes.
func parseID(text string) (id ID, err error) {
	b, err := hex.DecodeString(strings.ReplaceAll(text, "-", ""))
	if err != nil || len(b) != len(id) {
		return ID{}, fmt.Errorf("outbox: the database answered %.64q where a UUID was expected", text)
	}
	return ID(b), nil
}

const (
	endpointPrefix  = "whe_"
	endpointLetters = "0123456789abcdefghjkmnpqrstvwxyz" // Crockford's base32
	endpointLength  = 26
)

// isEndpointID says whether a text is a TypeID (0.3) of an endpoint: a UUIDv7 in
// 26 characters of 5 bits each, of which the first two bits are no part of it.
func isEndpointID(text string) bool {
	digits, found := strings.CutPrefix(text, endpointPrefix)
	if !found || len(digits) != endpointLength {
		return false
	}
	var values [endpointLength]int
	for i := range digits {
		if values[i] = strings.IndexByte(endpointLetters, digits[i]); values[i] < 0 {
			return false
		}
	}
	version := values[10] >> 1     // bits 48 to 51
	variant := values[13] >> 2 & 3 // bits 64 and 65
	return values[0] <= 7 && version == 7 && variant == 2
}
