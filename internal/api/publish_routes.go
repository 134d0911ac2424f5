package api

import (
	"fmt"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
)

// newEventJSON documents an event to be published. Nothing is ever decoded into
// it: see parseEvent.
type newEventJSON struct {
	Tenant         string    `json:"tenant,omitempty" maxLength:"64" doc:"Required of an admin key. Other keys have their own and may leave it out."`
	Type           string    `json:"type" maxLength:"256" example:"invoice.paid" doc:"Dotted, of letters, digits, _, . and -."`
	Data           any       `json:"data,omitempty" doc:"This or body_base64 is required. Any JSON value: its bytes are kept exactly: key order, white space, numbers of any length. The endpoint's policy says what is put around it."`
	BodyBase64     string    `json:"body_base64,omitempty" doc:"Instead of data: the whole body, in base64, to be sent as it is."`
	ContentType    string    `json:"content_type,omitempty" maxLength:"256" doc:"Of body_base64; left out: application/json. Does not go with data."`
	IdempotencyKey string    `json:"idempotency_key,omitempty" doc:"Makes a repeat harmless: same key and same event give the first one's id and duplicate: true. Remembered for 7 days. At most 256 bytes, as the next three."`
	CoalesceKey    string    `json:"coalesce_key,omitempty" doc:"Names an entity. What is pending with the same key is replaced instead of being sent as well. Not for facts."`
	EntityVersion  string    `json:"entity_version,omitempty" doc:"Which version of the entity this is; kept and shown with the event."`
	ExternalID     string    `json:"external_id,omitempty" doc:"Your own name for the event."`
	OccurredAt     timestamp `json:"occurred_at,omitzero" doc:"When it happened; left out: now."`
	EndpointIDs    []string  `json:"endpoint_ids,omitempty" minItems:"1" maxItems:"1000" doc:"Only these endpoints get it; left out: all that subscribe to its type."`
}

type newBatchJSON struct {
	Events []newEventJSON `json:"events" minItems:"1" maxItems:"1000"`
}

type publishedJSON struct {
	ID         string `json:"id" example:"evt_01k9w3zq4xf8ea7m2v6t5c1hbg" doc:"The event's id."`
	Duplicate  bool   `json:"duplicate" doc:"Whether the idempotency key was used before: id is the first one's, and nothing was added."`
	Deliveries int    `json:"deliveries" example:"1" doc:"To how many endpoints it goes."`
	Skipped    int    `json:"skipped" doc:"How many deliveries were recorded as skipped."`
}

type publishedBatchJSON struct {
	Data []publishedJSON `json:"data" doc:"In the order of the request."`
}

func (s *server) registerPublish(r *routes) {
	r.handleRaw(route{
		id: "publish-event", method: http.MethodPost, path: "/v1/events", tag: tagEvents, need: mayPublish,
		summary: "Publish an event",
		description: fmt.Sprintf("The answer comes once the event and its deliveries are committed. "+
			"An event's data may have %s bytes, the whole request %s.", grouped(s.MaxBodyBytes), grouped(s.limits.publish)),
		sample: `{"tenant": "acme", "type": "invoice.paid", "data": {"invoice": 42, "amount": "19.90"}, "idempotency_key": "invoice-42-paid"}`,
		codes:  []Code{UnknownTenant, UnknownEndpoint},
	}, describePublish[newEventJSON, publishedJSON](true), s.publishOne)
	r.handleRaw(route{
		id: "publish-events", method: http.MethodPost, path: "/v1/events/batch", tag: tagEvents, need: mayPublish,
		summary: "Publish up to 1,000 events",
		description: fmt.Sprintf("All or nothing: if one is refused, the answer says which in `index`, and none is in. "+
			"The limits are an event's, and %s bytes for the whole request. There is no Idempotency-Key header here: "+
			"each event has its own `idempotency_key`.", grouped(s.limits.batch)),
		sample: `{"events": [{"tenant": "acme", "type": "invoice.paid", "data": {"invoice": 43}}, {"tenant": "acme", "type": "invoice.voided", "data": {"invoice": 44}}]}`,
		codes:  []Code{TooManyEvents, UnknownTenant, UnknownEndpoint, IdempotencyKeyReused},
	}, describePublish[newBatchJSON, publishedBatchJSON](false), s.publishBatch)
}

// describePublish adds the types of a request and its answer to the document.
func describePublish[I, O any](takesKey bool) func(*huma.Operation, huma.Registry) {
	return func(operation *huma.Operation, registry huma.Registry) {
		operation.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
			"application/json": {Schema: registry.Schema(reflect.TypeFor[I](), true, "")},
		}}
		operation.Responses = map[string]*huma.Response{
			"202": {Description: "Accepted", Content: map[string]*huma.MediaType{
				"application/json": {Schema: registry.Schema(reflect.TypeFor[O](), true, "")},
			}},
		}
		if takesKey {
			operation.Parameters = []*huma.Param{{
				Name: "Idempotency-Key", In: "header", Description: "Does the same as idempotency_key in the body. If both are there, they must be the same.",
				Schema: &huma.Schema{Type: huma.TypeString},
			}}
		}
	}
}
