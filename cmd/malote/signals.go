package main

import (
	"time"

	"github.com/malotehq/malote/internal/circuit"
	"github.com/malotehq/malote/internal/delivery"
)

type signalsCommand struct {
	apiFlags
	listFlags
	Tenant string  `help:"Only this tenant's." placeholder:"TENANT"`
	Kind   string  `help:"Only of this kind: ${signal_kinds}." enum:",${signal_kinds}" placeholder:"KIND" default:"" env:"-" own:""`
	Since  instant `help:"Raised then or later: 2026-03-01T12:00:00Z, 2026-03-01, or 24h (ago)." placeholder:"WHEN"`
}

// Help implements kong.HelpProvider.
func (signalsCommand) Help() string {
	return `Newest first. malote tail --signals follows them.

Example:
  malote signals --tenant acme --since 24h`
}

// signalKinds are all that there are, as kong's enums have them.
var signalKinds = joined(delivery.SignalKinds) +
	"," + joined(circuit.SignalKinds)

const signalsPath = "/v1/signals"

// signalView is what is shown of a signal.
type signalView struct {
	ID         string     `json:"id"`
	Tenant     string     `json:"tenant"`
	Kind       string     `json:"kind"`
	Detail     string     `json:"detail"`
	EndpointID *string    `json:"endpoint_id"`
	DeliveryID *string    `json:"delivery_id"`
	EventType  *string    `json:"event_type"`
	CreatedAt  *time.Time `json:"created_at"`
}

// about is what to look at next.
func (s signalView) about() string {
	if s.DeliveryID != nil {
		return *s.DeliveryID
	}
	return orAbsent(s.EndpointID)
}

// Run implements the command.
func (f *signalsCommand) Run(env *environment) error {
	c, err := f.connect(env)
	if err != nil {
		return err
	}
	return list[signalView]{
		path: signalsPath, what: "signals",
		query: queryOf("tenant", f.Tenant, "kind", f.Kind, "since", f.Since.rfc3339()),
		head:  []string{"RAISED", "TENANT", "KIND", "ABOUT", "DETAIL"},
		row: func(s signalView) []string {
			return []string{stamp(s.CreatedAt), s.Tenant, s.Kind, s.about(), s.Detail}
		},
	}.print(c, f.listFlags)
}
