package policy

import "time"

// Value is what a member of an envelope holds.
type Value string

// The values. Times are RFC 3339 in UTC with milliseconds.
const (
	EventID    Value = "id"
	EventType  Value = "type"
	OccurredAt Value = "occurred_at"
	AcceptedAt Value = "accepted_at"
	Data       Value = "data" // the publisher's bytes, exactly

	// What people read, in place of Data: see inWords. Mrkdwn is the text escaped and
	// cut for chat services.
	Text    Value = "text"
	Mrkdwn  Value = "mrkdwn"
	Subject Value = "subject" // beside Text
)

// Values lists every value.
var Values = []Value{EventID, EventType, OccurredAt, AcceptedAt, Data, Text, Mrkdwn, Subject}

// isPayload says whether the value is what an event says. An envelope has one.
func (v Value) isPayload() bool { return v == Data || v == Text || v == Mrkdwn }

// Member is one member of the JSON object that is sent.
type Member struct {
	Name  string
	Value Value
}

// Envelope is the JSON object that wraps a publisher's data, member by member
// (S06, F10). A publisher's own bytes are never wrapped.
type Envelope struct {
	Members []Member
}

// Fields are what an envelope's members are filled with.
type Fields struct {
	ID         string // as people see it
	Type       string
	OccurredAt time.Time // zero: AcceptedAt
	AcceptedAt time.Time
}

// EnvelopeContentType is the content type of every envelope.
const EnvelopeContentType = "application/json"
