package filter

import (
	"strings"

	"github.com/malotehq/malote/internal/delivery"
)

// MaxData is the largest JSON value that filters look into, in bytes. What is
// larger cannot be judged by its data.
const MaxData = 1 << 20

// Event is what filters see of one event. It remembers the decoded data and what
// was spent on it, so that one Event serves all filters of an event, one after
// the other: it is not for concurrent use.
type Event struct {
	event *delivery.Event
	raw   []byte // the publisher's JSON value; nil: there is none

	isDecoded bool
	data      any
	dataErr   error
	spent     uint64 // steps, by all filters so far
}

// NewEvent shows an event to filters. data is the publisher's JSON value; where
// it is nil the event's body is, provided that its content type says JSON. Both
// are only read, and only once a filter asks for them.
func NewEvent(event *delivery.Event, data []byte) *Event {
	if data == nil && isJSON(event.ContentType) {
		data = event.Body
	}
	return &Event{event: event, raw: data}
}

// isJSON knows application/json and what is built on it (RFC 6839 section 3.1).
func isJSON(contentType string) bool {
	mediaType, _, _ := strings.Cut(contentType, ";")
	mediaType = strings.ToLower(strings.TrimSpace(mediaType))
	return mediaType == "application/json" || strings.HasSuffix(mediaType, "+json")
}

func (e *Event) decoded() (any, error) {
	if !e.isDecoded {
		e.data, e.dataErr = decode(e.raw)
		e.isDecoded = true
	}
	return e.data, e.dataErr
}
