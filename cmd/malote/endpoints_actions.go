package main

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/malotehq/malote/client"
)

type endpointsEnableCommand struct{ endpointFlags }

// Help implements kong.HelpProvider.
func (endpointsEnableCommand) Help() string {
	return `Example:
  malote endpoints enable whe_01h455vb4pex5vsknk084sn02q`
}

// Run implements the command.
func (f *endpointsEnableCommand) Run(env *environment) error { return f.act(env, "enable") }

// act changes the endpoint's status and shows what it is then.
func (f *endpointFlags) act(env *environment, action string) error {
	return f.showEndpoint(env, client.Request{Method: http.MethodPost, Path: f.path(action), Timeout: longWork})
}

type endpointsDisableCommand struct{ endpointFlags }

// Help implements kong.HelpProvider.
func (endpointsDisableCommand) Help() string {
	return `What is pending stays until the endpoint is enabled again, or discarded.

Example:
  malote endpoints disable whe_01h455vb4pex5vsknk084sn02q`
}

// Run implements the command.
func (f *endpointsDisableCommand) Run(env *environment) error { return f.act(env, "disable") }

type endpointsPauseCommand struct{ endpointFlags }

// Help implements kong.HelpProvider.
func (endpointsPauseCommand) Help() string {
	return `Example:
  malote endpoints pause whe_01h455vb4pex5vsknk084sn02q`
}

// Run implements the command.
func (f *endpointsPauseCommand) Run(env *environment) error { return f.act(env, "pause") }

type endpointsResumeCommand struct{ endpointFlags }

// Help implements kong.HelpProvider.
func (endpointsResumeCommand) Help() string {
	return `Example:
  malote endpoints resume whe_01h455vb4pex5vsknk084sn02q`
}

// Run implements the command.
func (f *endpointsResumeCommand) Run(env *environment) error { return f.act(env, "resume") }

type endpointsTestCommand struct{ endpointFlags }

// Help implements kong.HelpProvider.
func (endpointsTestCommand) Help() string {
	return `Exits with 1 if the attempt failed.

Example:
  malote endpoints test whe_01h455vb4pex5vsknk084sn02q`
}

// Run implements the command.
func (f *endpointsTestCommand) Run(env *environment) error {
	c, err := f.connect(env)
	if err != nil {
		return err
	}
	type result struct {
		EventID string      `json:"event_id"`
		Attempt attemptView `json:"attempt"`
	}
	tested, got, err := fetch[result](c, client.Request{Method: http.MethodPost, Path: f.path("test"), Timeout: longWork})
	if err != nil {
		return err
	}
	if f.JSON {
		err = printAnswer(env.stdout, got)
	} else {
		out := newTable(env.stdout)
		out.field("event", tested.EventID)
		out.field("started", moment(tested.Attempt.StartedAt, time.Now()))
		out.field("took", fmt.Sprintf("%d ms", tested.Attempt.DurationMS))
		out.field("answer", tested.Attempt.answer())
		out.field("body", strings.TrimSpace(orAbsent(tested.Attempt.ResponseBody)))
		out.flush()
	}
	if err == nil && tested.Attempt.ErrorCode != nil {
		return fmt.Errorf("the test failed: %s", tested.Attempt.failure())
	}
	return err
}

type endpointsDiscardCommand struct{ endpointFlags }

// Help implements kong.HelpProvider.
func (endpointsDiscardCommand) Help() string {
	return `What waits is closed as discarded; what is being sent just now is not touched.

Example:
  malote endpoints discard whe_01h455vb4pex5vsknk084sn02q`
}

// Run implements the command.
func (f *endpointsDiscardCommand) Run(env *environment) error {
	c, err := f.connect(env)
	if err != nil {
		return err
	}
	type result struct {
		DiscardedCount int `json:"discarded_count"`
	}
	discarded, got, err := fetch[result](c, client.Request{Method: http.MethodPost, Path: f.path("discard"), Timeout: longWork})
	if err != nil {
		return err
	}
	if f.JSON {
		return printAnswer(env.stdout, got)
	}
	_, err = fmt.Fprintf(env.stdout, "%s discarded.\n", counted(discarded.DiscardedCount, "pending delivery"))
	return err
}

type endpointsDeleteCommand struct{ endpointFlags }

// Help implements kong.HelpProvider.
func (endpointsDeleteCommand) Help() string {
	return `Its history stays readable.

Example:
  malote endpoints delete whe_01h455vb4pex5vsknk084sn02q`
}

// Run implements the command.
func (f *endpointsDeleteCommand) Run(env *environment) error {
	c, err := f.connect(env)
	if err != nil {
		return err
	}
	if _, err := c.do(client.Request{Method: http.MethodDelete, Path: f.path(), Timeout: longWork}); err != nil {
		return err
	}
	_, err = fmt.Fprintf(env.stdout, "Endpoint %s is deleted.\n", f.ID)
	return err
}
