package demo

// FaultKind says what is not as it must be.
type FaultKind string

// What an event can suffer.
const (
	PublishFailed FaultKind = "publish_failed"
	TwoEvents     FaultKind = "two_events"     // for one idempotency key, or one id for two events
	LostEvent     FaultKind = "lost_event"     // published, and the API does not list it
	InventedEvent FaultKind = "invented_event" // listed, and nobody published it
)

// What a delivery can suffer.
const (
	LostDelivery    FaultKind = "lost_delivery"    // an endpoint subscribes, and there is no record
	ExtraDelivery   FaultKind = "extra_delivery"   // there is a record too many
	BrokenPromise   FaultKind = "broken_promise"   // there are not as many records as the publisher was told
	Unexplained     FaultKind = "unexplained"      // a state without its reason
	Stranded        FaultKind = "stranded"         // due for long, and nobody sends it
	Undelivered     FaultKind = "undelivered"      // although the endpoint is healthy
	NotReceived     FaultKind = "not_received"     // delivered, and the receiver accepted nothing
	UnknownRequests FaultKind = "unknown_requests" // the receiver saw more requests than there were attempts (I9)
)

// What an arrival can suffer.
const (
	InventedArrival FaultKind = "invented_arrival" // nobody published it for this endpoint
	OtherData       FaultKind = "other_data"       // not the publisher's bytes
	ChangedBytes    FaultKind = "changed_bytes"    // the same id came with two different bodies
	BadSignature    FaultKind = "bad_signature"    // its signature did not hold
)

// TooSlow means that a healthy endpoint waited longer than allowed.
const TooSlow FaultKind = "too_slow"

// Fault is one thing that is not as it must be.
type Fault struct {
	Kind     FaultKind `json:"kind"`
	Event    string    `json:"event,omitempty"`
	Delivery string    `json:"delivery,omitempty"`
	Endpoint string    `json:"endpoint,omitempty"` // as people call it
	Detail   string    `json:"detail"`
}
