package delivery

import (
	"slices"
	"time"
)

// Endpoint is where a tenant wants events delivered, as a sender needs to know
// it. How it is doing is Health's business.
type Endpoint struct {
	ID         ID
	Tenant     string
	URL        string
	Policy     string   // name of a policy
	EventTypes []string // empty: every type (D07)

	MaxInFlight int               // F03; 0: the policy's default
	RateLimit   float64           // attempts a second over all processes; 0: the policy's default
	FIFO        bool              // strictly ordered: one in flight, and a failing head holds the rest
	Filter      string            // a CEL expression over the event; empty: every event
	Headers     map[string]string // sent with every attempt, those that are never shown included
	AtMostOnce  bool              // A06
	Description string
	Metadata    map[string]string

	Secrets []Secret // live ones, newest first

	Status         EndpointStatus
	DisabledReason string
	CreatedAt      time.Time
	UpdatedAt      time.Time
}

// Subscribes says whether the endpoint wants events of the type. An entry that
// ends in ".*" takes every type below it.
func (e *Endpoint) Subscribes(eventType string) bool {
	if len(e.EventTypes) == 0 {
		return true
	}
	return slices.ContainsFunc(e.EventTypes, func(pattern string) bool {
		return MatchType(pattern, eventType)
	})
}

// MatchType matches one entry of a subscription against a type.
func MatchType(pattern, eventType string) bool {
	if stem, isPrefix := cutWildcard(pattern); isPrefix {
		return len(eventType) > len(stem) && eventType[:len(stem)] == stem
	}
	return pattern == eventType
}

func cutWildcard(pattern string) (stem string, isPrefix bool) {
	n := len(pattern)
	if pattern == "*" {
		return "", true
	}
	if n >= 3 && pattern[n-2:] == ".*" {
		return pattern[:n-1], true
	}
	return "", false
}

// Secret is one signing secret in the form that people paste: whsec_… or, for
// ed25519, whsk_…. Value is sensitive: it is never logged or listed.
type Secret struct {
	ID        ID
	Value     string
	CreatedAt time.Time
	ExpiresAt time.Time // zero: until revoked
}

// LiveAt says whether the secret still signs.
func (s Secret) LiveAt(now time.Time) bool {
	return s.ExpiresAt.IsZero() || now.Before(s.ExpiresAt)
}

// String keeps a secret out of every message, even by accident.
func (s Secret) String() string { return "secret " + s.ID.Format(SecretPrefix) }

// GoString keeps it out of %#v.
func (s Secret) GoString() string { return s.String() }

// MarshalText keeps it out of JSON, log lines included.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }
