package main

import (
	"fmt"
	"net/http"
	"strings"
	"time"
)

type endpointsCreateCommand struct {
	oneFlags
	URL         string   `arg:"" name:"url" help:"Where its events are POSTed."`
	Tenant      string   `help:"Whose endpoint it is. With a tenant's key: that tenant." placeholder:"TENANT"`
	Policy      string   `help:"The delivery contract: see malote policy list." default:"standard"`
	Type        []string `help:"Event types that it takes, such as invoice.paid or invoice.*; all if left out." placeholder:"TYPE"`
	MaxInFlight *int     `help:"How many deliveries may be on their way at once; the policy's default if left out." placeholder:"N" own:"" env:"MALOTE_ENDPOINT_MAX_IN_FLIGHT"`
	Header      []string `help:"A header to send with every attempt, as 'Name: value'. Repeat it for more." placeholder:"HEADER" sep:"none"`
	AtMostOnce  bool     `help:"Never send anything twice, not even when it is not known whether it arrived."`
	Description string   `help:"What it is, for yourself."`
	Metadata    []string `help:"Yours to use, as name=value. Repeat it for more." placeholder:"NAME=VALUE" sep:"none"`
	Secret      string   `help:"A signing secret of your own (whsec_… or whsk_…); one is made if left out. Better set as MALOTE_SECRET." placeholder:"SECRET"`
}

// Help implements kong.HelpProvider.
func (endpointsCreateCommand) Help() string {
	return `Example:
  malote endpoints create https://hooks.acme.example/in --tenant acme --type invoice.paid --type 'order.*'`
}

// Run implements the command.
func (f *endpointsCreateCommand) Run(env *environment) error {
	body := map[string]any{"url": f.URL, "policy": f.Policy, "at_most_once": f.AtMostOnce, "description": f.Description}
	if err := setPairs(body, f.Header, f.Metadata); err != nil {
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
	setIfGiven(body, "max_in_flight", f.MaxInFlight)
	c, err := f.connect(env)
	if err != nil {
		return err
	}
	endpoint, got, err := fetch[endpointView](c, request{
		method: http.MethodPost, path: endpointsPath, body: encoded(body), onceKey: newOnceKey(),
	})
	if err != nil {
		return err
	}
	if endpoint.Secret == nil {
		// The first answer got lost on its way, and the secret with it.
		fmt.Fprintf(env.stderr, "The endpoint was created, but its secret got lost on the way: malote endpoints secrets rotate %s --overlap 0s gives a new one.\n", endpoint.ID)
	}
	if f.JSON {
		return got.print(env.stdout)
	}
	endpoint.print(newTable(env.stdout), time.Now())
	if endpoint.Secret != nil {
		fmt.Fprintln(env.stderr, "The secret is shown this once: keep it where the receiver verifies signatures.")
	}
	return nil
}

// setPairs puts headers and metadata into a body, where there are any.
func setPairs(body map[string]any, headers, metadata []string) error {
	for _, part := range []struct {
		member, separator, form string
		texts                   []string
	}{
		{"headers", ":", "--header must look like 'Name: value', not %q", headers},
		{"metadata", "=", "--metadata must look like name=value, not %q", metadata},
	} {
		pairs := map[string]string{}
		for _, text := range part.texts {
			name, value, found := strings.Cut(text, part.separator)
			if !found || name == "" {
				return &usageError{fmt.Sprintf(part.form, text)}
			}
			pairs[strings.TrimSpace(name)] = strings.TrimSpace(value)
		}
		if len(pairs) > 0 {
			body[part.member] = pairs
		}
	}
	return nil
}
