package main

import (
	"net/http"

	"github.com/malotehq/malote/client"
)

type endpointsUpdateCommand struct {
	endpointFlags
	URL      *string  `name:"url" help:"Where its events are POSTed, pending ones included." placeholder:"URL" own:"" env:"-"`
	Policy   *string  `help:"The delivery contract." placeholder:"POLICY"`
	Type     []string `help:"Event types that it takes, instead of those before." placeholder:"TYPE"`
	AllTypes bool     `help:"It takes every type."`
	laneFlags
	headerFlags
	NoHeaders   bool     `help:"No headers of your own."`
	AtMostOnce  *bool    `help:"Never send anything twice." negatable:""`
	Description *string  `help:"What it is, for yourself." placeholder:"TEXT"`
	Metadata    []string `help:"Yours to use, as name=value, instead of what was before." placeholder:"NAME=VALUE" sep:"none"`
}

// Help implements kong.HelpProvider.
func (endpointsUpdateCommand) Help() string {
	return `What is left out stays as it is. --header and --secret-header replace all headers; the value [hidden] keeps what a
secret one has.

Example:
  malote endpoints update whe_01h455vb4pex5vsknk084sn02q --max-in-flight 4 --all-types`
}

// Run implements the command.
func (f *endpointsUpdateCommand) Run(env *environment) error {
	patch, err := f.patch()
	if err != nil {
		return err
	}
	return f.pointing(f.showEndpoint(env, client.Request{Method: http.MethodPatch, Path: f.path(), Body: encoded(patch)}))
}

func (f *endpointsUpdateCommand) patch() (map[string]any, error) {
	patch := map[string]any{}
	setIfGiven(patch, "url", f.URL)
	setIfGiven(patch, "policy", f.Policy)
	f.setLane(patch)
	setIfGiven(patch, "at_most_once", f.AtMostOnce)
	setIfGiven(patch, "description", f.Description)
	if err := f.setHeaders(patch); err != nil {
		return nil, err
	}
	if err := setMetadata(patch, f.Metadata); err != nil {
		return nil, err
	}
	if len(f.Type) > 0 {
		patch["event_types"] = f.Type
	}
	switch {
	case f.AllTypes && len(f.Type) > 0:
		return nil, &usageError{"--all-types and --type contradict each other: give one of them"}
	case f.NoHeaders && len(f.Header)+len(f.SecretHeader) > 0:
		return nil, &usageError{"--no-headers contradicts --header and --secret-header: leave it out, or them"}
	}
	if f.AllTypes {
		patch["event_types"] = []string{}
	}
	if f.NoHeaders {
		patch["headers"] = map[string]string{}
	}
	if len(patch) == 0 {
		return nil, &usageError{"there is nothing to change: see malote endpoints update --help"}
	}
	return patch, nil
}
