package main

import (
	"encoding/json"
	"fmt"
	"strings"
)

type sourcesProvidersCommand struct {
	apiFlags
	listFlags
	Name string `arg:"" optional:"" help:"Say all about this one."`
}

// Help implements kong.HelpProvider.
func (sourcesProvidersCommand) Help() string {
	return `Examples:
  malote sources providers
  malote sources providers stripe`
}

// providerView is what is shown of a provider.
type providerView struct {
	Name      string   `json:"name"`
	Title     string   `json:"title"`
	Headers   []string `json:"headers"`
	Signed    string   `json:"signed"`
	Tolerance *string  `json:"tolerance"`
	Secret    string   `json:"secret"`
	Dedupe    string   `json:"dedupe"`
	Type      string   `json:"type"`
	Handshake string   `json:"handshake"`
	Retries   string   `json:"retries"`
	Gotcha    string   `json:"gotcha"`
	GapRepair bool     `json:"gap_repair"`
}

const providersPath = "/v1/source_providers"

// Run implements the command.
func (f *sourcesProvidersCommand) Run(env *environment) error {
	c, err := f.connect(env)
	if err != nil {
		return err
	}
	all := list[providerView]{
		path: providersPath, unpaged: true, what: "providers",
		head: []string{"PROVIDER", "TITLE", "TOLERANCE", "KNOWN AGAIN BY", "HANDSHAKE"},
		row: func(p providerView) []string {
			return []string{p.Name, p.Title, orAbsent(p.Tolerance), p.Dedupe, p.Handshake}
		},
	}
	if f.Name != "" {
		return f.showProvider(env, c, all)
	}
	everything := f.listFlags
	everything.Limit = 0 // there are not so many that a part would do
	return all.print(c, everything)
}

func (f *sourcesProvidersCommand) showProvider(env *environment, c *connection, all list[providerView]) error {
	found := false
	_, err := all.each(c, 0, func(raw json.RawMessage) error {
		var p providerView
		if err := json.Unmarshal(raw, &p); err != nil || p.Name != f.Name {
			return err
		}
		found = true
		if f.JSON {
			_, err := fmt.Fprintf(env.stdout, "%s\n", raw)
			return err
		}
		p.print(newTable(env.stdout))
		return nil
	})
	if err == nil && !found {
		return fmt.Errorf("there is no provider %q: malote sources providers lists them, and generic is for anybody else", f.Name)
	}
	return err
}

func (p providerView) print(out *table) {
	defer out.flush()
	out.field("provider", p.Name)
	out.field("title", p.Title)
	out.field("secret", p.Secret)
	out.field("signed", p.Signed)
	out.field("headers", strings.Join(p.Headers, ", "))
	out.field("tolerance", orAbsent(p.Tolerance))
	out.field("known again by", p.Dedupe)
	out.field("event type", p.Type)
	out.field("handshake", p.Handshake)
	out.field("receipt", p.Retries)
	if p.GapRepair {
		out.field("gaps", "can be repaired by its own list, with a secret of the role repair")
	}
	out.field("beware", p.Gotcha)
}
