package delivery

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
