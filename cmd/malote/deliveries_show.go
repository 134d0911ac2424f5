package main

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/malotehq/malote/client"
	"github.com/malotehq/malote/internal/policy"
)

type deliveriesShowCommand struct {
	oneFlags
	ID string `arg:"" help:"The delivery's id, whd_…."`
}

// Help implements kong.HelpProvider.
func (deliveriesShowCommand) Help() string {
	return `Example:
  malote deliveries show whd_01h455vb4pex5vsknk084sn02q`
}

// Run implements the command.
func (f *deliveriesShowCommand) Run(env *environment) error {
	c, err := f.connect(env)
	if err != nil {
		return err
	}
	found, got, err := fetch[deliveryView](c, client.Request{Method: http.MethodGet, Path: deliveriesPath + client.Path(f.ID)})
	if err != nil {
		return err
	}
	if f.JSON {
		return printAnswer(env.stdout, got)
	}
	target, contract, err := c.contractOf(found)
	if err != nil {
		return err
	}
	now := time.Now()
	found.print(newTable(env.stdout), target, now)
	if len(found.Attempts) > 0 {
		fmt.Fprintln(env.stdout)
		printAttempts(newTable(env.stdout), found.Attempts)
	}
	_, err = fmt.Fprintf(env.stdout, "\n%s\n", explanation{found, target, contract}.sentence(now))
	return err
}

// contractOf finds the endpoint that a delivery goes to, and its policy. Either
// is nil where it is not there any more.
func (c *connection) contractOf(d deliveryView) (*endpointView, *policy.Policy, error) {
	if d.EndpointID == nil {
		return nil, nil, nil
	}
	target, _, err := fetch[endpointView](c, client.Request{Method: http.MethodGet, Path: endpointsPath + client.Path(*d.EndpointID)})
	if isNotFound(err) {
		return nil, nil, nil // deleted; the history stays
	}
	if err != nil {
		return nil, nil, err
	}
	if preset, known := policy.Preset(target.Policy); known {
		return &target, preset, nil
	}
	kept, _, err := fetch[policyView](c, client.Request{Method: http.MethodGet, Path: policiesPath + client.Path(target.Policy)})
	if err != nil {
		return nil, nil, err
	}
	// One that only another version of Malote understands explains nothing.
	contract, _ := policy.Parse([]byte(kept.YAML))
	return &target, contract, nil
}

func isNotFound(err error) bool {
	failed, ok := errors.AsType[*client.Error](err)
	return ok && failed.Status == http.StatusNotFound
}

func (d deliveryView) print(out *table, target *endpointView, now time.Time) {
	defer out.flush()
	out.field("delivery", d.ID)
	out.field("state", d.because())
	out.field("event", d.EventID)
	out.field("type", d.EventType)
	out.field("tenant", d.Tenant)
	out.field("endpoint", orAbsent(d.EndpointID))
	if target != nil {
		out.field("url", target.URL)
		out.field("policy", target.Policy)
	}
	out.field("trigger", d.Trigger)
	out.field("coalesce key", orAbsent(d.CoalesceKey))
	out.field("superseded by", orAbsent(d.SupersededBy))
	out.field("resolution", orAbsent(d.Resolution))
	out.field("created", moment(d.CreatedAt, now))
	out.field("closed", moment(d.ClosedAt, now))
}

func printAttempts(out *table, attempts []attemptView) {
	defer out.flush()
	out.row("ATTEMPT", "TRIGGER", "DUE", "LATE BY", "TOOK", "ANSWER", "ERROR")
	for _, a := range attempts {
		late := absent
		if a.StartedAt != nil && a.ScheduledAt != nil {
			late = brief(max(a.StartedAt.Sub(*a.ScheduledAt), 0))
		}
		out.row(strconv.Itoa(a.Number), a.Trigger, stamp(a.ScheduledAt), late,
			fmt.Sprintf("%d ms", a.DurationMS), a.answer(), orAbsent(a.Error))
	}
}

type deliveriesResolveCommand struct {
	apiFlags
	ID     string `arg:"" help:"The delivery's id, whd_…."`
	Reason string `required:"" help:"Why nothing needs to be sent: 10 to 1,000 characters. It is kept." placeholder:"TEXT" env:"-" own:""`
}

// Help implements kong.HelpProvider.
func (deliveriesResolveCommand) Help() string {
	return `Nothing is sent.

Example:
  malote deliveries resolve whd_01h455vb4pex5vsknk084sn02q --reason "The customer entered it by hand."`
}

// Run implements the command.
func (f *deliveriesResolveCommand) Run(env *environment) error {
	c, err := f.connect(env)
	if err != nil {
		return err
	}
	_, err = c.do(client.Request{
		Method: http.MethodPost, Path: deliveriesPath + client.Path(f.ID, "resolve"),
		Body: encoded(map[string]string{"reason": f.Reason}),
	})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(env.stdout, "Delivery %s is resolved.\n", f.ID)
	return err
}
