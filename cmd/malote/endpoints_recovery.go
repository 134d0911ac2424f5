package main

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/malotehq/malote/client"
)

const recoveriesPath = "/v1/recoveries"

// recoveryView is what is shown of a recovery.
type recoveryView struct {
	ID         *string    `json:"id"`     // nil: a dry run
	Status     *string    `json:"status"` // likewise
	EndpointID string     `json:"endpoint_id"`
	Detail     *string    `json:"detail"`
	Since      *time.Time `json:"since"`
	Until      *time.Time `json:"until"`
	States     []string   `json:"states"`
	Total      int        `json:"total"`
	Recovered  int        `json:"recovered"`
	PassedOver int        `json:"passed_over"`
	CreatedAt  *time.Time `json:"created_at"`
	EndedAt    *time.Time `json:"ended_at"`
}

const (
	recoveryRunning = "running"
	recoveryDone    = "done"
)

func (r recoveryView) id() string     { return orAbsent(r.ID) }
func (r recoveryView) status() string { return orAbsent(r.Status) }
func (r recoveryView) running() bool  { return r.status() == recoveryRunning }

// outcome is the status with its reason.
func (r recoveryView) outcome() string {
	if r.Detail != nil {
		return r.status() + ": " + *r.Detail
	}
	return r.status()
}

func (r recoveryView) until() string {
	if r.Until == nil {
		return "the present"
	}
	return stamp(r.Until)
}

func (r recoveryView) print(out *table) {
	defer out.flush()
	now := time.Now()
	out.field("recovery", r.id())
	out.field("endpoint", r.EndpointID)
	out.field("of", strings.Join(r.States, " and ")+" deliveries")
	out.field("since", stamp(r.Since))
	out.field("until", r.until())
	out.field("status", r.outcome())
	out.field("deliveries", strconv.Itoa(r.Total))
	out.field("recovered", strconv.Itoa(r.Recovered))
	if r.PassedOver > 0 {
		out.field("passed over", strconv.Itoa(r.PassedOver)+", replayed, arrived or replaced meanwhile, or no longer kept")
	}
	out.field("began", moment(r.CreatedAt, now))
	out.field("ended", moment(r.EndedAt, now))
}

type endpointsRecoveriesCommand struct {
	apiFlags
	listFlags
	ID string `arg:"" help:"The endpoint's id, whe_…."`
}

// Help implements kong.HelpProvider.
func (endpointsRecoveriesCommand) Help() string {
	return `Example:
  malote endpoints recoveries whe_01h455vb4pex5vsknk084sn02q`
}

// Run implements the command.
func (f *endpointsRecoveriesCommand) Run(env *environment) error {
	c, err := f.connect(env)
	if err != nil {
		return err
	}
	return list[recoveryView]{
		path: endpointsPath + client.Path(f.ID, "recoveries"), what: "recoveries",
		head: []string{"RECOVERY", "STATUS", "RECOVERED", "OF", "PASSED OVER", "SINCE", "UNTIL", "BEGAN"},
		row: func(r recoveryView) []string {
			return []string{
				r.id(), r.outcome(), strconv.Itoa(r.Recovered), strconv.Itoa(r.Total), strconv.Itoa(r.PassedOver),
				stamp(r.Since), r.until(), stamp(r.CreatedAt),
			}
		},
	}.print(c, f.listFlags)
}

type endpointsRecoveryCommand struct {
	oneFlags
	ID     string `arg:"" help:"The recovery's id, rec_…."`
	Cancel bool   `help:"Stop it. What it has put back into the queue stays there." env:"-" own:""`
	recoveryWaitFlags
}

// Help implements kong.HelpProvider.
func (endpointsRecoveryCommand) Help() string {
	return `Examples:
  malote endpoints recovery rec_01h455vb4pex5vsknk084sn02q --wait
  malote endpoints recovery rec_01h455vb4pex5vsknk084sn02q --cancel`
}

// Run implements the command.
func (f *endpointsRecoveryCommand) Run(env *environment) error {
	c, err := f.connect(env)
	if err != nil {
		return err
	}
	req := client.Request{Method: http.MethodGet, Path: recoveriesPath + client.Path(f.ID)}
	if f.Cancel {
		req = client.Request{Method: http.MethodPost, Path: recoveriesPath + client.Path(f.ID, "cancel"), Repeatable: true}
	}
	r, got, err := fetch[recoveryView](c, req)
	switch {
	case err != nil:
		return err
	case f.Wait != nil && *f.Wait && !f.Cancel:
		return f.await(env, c, r, got)
	}
	return f.showRecovery(env, r, got)
}
