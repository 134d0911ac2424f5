package main

import (
	"cmp"
	"fmt"
	"net/http"

	"github.com/malotehq/malote/client"
	"github.com/malotehq/malote/internal/source"
)

type sourcesCreateCommand struct {
	oneFlags
	Provider string `arg:"" help:"Who sends: see malote sources providers; generic is for anybody else."`
	Tenant   string `help:"Whose source it is. With a tenant's key: that tenant." placeholder:"TENANT"`
	Name     string `help:"Its name; the provider's if left out." placeholder:"TEXT" env:"-" own:""`

	Secret          []string `help:"What the provider signs with, or its token, as it shows it. Repeat it for more. Better set as MALOTE_SECRET: others can read command lines." placeholder:"SECRET" sep:"none"`
	HandshakeSecret string   `help:"A token for the handshake alone, such as Meta's verify token. Better set as MALOTE_HANDSHAKE_SECRET." placeholder:"SECRET"`
	RepairToken     string   `help:"A key of the provider's API, for the repair of gaps. Better set as MALOTE_REPAIR_TOKEN." placeholder:"KEY"`
	sourceSettingFlags
}

// Help implements kong.HelpProvider.
func (sourcesCreateCommand) Help() string {
	return `Secrets may come later: some providers tell theirs only once they have the address. --options takes what is set
seldom: generic (how an unlisted sender is known), success (another receipt), content_encoding, rate_limit with a burst,
repair; see docs/sources.md.

Examples:
  malote sources create stripe --tenant acme
  malote sources create github --tenant acme --secret "$SECRET" --filter 'type != "ping"'
  malote sources create generic --tenant acme --name "Our ERP" --secret "$SECRET" --options '{"generic": {"header": "X-Signature"}}'`
}

// Run implements the command.
func (f *sourcesCreateCommand) Run(env *environment) error {
	body, err := f.body()
	if err != nil {
		return err
	}
	made, err := f.showSource(env, client.Request{Method: http.MethodPost, Path: sourcesPath, Body: encoded(body), IdempotencyKey: newOnceKey()})
	if err != nil || f.JSON {
		return err
	}
	if len(made.SecretNames) == 0 {
		fmt.Fprintf(env.stderr, "It has no secret yet, so that requests get 503: MALOTE_SECRET=… malote sources secrets add %s\n", made.ID)
	}
	return nil
}

func (f *sourcesCreateCommand) body() (map[string]any, error) {
	name := f.Name
	if provider, known := source.Lookup(f.Provider); known {
		name = cmp.Or(name, provider.Title)
	}
	body := map[string]any{"provider": f.Provider, "name": cmp.Or(name, f.Provider)}
	if f.Tenant != "" {
		body["tenant"] = f.Tenant
	}
	secrets := []any{}
	for _, value := range f.Secret {
		secrets = append(secrets, value)
	}
	if f.HandshakeSecret != "" {
		secrets = append(secrets, map[string]any{"name": "handshake", "role": "handshake", "value": f.HandshakeSecret})
	}
	if f.RepairToken != "" {
		secrets = append(secrets, map[string]any{"name": "repair", "role": "repair", "value": f.RepairToken})
	}
	if len(secrets) > 0 {
		body["secrets"] = secrets
	}
	return body, f.set(body)
}

type sourcesUpdateCommand struct {
	sourceFlags
	Name *string `help:"Its name." placeholder:"TEXT" env:"-" own:""`
	sourceSettingFlags
	Default []string `help:"A setting that goes back to its default, by its name in the API, such as dedupe or tolerance. Repeat it for more." placeholder:"SETTING" env:"-" own:""`
}

// Help implements kong.HelpProvider.
func (sourcesUpdateCommand) Help() string {
	return `What is left out stays as it is. It takes a second until it holds.

Examples:
  malote sources update src_01h455vb4pex5vsknk084sn02q --rate-limit 50 --tolerance 10m
  malote sources update src_01h455vb4pex5vsknk084sn02q --default tolerance`
}

// Run implements the command.
func (f *sourcesUpdateCommand) Run(env *environment) error {
	patch := map[string]any{}
	setIfGiven(patch, "name", f.Name)
	if err := f.set(patch); err != nil {
		return err
	}
	for _, name := range f.Default {
		unset(patch, name)
	}
	if len(patch) == 0 {
		return &usageError{"there is nothing to change: see malote sources update --help"}
	}
	_, err := f.showSource(env, client.Request{Method: http.MethodPatch, Path: f.path(), Body: encoded(patch)})
	return err
}

// unset puts a setting back to its default, wherever it stands.
func unset(patch map[string]any, name string) {
	switch name {
	case "dedupe", "event_type_from", "forward_headers":
		patch[name] = nil
		return
	}
	options, _ := patch["options"].(map[string]any)
	if options == nil {
		options = map[string]any{}
	}
	options[name] = nil
	patch["options"] = options
}
