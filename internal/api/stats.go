package api

import (
	"context"
	"time"

	"github.com/malotehq/malote/internal/delivery"
)

// Stats gives figures: what is going on, what went on, and what is stuck.
type Stats interface {
	Lag(ctx context.Context, tenant string, limit int) (Lag, error)
	// Now may be up to a second old.
	Now(ctx context.Context) (Now, error)
	// Hours gives the attempts by hour, in any order; hours without any may be
	// left out.
	Hours(ctx context.Context, filter HourFilter) ([]Hour, error)
	// DeadLetters groups what is dead, the largest group first.
	DeadLetters(ctx context.Context, filter DeadFilter) (DeadLetters, error)
}

// Now is what all processes did lately, and what is open at this moment.
type Now struct {
	At        time.Time
	Span      time.Duration // that the next three are of
	Published int64
	OK        int64 // attempts
	Failed    int64
	Latency   Histogram
	Processes int // that did something in the span, or said that there was nothing to do

	Open          Open
	Oldest        time.Duration // age of the oldest pending delivery; 0: none is pending
	OldestHealthy time.Duration // over active lanes without failures or a pause
}

// Open is how many deliveries are open.
type Open struct {
	Pending       int
	PendingCapped bool // there are more
	InFlight      int
	Lanes         int // with at least one pending delivery
}

// HourFilter says whose attempts to count. The zero Tenant and EndpointID are all.
type HourFilter struct {
	Tenant     string
	EndpointID delivery.ID
	Since      time.Time // a whole hour
	Until      time.Time // not included
}

// Hour is the attempts of one hour.
type Hour struct {
	Hour       time.Time
	OK, Failed int64
	Latency    Histogram
}

// DeadFilter says which dead deliveries are meant. The zero value means all.
type DeadFilter struct {
	Tenant     string
	EndpointID delivery.ID
	EventType  string
	Reason     delivery.Reason
	ErrorCode  delivery.ErrorCode // of the last attempt
}

// DeadLetters is what is dead.
type DeadLetters struct {
	Groups []DeadGroup
	Capped bool // there are more: not all were counted
}

// DeadGroup is the dead deliveries of one endpoint that ended alike.
type DeadGroup struct {
	Tenant     string
	EndpointID delivery.ID
	URL        string
	Reason     delivery.Reason
	LastError  delivery.ErrorCode
	LastStatus int // 0: no answer was read
	Count      int
	Late       int // of those: dead for over 24 hours (A07)
	Oldest     time.Time
	Newest     time.Time
}

func (s *server) registerStats(r *routes) {
	s.registerLag(r)
	s.registerNow(r)
	s.registerSeries(r)
	s.registerDeadLetters(r)
}
