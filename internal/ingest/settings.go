package ingest

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/filter"
	"github.com/malotehq/malote/internal/source"
)

// Settings are a source's, as ParseSettings reads them from JSON. The names below
// are its members; all may be left out.
type Settings struct {
	// URL ("url") is the address that the provider was given, where it signs it
	// and the server's public address and path are not that.
	URL string
	// Window ("tolerance") is how far a signed time may be off: "90s", "5m", or
	// "off". 0: the provider's own; source.NoWindow: off.
	Window time.Duration
	// Dedupe ("dedupe") says by what a repetition is known.
	Dedupe Dedupe
	// Type ("event_type_from") says where an event's type comes from.
	Type TypeRule
	// ForwardHeaders ("forward_headers") are the names of the request's headers
	// that consumers get. Nil: the provider's own that tell about the event.
	ForwardHeaders []string
	// Success ("success": {"status", "body", "content_type"}) replaces the receipt.
	// Status 0: it does not.
	Success source.Response
	// MaxBodyBytes ("max_body_bytes") bounds the body, before and after unpacking.
	MaxBodyBytes int
	// Rate ("rate_limit": {"per_second", "burst"}) is for each process, and counts
	// what is genuine. As many others may come besides.
	Rate RateLimit
	// AsReceived ("content_encoding": "as_received", else "unpack") leaves a
	// content coding on: see the package's comment.
	AsReceived bool
	// Filter ("filter", in CEL) leaves events out. They are acknowledged: the
	// provider is not to send them again. Nil: every event is taken.
	Filter *filter.Filter
	// Generic ("generic") is the rule of a generic source.
	Generic *source.Generic
}

// RateLimit is requests per second, and how many more may come at once. The zero
// value is no limit.
type RateLimit struct {
	PerSecond float64
	Burst     int
}

// Dedupe is by what a repetition is known: "provider" (the default), "body_hash",
// "none", or a source.Locator such as "header:X-Request-Id" or "json:data.id".
// What is located is nothing if it is longer than 255 bytes. An event in which
// nothing is located is known by its type and bytes: taking it for new each time
// would be wrong more often.
type Dedupe struct {
	by dedupeBy
	at source.Locator
}

type dedupeBy int

const (
	byProvider dedupeBy = iota
	byLocator
	byBodyHash
	byNothing
)

// maxKey is what the database has room for, in bytes.
const maxKey = 256

// key is an event's idempotency key, of at most maxKey bytes; empty: no other
// event is its repetition.
func (d Dedupe) key(of event) string {
	key := d.whole(of)
	if len(key) > maxKey { // such as a long header's value and an item's place
		sum := sha256.Sum256([]byte(key))
		return "sha256:" + hex.EncodeToString(sum[:])
	}
	return key
}

// whole is the key, however long.
func (d Dedupe) whole(of event) string {
	switch d.by {
	case byNothing:
		return ""
	case byBodyHash:
		return of.hash()
	case byLocator:
		if found := of.locate(d.at); found != "" {
			return found
		}
		return of.hash()
	default:
		return of.dedupe
	}
}

// TypeRule is where an event's type comes from: "provider" (the default), a
// source.Locator, or "fixed:" and the type itself.
type TypeRule struct {
	fixed     string
	at        source.Locator
	isLocated bool
}

// of gives the type as the sender has it.
func (t TypeRule) of(e event) string {
	switch {
	case t.fixed != "":
		return t.fixed
	case t.isLocated:
		return e.locate(t.at)
	default:
		return e.kind
	}
}

// typeName makes an event type of what a sender calls it, in the characters of
// S06: separators become dots ("orders/create", "item:added"), all else "_".
// Without anything it is "event" of the provider, as in dropbox.event.
func typeName(said, provider string) string {
	name := []byte(strings.TrimSpace(said))
	if len(name) > delivery.MaxTypeLength {
		name = name[:delivery.MaxTypeLength]
	}
	for i, c := range name {
		switch {
		case delivery.ValidType(string(c)):
		case c == '/' || c == ':':
			name[i] = '.'
		default:
			name[i] = '_'
		}
	}
	if len(name) == 0 {
		return provider + ".event"
	}
	return string(name)
}
