package main

import (
	"fmt"
	"net/http"
	"time"

	"github.com/malotehq/malote/client"
)

type endpointsCreateCommand struct {
	oneFlags
	URL    string   `arg:"" name:"url" help:"Where its events are POSTed; of the tenant malote, also mailto:ADDRESS."`
	Tenant string   `help:"Whose endpoint it is. With a tenant's key: that tenant." placeholder:"TENANT"`
	Policy string   `help:"The delivery contract: see malote policy list; standard if left out, or email for a mailto: URL." placeholder:"POLICY"`
	Type   []string `help:"Event types that it takes, such as invoice.paid or invoice.*; all if left out." placeholder:"TYPE"`
	laneFlags
	headerFlags
	AtMostOnce  bool     `help:"Never send anything twice, not even when it is not known whether it arrived."`
	Description string   `help:"What it is, for yourself."`
	Metadata    []string `help:"Yours to use, as name=value. Repeat it for more." placeholder:"NAME=VALUE" sep:"none"`
	Secret      string   `help:"A signing secret of your own (whsec_… or whsk_…); one is made if left out. Better set as MALOTE_SECRET." placeholder:"SECRET"`
}

// Help implements kong.HelpProvider.
func (endpointsCreateCommand) Help() string {
	return `Examples:
  malote endpoints create https://hooks.acme.example/in --tenant acme --type invoice.paid --type 'order.*'
  malote endpoints create https://hooks.acme.example/in --tenant acme --filter 'data.total > 100' --rate-limit 20
  malote endpoints create mailto:oncall@example.com --tenant malote --type malote.lag.high`
}

// Run implements the command.
func (f *endpointsCreateCommand) Run(env *environment) error {
	body := map[string]any{"url": f.URL, "at_most_once": f.AtMostOnce, "description": f.Description}
	if f.Policy != "" {
		body["policy"] = f.Policy
	}
	f.setLane(body)
	if err := f.setHeaders(body); err != nil {
		return err
	}
	if err := setMetadata(body, f.Metadata); err != nil {
		return err
	}
	if f.Tenant != "" {
		body["tenant"] = f.Tenant
	}
	if len(f.Type) > 0 {
		body["event_types"] = f.Type
	}
	if f.Secret != "" {
		body["secret"] = f.Secret
	}
	c, err := f.connect(env)
	if err != nil {
		return err
	}
	endpoint, got, err := fetch[endpointView](c, client.Request{
		Method: http.MethodPost, Path: endpointsPath, Body: encoded(body), IdempotencyKey: newOnceKey(),
	})
	if err != nil {
		return f.pointing(err)
	}
	if endpoint.Secret == nil {
		// The first answer got lost on its way, and the secret with it.
		fmt.Fprintf(env.stderr, "The endpoint was created, but its secret got lost on the way: malote endpoints secrets rotate %s --overlap 0s gives a new one.\n", endpoint.ID)
	}
	if f.JSON {
		return printAnswer(env.stdout, got)
	}
	endpoint.print(newTable(env.stdout), time.Now())
	if endpoint.Secret != nil {
		fmt.Fprintln(env.stderr, "The secret is shown this once: keep it where the receiver verifies signatures.")
	}
	return nil
}
