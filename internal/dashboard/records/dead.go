package records

import "time"

// Dead is /v1/stats/dead.
type Dead struct {
	Total    int          `json:"total"`
	AtLeast  bool         `json:"at_least"` // there are more
	Over24h  int          `json:"over_24h"`
	OldestAt *time.Time   `json:"oldest_at"` // nil: none is dead
	Reasons  []DeadReason `json:"reasons"`
	Groups   []DeadGroup  `json:"groups"`
}

// DeadReason is how many died alike.
type DeadReason struct {
	DeadReason    string `json:"dead_reason"`
	LastErrorCode string `json:"last_error_code"` // "": there was no attempt
	Count         int    `json:"count"`
	Over24h       int    `json:"over_24h"`
}

// DeadGroup is what died alike at one endpoint.
type DeadGroup struct {
	EndpointID string `json:"endpoint_id"`
	URL        string `json:"url"`
}

// Replay is what became of deliveries, or in a preview would become.
type Replay struct {
	Data     []Replayed `json:"data"`
	Replayed bool       `json:"replayed"`
}

// Replayed is what becomes of one delivery.
type Replayed struct {
	ID         string `json:"id"`
	EndpointID string `json:"endpoint_id"`
	URL        string `json:"url"`   // where it goes
	State      string `json:"state"` // that it was found in; "": it was not
	Refusal    string `json:"refusal"`
}

// Resolution is what became of deliveries that were to be resolved.
type Resolution struct {
	Data     []Resolved `json:"data"`
	Resolved int        `json:"resolved"`
}

// Resolved is what became of one of them.
type Resolved struct {
	ID       string `json:"id"`
	State    string `json:"state"` // that it has now; "": it was not found
	Resolved bool   `json:"resolved"`
}
