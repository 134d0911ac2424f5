package main

import (
	"fmt"
	"net/http"

	"github.com/malotehq/malote/client"
)

type endpointsRecoverCommand struct {
	endpointFlags
	Since  instant  `help:"From the events accepted then on: 2026-03-01T12:00:00Z, 2026-03-01, or 24h (ago)." placeholder:"WHEN" required:"" env:"-" own:""`
	Until  instant  `help:"Up to the events accepted then, in the same forms; the present if left out." placeholder:"WHEN" env:"-" own:""`
	State  []string `help:"Which deliveries: ${enum}." enum:"skipped,dead,discarded" default:"skipped,dead" placeholder:"STATE" env:"-" own:""`
	DryRun bool     `help:"Say how many there are, and change nothing." env:"-" own:""`
	recoveryWaitFlags
}

// Help implements kong.HelpProvider.
func (endpointsRecoverCommand) Help() string {
	return `Puts what an endpoint missed back into its queue, in a job that goes on by itself and survives restarts. It queues
no more than the endpoint takes, so it lasts as long as the endpoint needs. The same events with the same bytes and ids,
each in a new cycle of attempts. On a terminal it shows the progress until all is in the queue; ^C leaves the job running.

Examples:
  malote endpoints recover whe_01h455vb4pex5vsknk084sn02q --since 48h --dry-run
  malote endpoints recover whe_01h455vb4pex5vsknk084sn02q --since 2026-03-01T12:00:00Z --until 2026-03-02 --state dead`
}

// Run implements the command.
func (f *endpointsRecoverCommand) Run(env *environment) error {
	c, err := f.connect(env)
	if err != nil {
		return err
	}
	begun, got, err := f.send(c)
	switch {
	case err != nil:
		return err
	case begun.ID == nil || !f.waits(env):
		return f.showRecovery(env, begun, got)
	}
	fmt.Fprintf(env.stderr, "%s recovers %s; ^C leaves it running.\n", begun.id(), counted(begun.Total, "delivery"))
	return f.await(env, c, begun, got)
}

func (f *endpointsRecoverCommand) send(c *connection) (recoveryView, *client.Response, error) {
	body := map[string]any{"since": f.Since.rfc3339(), "states": f.State, "dry_run": f.DryRun}
	if until := f.Until.rfc3339(); until != "" {
		body["until"] = until
	}
	return fetch[recoveryView](c, client.Request{
		Method: http.MethodPost, Path: f.path("recover"), Body: encoded(body), IdempotencyKey: newOnceKey(), Timeout: longWork,
	})
}

// showRecovery shows one that is not waited for.
func (f *oneFlags) showRecovery(env *environment, r recoveryView, got *client.Response) error {
	if f.JSON {
		return printAnswer(env.stdout, got)
	}
	if r.ID == nil {
		_, err := fmt.Fprintf(env.stdout, "%s would go back into the queue.\n", counted(r.Total, "delivery"))
		return err
	}
	r.print(newTable(env.stdout))
	if r.running() {
		fmt.Fprintf(env.stderr, "It goes on by itself: malote endpoints recovery %s shows how far it is, with --cancel stops it.\n", r.id())
	}
	return nil
}
