package demo

import (
	"time"

	"github.com/malotehq/malote/internal/delivery"
)

// Summary is what a demo came to. Its JSON form has latencies in milliseconds,
// -1 where there are none.
type Summary struct {
	OK          bool    `json:"ok"`
	Verdict     string  `json:"verdict"`
	Interrupted bool    `json:"interrupted"` // nothing was accounted for
	Seconds     float64 `json:"seconds"`     // in all
	Machine     string  `json:"machine"`     // on which everything ran: figures are nothing without it
	Tenants     int     `json:"tenants"`
	Endpoints   int     `json:"endpoints"`

	Events     EventTotals       `json:"events"`
	Deliveries DeliveryTotals    `json:"deliveries"`
	Received   ReceivedTotals    `json:"received"`
	Healthy    HealthyTotals     `json:"healthy"`
	ByEndpoint []EndpointSummary `json:"by_endpoint"`
	Explained  []Explained       `json:"explained"` // everything that is not delivered
	Faults     []Fault           `json:"faults"`
}

// EventTotals is about what the publishers did.
type EventTotals struct {
	Published int     `json:"published"`
	Requests  int     `json:"requests"`
	Batches   int     `json:"batches"`
	Repeats   int     `json:"repeats"` // answered with "duplicate": true
	Bytes     int64   `json:"bytes"`   // of the events' data
	PerSecond float64 `json:"per_second"`
}

// DeliveryTotals is what the API says became of them.
type DeliveryTotals struct {
	Total    int                               `json:"total"`
	ByState  map[delivery.State]int            `json:"by_state"`
	ByReason map[delivery.State]map[string]int `json:"by_reason"` // causes and reasons by state
	Attempts int                               `json:"attempts"`
}

// ReceivedTotals is what the receivers saw.
type ReceivedTotals struct {
	Requests      int   `json:"requests"`
	Distinct      int   `json:"distinct"` // pairs of endpoint and webhook-id
	Accepted      int   `json:"accepted"`
	Repeated      int   `json:"repeated"`   // further requests with an id that had come before
	Duplicates    int   `json:"duplicates"` // of them, those after it was accepted
	BadSignatures int   `json:"bad_signatures"`
	Bytes         int64 `json:"bytes"`
}

// HealthyTotals is how long healthy endpoints waited, from just before the
// publish to the receipt.
type HealthyTotals struct {
	Endpoints     int     `json:"endpoints"`
	Deliveries    int     `json:"deliveries"`
	P50           float64 `json:"p50_ms"`
	P95           float64 `json:"p95_ms"`
	P99           float64 `json:"p99_ms"`
	WorstP99      float64 `json:"worst_p99_ms"` // of a single endpoint
	WorstEndpoint string  `json:"worst_endpoint"`
	Limit         float64 `json:"limit_ms"`
}

// EndpointSummary is what became of one endpoint's deliveries.
type EndpointSummary struct {
	ID       string                  `json:"id"`
	Tenant   string                  `json:"tenant"`
	Name     string                  `json:"name"`
	Manner   string                  `json:"manner"`
	Policy   string                  `json:"policy"`
	Status   delivery.EndpointStatus `json:"status"`
	ByState  map[delivery.State]int  `json:"by_state"`
	Requests int                     `json:"requests"`
	P50      float64                 `json:"p50_ms"`
	P99      float64                 `json:"p99_ms"`
}

// Explained is a group of deliveries that are where they are for one cause.
type Explained struct {
	Endpoint string         `json:"endpoint"`
	State    delivery.State `json:"state"`
	Cause    string         `json:"cause"`
	Count    int            `json:"count"`
	Example  string         `json:"example"` // of the next one due, or the first
	next     time.Time
}
