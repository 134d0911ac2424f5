package main

import (
	"net/http"
	"time"

	"github.com/malotehq/malote/client"
)

type portalCommands struct {
	Link portalLinkCommand `cmd:"" help:"Make a link that opens a tenant's own pages, for a short time."`
}

// Help implements kong.HelpProvider.
func (portalCommands) Help() string {
	return `Example:
  malote portal link --tenant acme`
}

const portalLinksPath = "/v1/portal_links"

// portalLinkView is what is shown of a portal link.
type portalLinkView struct {
	Tenant    string     `json:"tenant"`
	Role      string     `json:"role"`
	ExpiresAt *time.Time `json:"expires_at"`
	Path      string     `json:"path"`
	URL       *string    `json:"url"`
}

type portalLinkCommand struct {
	oneFlags
	Tenant    string        `help:"Whose things it shows; a tenant's key may leave it out." placeholder:"TENANT"`
	Role      string        `help:"What its user may do: ${enum}." enum:"viewer,support,admin" default:"viewer"`
	ExpiresIn time.Duration `help:"How long the link works, up to 24h; the session it opens lasts 2 hours." default:"15m"`
}

// Help implements kong.HelpProvider.
func (portalLinkCommand) Help() string {
	return `Whoever has the link gets in until it expires: it needs no password. viewer looks,
support also replays, resolves and pauses, admin also changes endpoints and their secrets.

Examples:
  malote portal link --tenant acme
  malote portal link --tenant acme --role support --expires-in 5m`
}

// Run implements the command.
func (f *portalLinkCommand) Run(env *environment) error {
	body := map[string]any{"role": f.Role, "expires_in": f.ExpiresIn.String()}
	if f.Tenant != "" {
		body["tenant"] = f.Tenant
	}
	c, err := f.connect(env)
	if err != nil {
		return err
	}
	made, got, err := fetch[portalLinkView](c, client.Request{Method: http.MethodPost, Path: portalLinksPath, Body: encoded(body), Repeatable: true})
	if err != nil {
		return err
	}
	if f.JSON {
		return printAnswer(env.stdout, got)
	}
	link := c.base.JoinPath(made.Path).String()
	if made.URL != nil {
		link = *made.URL
	}
	out := newTable(env.stdout)
	out.field("tenant", made.Tenant)
	out.field("role", made.Role)
	out.field("works until", stamp(made.ExpiresAt))
	out.field("link", link)
	out.flush()
	return nil
}
