package api

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/publish"
)

// MaxBatch is how many events one request may publish.
const MaxBatch = 1000

// eventMember is one member of an event and how it is read. Whether the value
// makes sense is package publish's to say.
type eventMember struct {
	bit     uint // in the set of members seen
	hasNull bool // null is a value of its own; elsewhere it means "not given"
	read    func(*publish.Request, []byte) error
}

var eventMembers = map[string]eventMember{
	"tenant":          {bit: 0, read: textInto(func(r *publish.Request) *string { return &r.Tenant })},
	"type":            {bit: 1, read: textInto(func(r *publish.Request) *string { return &r.Type })},
	"data":            {bit: 2, hasNull: true, read: readData},
	"body_base64":     {bit: 3, read: readBase64},
	"content_type":    {bit: 4, read: textInto(func(r *publish.Request) *string { return &r.ContentType })},
	"idempotency_key": {bit: 5, read: textInto(func(r *publish.Request) *string { return &r.IdempotencyKey })},
	"coalesce_key":    {bit: 6, read: textInto(func(r *publish.Request) *string { return &r.CoalesceKey })},
	"entity_version":  {bit: 7, read: textInto(func(r *publish.Request) *string { return &r.EntityVersion })},
	"external_id":     {bit: 8, read: textInto(func(r *publish.Request) *string { return &r.ExternalID })},
	"occurred_at":     {bit: 9, read: readOccurredAt},
	"endpoint_ids":    {bit: 10, read: readEndpointIDs},
}

var jsonNull = []byte("null")

// parseEvent reads one event out of a JSON object that is known to be sound.
// Data in the request is the very bytes of the body, and shares its memory. at
// is in front of members' names in errors.
func parseEvent(object []byte, at string) (publish.Request, error) {
	var request publish.Request
	if object[0] != '{' {
		return request, fault(pathOr(at), "must be a JSON object: an event")
	}
	seen := uint(0)
	for rawName, value := range members(object) {
		name, err := text(rawName)
		member, known := eventMembers[name]
		switch {
		case err != nil:
			return request, fault(pathOr(at), "has a member whose name %v", err)
		case !known:
			return request, fault(joinPath(at, name), "is not a member of an event: correct its name or leave it out")
		case seen&(1<<member.bit) != 0:
			return request, fault(joinPath(at, name), "is there twice: send it once")
		}
		seen |= 1 << member.bit
		if bytes.Equal(value, jsonNull) && !member.hasNull {
			continue
		}
		if err := member.read(&request, value); err != nil {
			return request, fault(joinPath(at, name), "%v", err)
		}
	}
	return request, checkBody(request, at)
}

// checkBody says what package publish would, in the names that only this
// package knows.
func checkBody(request publish.Request, at string) error {
	switch {
	case request.Data == nil && request.Body == nil:
		return fault(joinPath(at, "data"), "is missing: send the event's data, or its whole body as body_base64")
	case request.Data != nil && request.Body != nil:
		return fault(joinPath(at, "body_base64"), "is there beside data: send one of them")
	}
	return nil
}

// parseBatch reads {"events": [...]}.
func parseBatch(body []byte) ([]publish.Request, error) {
	if body[0] != '{' {
		return nil, fault("body", `must be a JSON object such as {"events": [...]}`)
	}
	var list []byte
	for name, value := range members(body) {
		if string(name) != `"events"` {
			shown, _ := text(name)
			return nil, fault(joinPath("", shown), `is not a member of a batch: it has only "events"`)
		}
		if list != nil {
			return nil, fault("events", "is there twice: send it once")
		}
		list = value
	}
	if list == nil || list[0] != '[' {
		return nil, fault("events", "must be a list of events")
	}
	var requests []publish.Request
	for object := range elements(list) {
		index := len(requests)
		if index == MaxBatch {
			return nil, problem(TooManyEvents, "")
		}
		request, err := parseEvent(object, fmt.Sprintf("events[%d]", index))
		if p, wrong := errors.AsType[*Problem](err); wrong {
			return nil, p.at(index)
		}
		requests = append(requests, request)
	}
	if len(requests) == 0 {
		return nil, problem(TooManyEvents, "The batch is empty: send 1 to 1,000 events.")
	}
	return requests, nil
}

func textInto(field func(*publish.Request) *string) func(*publish.Request, []byte) error {
	return func(request *publish.Request, value []byte) (err error) {
		*field(request), err = text(value)
		return err
	}
}

func readData(request *publish.Request, value []byte) error {
	request.Data = value[:len(value):len(value)] // whoever appends to it must not write into the next member
	return nil
}

func readBase64(request *publish.Request, value []byte) error {
	if value[0] != '"' {
		return errNotText
	}
	encoded := value[1 : len(value)-1]
	if bytes.IndexByte(encoded, '\\') >= 0 {
		decoded, err := text(value)
		if err != nil {
			return err
		}
		encoded = []byte(decoded)
	}
	body := make([]byte, base64.StdEncoding.DecodedLen(len(encoded)))
	n, err := base64.StdEncoding.Strict().Decode(body, encoded)
	if err != nil {
		return errors.New("must be standard base64 with padding (RFC 4648 section 4)")
	}
	request.Body = body[:n]
	return nil
}

func readOccurredAt(request *publish.Request, value []byte) error {
	shown, err := text(value)
	if err != nil {
		return err
	}
	request.OccurredAt, err = parseInstant(shown)
	return err
}

func readEndpointIDs(request *publish.Request, value []byte) error {
	if value[0] != '[' {
		return errors.New("must be a list of endpoint ids")
	}
	for element := range elements(value) {
		shown, err := text(element)
		if err != nil {
			return fmt.Errorf("must hold strings: %w", err)
		}
		id, err := delivery.ParseID(delivery.EndpointPrefix, shown)
		if err != nil {
			return fmt.Errorf("must hold ids of the form %s_ and 26 characters: element %d is none",
				delivery.EndpointPrefix, len(request.EndpointIDs))
		}
		request.EndpointIDs = append(request.EndpointIDs, id)
	}
	if request.EndpointIDs == nil {
		return errors.New("is empty, so that nobody would get the event: leave it out to reach all that subscribe")
	}
	return nil
}
