package policy

import (
	"encoding/json"
	"strings"
	"time"
)

// instantLayout is RFC 3339 in UTC with milliseconds.
const instantLayout = "2006-01-02T15:04:05.000Z"

// Render wraps data, which must be JSON, without touching a byte of it.
func (e Envelope) Render(fields Fields, data []byte) []byte {
	body := make([]byte, 0, len(data)+64*len(e.Members)+len(fields.Type))
	body = append(body, '{')
	for i, member := range e.Members {
		if i > 0 {
			body = append(body, ',')
		}
		body = append(appendString(body, member.Name), ':')
		switch member.Value {
		case Data:
			body = append(body, data...)
		case Text:
			body = appendString(body, inWords(fields.Type, data).text)
		case Mrkdwn:
			body = appendString(body, mrkdwn(inWords(fields.Type, data).text))
		case Subject:
			body = appendString(body, inWords(fields.Type, data).subject)
		default:
			body = appendString(body, fields.value(member.Value))
		}
	}
	return append(body, '}')
}

// Key is equal for envelopes that render the same bytes, so that endpoints of
// different policies can share one rendering.
func (e Envelope) Key() string {
	var key strings.Builder
	for _, member := range e.Members {
		key.Write(appendString(nil, member.Name))
		key.WriteString(":" + string(member.Value) + ",")
	}
	return key.String()
}

func (f Fields) value(value Value) string {
	switch value {
	case EventID:
		return f.ID
	case EventType:
		return f.Type
	case OccurredAt:
		if !f.OccurredAt.IsZero() {
			return instant(f.OccurredAt)
		}
	}
	return instant(f.AcceptedAt)
}

func instant(at time.Time) string { return at.UTC().Format(instantLayout) }

// appendString cannot fail: every string has a JSON form.
func appendString(body []byte, s string) []byte {
	quoted, _ := json.Marshal(s)
	return append(body, quoted...)
}
