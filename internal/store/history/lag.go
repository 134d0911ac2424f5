package history

import (
	"context"
	"errors"
	"time"

	"github.com/malotehq/malote/internal/delivery"
)

// CountLimit bounds what is looked at per lane: its first so many pending
// deliveries in the order in which they are due. A pending count that reaches
// it means "at least", and an older delivery that is due later is not seen.
const CountLimit = 10_000

// LaneLag is how far behind one endpoint is (F17).
type LaneLag struct {
	EndpointID  delivery.ID
	Tenant      string
	URL         string
	Status      delivery.EndpointStatus
	Pending     int // up to CountLimit
	InFlight    int
	Limit       int // how many may be in flight now: less than MaxInFlight while slowed down or probing
	MaxInFlight int

	OldestAge           time.Duration // of the pending ones, since acceptance or their replay
	ConsecutiveFailures int
	PausedUntil         time.Time          // zero: the circuit is closed
	LastError           delivery.ErrorCode // of the oldest pending delivery that has one
}

// Lag tells "one customer is slow" from "the platform is out of capacity".
type Lag struct {
	Lanes []LaneLag // the most delayed first

	Oldest        time.Duration // age of the oldest pending delivery; 0: none is pending
	OldestHealthy time.Duration // over active lanes without failures or a pause
}

// Lag finds the most delayed lanes, at most limit of them.
func (r *Reader) Lag(ctx context.Context, limit int) (Lag, error) {
	return Lag{}, errors.ErrUnsupported
}
