package delivery

import "time"

// SignalKind says what somebody should hear of. What concerns an endpoint's
// circuit is enumerated there.
type SignalKind string

// The signals about deliveries.
const (
	// DeliveryDead: a delivery entered the DLQ (D08).
	DeliveryDead SignalKind = "delivery_dead"
	// ManyFailures: a tenant's deliveries entered the DLQ more than ten times
	// within an hour (A07).
	ManyFailures SignalKind = "many_failures"
	// DeadUnattended: deliveries have been in the DLQ for over 24 hours, and nobody
	// replayed or resolved them (A07).
	DeadUnattended SignalKind = "dead_unattended"
)

// The signals about the whole. Their tenant is OwnTenant, and their Subject the
// name of the condition.
const (
	// LagHigh: deliveries to endpoints that are well wait for too long (F17).
	LagHigh      SignalKind = "lag_high"
	LagRecovered SignalKind = "lag_recovered"
	// RelayLagging: what applications published waits in an outbox for too long.
	RelayLagging   SignalKind = "relay_lagging"
	RelayRecovered SignalKind = "relay_recovered"
)

// SignalKinds lists every kind but the circuit's.
var SignalKinds = []SignalKind{DeliveryDead, ManyFailures, DeadUnattended, LagHigh, LagRecovered, RelayLagging, RelayRecovered}

// OfWhole says whether a kind is about the whole, and no tenant's affair.
func (k SignalKind) OfWhole() bool {
	return k == LagHigh || k == LagRecovered || k == RelayLagging || k == RelayRecovered
}

// Signal is something that somebody should hear of. It is written in the
// transaction that made it so (I10).
type Signal struct {
	ID         ID
	Tenant     string
	Kind       SignalKind // or one of the circuit's
	Subject    string     // the name of a condition of the whole; "" elsewhere
	Detail     string     // short, for people
	EndpointID ID         // zero: it is not about one
	DeliveryID ID         // what brought it about, or the oldest concerned; zero: no single one
	EventID    ID         // of that delivery, if it was known
	EventType  string
	At         time.Time
}

// OwnTenant is Malote itself as a tenant: its events are what operators should
// hear of, and its endpoints are where they want to hear it. Nobody else can have
// the name.
const OwnTenant = "malote"
