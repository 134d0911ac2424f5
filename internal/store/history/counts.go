package history

import (
	"context"
	"errors"
	"time"

	"github.com/malotehq/malote/internal/delivery"
)

// OpenCounts is how many deliveries are open over all lanes.
type OpenCounts struct {
	Pending       int
	PendingCapped bool // there are more: not all were counted
	Sending       int
	Lanes         int // with at least one pending delivery
}

// LaneCounts is what one endpoint has to do and has done.
type LaneCounts struct {
	EndpointID delivery.ID
	Tenant     string
	Pending    int // up to CountLimit
	InFlight   int
	Delivered  int           // successful attempts, from the hourly statistics
	Dead       int           // up to CountLimit
	OldestAge  time.Duration // of the pending ones; 0: none
}

// Open counts the open deliveries by status.
func (r *Reader) Open(ctx context.Context) (OpenCounts, error) {
	return OpenCounts{}, errors.ErrUnsupported
}

// LaneCounts counts for the endpoints named, in their order; unknown ones are
// left out. It is cheap enough for a table that is redrawn every second.
func (r *Reader) LaneCounts(ctx context.Context, endpoints []delivery.ID) ([]LaneCounts, error) {
	return nil, errors.ErrUnsupported
}

// Tally counts a tenant's deliveries by state, exactly, of events accepted
// since the instant. It reads every one of them: it is for a summary.
func (r *Reader) Tally(ctx context.Context, tenant string, since time.Time) (map[delivery.State]int, error) {
	return nil, errors.ErrUnsupported
}
