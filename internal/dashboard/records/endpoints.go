package records

import "time"

// EndpointSecret is one of /v1/webhook_endpoints/{id}/secrets.
type EndpointSecret struct {
	ID        string     `json:"id"`
	CreatedAt time.Time  `json:"created_at"`
	ExpiresAt *time.Time `json:"expires_at"` // nil: when it is revoked
	Value     string     `json:"value"`      // in the answer to its creation
}

// Recovery is one of /v1/webhook_endpoints/{id}/recoveries.
type Recovery struct {
	ID         string     `json:"id"`     // "": it was a dry run
	Status     string     `json:"status"` // likewise
	Detail     string     `json:"detail"`
	Since      time.Time  `json:"since"`
	Until      *time.Time `json:"until"` // nil: the present
	States     []string   `json:"states"`
	Total      int        `json:"total"`
	Recovered  int        `json:"recovered"`
	PassedOver int        `json:"passed_over"`
	CreatedAt  *time.Time `json:"created_at"`
	EndedAt    *time.Time `json:"ended_at"` // nil: it goes on
}

// EndpointTest is what a test event came to.
type EndpointTest struct {
	EventID string  `json:"event_id"`
	Attempt Attempt `json:"attempt"`
}
