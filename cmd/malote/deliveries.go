package main

import (
	"net/url"
	"strconv"
	"time"
)

type deliveriesCommands struct {
	List    deliveriesListCommand    `cmd:"" help:"List deliveries, newest first."`
	Show    deliveriesShowCommand    `cmd:"" help:"Show a delivery, its attempts, and what happens next and why."`
	Resolve deliveriesResolveCommand `cmd:"" help:"Take a dead delivery off the list of dead ones, with a reason."`
}

// Help implements kong.HelpProvider.
func (deliveriesCommands) Help() string {
	return `Example:
  malote deliveries list --state dead`
}

const deliveriesPath = "/v1/webhook_deliveries"

// deliveryView is what is shown of a delivery.
type deliveryView struct {
	ID         string  `json:"id"`
	EventID    string  `json:"event_id"`
	EndpointID *string `json:"endpoint_id"`
	Tenant     string  `json:"tenant"`
	EventType  string  `json:"event_type"`
	State      string  `json:"state"`
	DeadReason *string `json:"dead_reason"`
	SkipReason *string `json:"skip_reason"`
	Resolution *string `json:"resolution"`
	Trigger    string  `json:"trigger"`

	AttemptCount       int        `json:"attempt_count"`
	NextAttemptAt      *time.Time `json:"next_attempt_at"`
	LastResponseStatus *int       `json:"last_response_status"`
	LastErrorCode      *string    `json:"last_error_code"`
	CoalesceKey        *string    `json:"coalesce_key"`
	SupersededBy       *string    `json:"superseded_by"`
	CreatedAt          *time.Time `json:"created_at"`
	ClosedAt           *time.Time `json:"closed_at"`

	Attempts []attemptView `json:"attempts"`
}

// last is the outcome of the last attempt, in a word or two.
func (d deliveryView) last() string {
	switch {
	case d.LastErrorCode != nil && *d.LastErrorCode != "http_status":
		return *d.LastErrorCode
	case d.LastResponseStatus != nil:
		return strconv.Itoa(*d.LastResponseStatus)
	default:
		return absent
	}
}

// because is the state with its reason.
func (d deliveryView) because() string {
	switch {
	case d.DeadReason != nil:
		return d.State + ": " + *d.DeadReason
	case d.SkipReason != nil:
		return d.State + ": " + *d.SkipReason
	default:
		return d.State
	}
}

type deliveriesListCommand struct {
	apiFlags
	listFlags
	Tenant   string  `help:"Only this tenant's." placeholder:"TENANT"`
	State    string  `help:"Only those in this state: ${states}." enum:",${states}" placeholder:"STATE" default:"" env:"-" own:""`
	Endpoint string  `help:"Only those to this endpoint." placeholder:"WHE_ID" env:"-" own:""`
	Event    string  `help:"Only those of this event." placeholder:"EVT_ID" env:"-" own:""`
	Type     string  `help:"Only those of events of this type." placeholder:"TYPE" env:"-" own:""`
	Since    instant `help:"Of events accepted then or later: 2026-03-01T12:00:00Z, 2026-03-01, or 24h (ago)." placeholder:"WHEN"`
	Until    instant `help:"Of events accepted before, in the same forms." placeholder:"WHEN"`
}

// Help implements kong.HelpProvider.
func (deliveriesListCommand) Help() string {
	return `Example:
  malote deliveries list --tenant acme --state dead --since 24h`
}

// Run implements the command.
func (f *deliveriesListCommand) Run(env *environment) error {
	c, err := f.connect(env)
	if err != nil {
		return err
	}
	return deliveriesOf(queryOf("tenant", f.Tenant, "state", f.State, "endpoint", f.Endpoint, "event", f.Event, "type", f.Type,
		"since", f.Since.rfc3339(), "until", f.Until.rfc3339())).print(c, f.listFlags)
}

func deliveriesOf(query url.Values) list[deliveryView] {
	return list[deliveryView]{
		path: deliveriesPath, query: query, what: "deliveries",
		head: []string{"DELIVERY", "STATE", "ATTEMPTS", "LAST", "NEXT", "TYPE", "TENANT", "ENDPOINT", "CREATED"},
		row: func(d deliveryView) []string {
			return []string{
				d.ID, d.because(), strconv.Itoa(d.AttemptCount), d.last(), stamp(d.NextAttemptAt),
				d.EventType, d.Tenant, orAbsent(d.EndpointID), stamp(d.CreatedAt),
			}
		},
	}
}
