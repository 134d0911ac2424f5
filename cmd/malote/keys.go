package main

import (
	"fmt"
	"net/http"
	"time"

	"github.com/malotehq/malote/client"
)

type keysCommands struct {
	Create keysCreateCommand `cmd:"" help:"Create an API key; shows it, this once."`
	List   keysListCommand   `cmd:"" help:"List API keys, revoked ones included."`
	Revoke keysRevokeCommand `cmd:"" help:"Stop an API key from working."`
}

// Help implements kong.HelpProvider.
func (keysCommands) Help() string {
	return `Example:
  malote keys create --scope publish --tenant acme`
}

const keysPath = "/v1/keys"

// keyView is what is shown of an API key.
type keyView struct {
	ID        string     `json:"id"`
	Scope     string     `json:"scope"`
	Tenant    *string    `json:"tenant"`
	Name      string     `json:"name"`
	CreatedAt *time.Time `json:"created_at"`
	RevokedAt *time.Time `json:"revoked_at"`
	Key       *string    `json:"key"`
}

type keysCreateCommand struct {
	oneFlags
	Scope  string `help:"What it may do: ${enum}." enum:"admin,tenant,publish,read" required:"" placeholder:"SCOPE"`
	Tenant string `help:"Whose key it is; for every scope but admin." placeholder:"TENANT"`
	Name   string `help:"What it is for, for yourself." placeholder:"TEXT"`
}

// Help implements kong.HelpProvider.
func (keysCreateCommand) Help() string {
	return `admin may do everything, tenant everything of its tenant, publish only publish, read only read.

Example:
  malote keys create --scope publish --tenant acme --name "shop backend"`
}

// Run implements the command.
func (f *keysCreateCommand) Run(env *environment) error {
	body := map[string]any{"scope": f.Scope, "name": f.Name}
	if f.Tenant != "" {
		body["tenant"] = f.Tenant
	}
	c, err := f.connect(env)
	if err != nil {
		return err
	}
	made, got, err := fetch[keyView](c, client.Request{Method: http.MethodPost, Path: keysPath, Body: encoded(body), IdempotencyKey: newOnceKey()})
	if err != nil {
		return err
	}
	if made.Key == nil {
		fmt.Fprintf(env.stderr, "The key %s was created, but got lost on the way: revoke it and create another.\n", made.ID)
	}
	if f.JSON {
		return printAnswer(env.stdout, got)
	}
	out := newTable(env.stdout)
	out.field("key id", made.ID)
	out.field("scope", made.Scope)
	out.field("tenant", orAbsent(made.Tenant))
	out.field("name", made.Name)
	out.field("key", orAbsent(made.Key))
	out.flush()
	if made.Key != nil {
		fmt.Fprintln(env.stderr, "The key is shown this once: it is stored as a hash.")
	}
	return nil
}

type keysListCommand struct {
	apiFlags
	listFlags
	Tenant string `help:"Only this tenant's." placeholder:"TENANT"`
}

// Help implements kong.HelpProvider.
func (keysListCommand) Help() string {
	return `Example:
  malote keys list --tenant acme`
}

// Run implements the command.
func (f *keysListCommand) Run(env *environment) error {
	c, err := f.connect(env)
	if err != nil {
		return err
	}
	return list[keyView]{
		path: keysPath, query: queryOf("tenant", f.Tenant), what: "keys",
		head: []string{"KEY ID", "SCOPE", "TENANT", "CREATED", "REVOKED", "NAME"},
		row: func(k keyView) []string {
			return []string{k.ID, k.Scope, orAbsent(k.Tenant), stamp(k.CreatedAt), stamp(k.RevokedAt), k.Name}
		},
	}.print(c, f.listFlags)
}

type keysRevokeCommand struct {
	apiFlags
	ID string `arg:"" help:"The key's id, key_…, not the key itself."`
}

// Help implements kong.HelpProvider.
func (keysRevokeCommand) Help() string {
	return `Example:
  malote keys revoke key_01h455vb4pex5vsknk084sn02q`
}

// Run implements the command.
func (f *keysRevokeCommand) Run(env *environment) error {
	c, err := f.connect(env)
	if err != nil {
		return err
	}
	if _, err := c.do(client.Request{Method: http.MethodDelete, Path: keysPath + client.Path(f.ID)}); err != nil {
		return err
	}
	_, err = fmt.Fprintf(env.stdout, "Key %s is revoked: it stops working within seconds.\n", f.ID)
	return err
}
