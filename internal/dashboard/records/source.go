package records

import (
	"encoding/json"
	"time"
)

// Source is one of /v1/sources.
type Source struct {
	ID          string  `json:"id"`
	Tenant      string  `json:"tenant"`
	Name        string  `json:"name"`
	Provider    string  `json:"provider"`
	Description string  `json:"description"`
	ReceivePath string  `json:"receive_path"`
	ReceiveURL  *string `json:"receive_url"` // nil: the server was not told its public address

	Status      string                     `json:"status"`
	PausedAt    *time.Time                 `json:"paused_at"`
	SecretNames []string                   `json:"secret_names"`
	Dedupe      string                     `json:"dedupe"`
	TypeFrom    string                     `json:"event_type_from"`
	Headers     *[]string                  `json:"forward_headers"`
	Options     map[string]json.RawMessage `json:"options"`
	GapRepair   *GapProgress               `json:"gap_repair"` // nil: nothing was compared yet
	CreatedAt   time.Time                  `json:"created_at"`
	UpdatedAt   time.Time                  `json:"updated_at"`
}

// GapProgress is how far a provider's list was compared with what came in.
type GapProgress struct {
	CheckedUntil *time.Time `json:"checked_until"`
	Found        int        `json:"found"`
	FailedAt     *time.Time `json:"failed_at"`
	Error        string     `json:"error"`
}

// GapReport is what a comparison came to.
type GapReport struct {
	DryRun   bool `json:"dry_run"`
	Listed   int  `json:"listed"`
	Known    int  `json:"known"`
	Missing  int  `json:"missing"`
	Fed      int  `json:"fed"`
	Asked    int  `json:"asked"`
	Filtered int  `json:"filtered"`
	Refused  int  `json:"refused"`
	GivenUp  int  `json:"given_up"`
}

// Provider is one of /v1/source_providers.
type Provider struct {
	Name      string   `json:"name"`
	Title     string   `json:"title"`
	Headers   []string `json:"headers"`
	Signed    string   `json:"signed"`
	Tolerance string   `json:"tolerance"` // "": none
	Secret    string   `json:"secret"`
	Dedupe    string   `json:"dedupe"`
	Type      string   `json:"type"`
	Handshake string   `json:"handshake"`
	Retries   string   `json:"retries"`
	Gotcha    string   `json:"gotcha"`
	Methods   []string `json:"methods"`
	GapRepair bool     `json:"gap_repair"`
}

// SourceSecret is a secret of a source, without its value.
type SourceSecret struct {
	ID        string     `json:"id"`
	Name      string     `json:"name"`
	Role      string     `json:"role"`
	CreatedAt time.Time  `json:"created_at"`
	ExpiresAt *time.Time `json:"expires_at"`
}

// Rejection is requests that a source turned away for one reason.
type Rejection struct {
	Reason      string    `json:"reason"`
	Explanation string    `json:"explanation"`
	Detail      string    `json:"detail"`
	Count       int       `json:"count"`
	FirstAt     time.Time `json:"first_at"`
	LastAt      time.Time `json:"last_at"`
}

// Arrivals is how much came in.
type Arrivals struct {
	Accepted   int `json:"accepted"`
	Duplicates int `json:"duplicates"`
	Filtered   int `json:"filtered"`
	Rejected   int `json:"rejected"` // requests; the others are events
}

// SourceSums is /v1/stats/sources.
type SourceSums struct {
	Data []struct {
		SourceID string `json:"source_id"`
		Arrivals
	} `json:"data"`
}

// SourceSeries is what came in by one source, by the hour.
type SourceSeries struct {
	Data []struct {
		Hour time.Time `json:"hour"`
		Arrivals
	} `json:"data"`
}

// Sum adds it all up.
func (s SourceSeries) Sum() (sum Arrivals) {
	for _, hour := range s.Data {
		sum.Accepted += hour.Accepted
		sum.Duplicates += hour.Duplicates
		sum.Filtered += hour.Filtered
		sum.Rejected += hour.Rejected
	}
	return sum
}
