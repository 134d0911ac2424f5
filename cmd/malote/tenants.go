package main

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/malotehq/malote/client"
)

type tenantsCommands struct {
	List   tenantsListCommand   `cmd:"" help:"List tenants."`
	Create tenantsCreateCommand `cmd:"" help:"Create a tenant."`
	Show   tenantsShowCommand   `cmd:"" help:"Show a tenant."`
	Update tenantsUpdateCommand `cmd:"" help:"Change a tenant."`
	Delete tenantsDeleteCommand `cmd:"" help:"Delete a tenant that has no endpoints any more."`
}

// Help implements kong.HelpProvider.
func (tenantsCommands) Help() string {
	return `A tenant owns endpoints, events and keys; nothing is seen across tenants.

Example:
  malote tenants create acme`
}

// tenantView is what is shown of a tenant.
type tenantView struct {
	ID               string     `json:"id"`
	Name             string     `json:"name"`
	Priority         int        `json:"priority"`
	AlertEmails      []string   `json:"alert_emails"`
	TechnicalContact string     `json:"technical_contact"`
	CreatedAt        *time.Time `json:"created_at"`
}

const tenantsPath = "/v1/tenants"

type tenantsListCommand struct {
	apiFlags
	listFlags
}

// Help implements kong.HelpProvider.
func (tenantsListCommand) Help() string {
	return `Example:
  malote tenants list`
}

// Run implements the command.
func (f *tenantsListCommand) Run(env *environment) error {
	c, err := f.connect(env)
	if err != nil {
		return err
	}
	return list[tenantView]{
		path: tenantsPath, what: "tenants",
		head: []string{"TENANT", "NAME", "PRIORITY", "ALERTS", "CREATED"},
		row: func(t tenantView) []string {
			return []string{t.ID, t.Name, strconv.Itoa(t.Priority), strings.Join(t.AlertEmails, " "), stamp(t.CreatedAt)}
		},
	}.print(c, f.listFlags)
}

// oneFlags are shared by the commands that show one thing.
type oneFlags struct {
	apiFlags
	JSON bool `name:"json" help:"Print the API's JSON."`
}

type tenantsCreateCommand struct {
	oneFlags
	Tenant     string   `arg:"" help:"Your own name for it: letters, digits, _, . and -."`
	Name       string   `help:"Its name as people know it."`
	Priority   int      `help:"0 to ${max_priority}: while capacity is short, each endpoint of a tenant with priority p gets p+1 deliveries for every one of an endpoint with priority 0."`
	AlertEmail []string `help:"Who is told when a delivery is dead; up to 5." placeholder:"ADDRESS"`
	Contact    string   `help:"Who is told when an endpoint fails for days." placeholder:"ADDRESS"`
}

// Help implements kong.HelpProvider.
func (tenantsCreateCommand) Help() string {
	return `Example:
  malote tenants create acme --name "Acme Ltd." --alert-email ops@acme.example`
}

// Run implements the command.
func (f *tenantsCreateCommand) Run(env *environment) error {
	body := map[string]any{"id": f.Tenant, "name": f.Name, "priority": f.Priority, "technical_contact": f.Contact}
	if len(f.AlertEmail) > 0 {
		body["alert_emails"] = f.AlertEmail
	}
	return f.showTenant(env, client.Request{Method: http.MethodPost, Path: tenantsPath, Body: encoded(body), IdempotencyKey: newOnceKey()})
}

// showTenant sends a request that answers with a tenant.
func (f *oneFlags) showTenant(env *environment, req client.Request) error {
	c, err := f.connect(env)
	if err != nil {
		return err
	}
	tenant, got, err := fetch[tenantView](c, req)
	if err != nil {
		return err
	}
	if f.JSON {
		return printAnswer(env.stdout, got)
	}
	out := newTable(env.stdout)
	out.field("tenant", tenant.ID)
	out.field("name", tenant.Name)
	out.field("priority", strconv.Itoa(tenant.Priority))
	out.field("alerts", strings.Join(tenant.AlertEmails, " "))
	out.field("contact", tenant.TechnicalContact)
	out.field("created", moment(tenant.CreatedAt, time.Now()))
	out.flush()
	return nil
}

type tenantsShowCommand struct {
	oneFlags
	Tenant string `arg:"" help:"The tenant."`
}

// Help implements kong.HelpProvider.
func (tenantsShowCommand) Help() string {
	return `Example:
  malote tenants show acme`
}

// Run implements the command.
func (f *tenantsShowCommand) Run(env *environment) error {
	return f.showTenant(env, client.Request{Method: http.MethodGet, Path: tenantsPath + client.Path(f.Tenant)})
}

type tenantsUpdateCommand struct {
	oneFlags
	Tenant     string   `arg:"" help:"The tenant."`
	Name       *string  `help:"Its name as people know it."`
	Priority   *int     `help:"0 to ${max_priority}: while capacity is short, each endpoint of a tenant with priority p gets p+1 deliveries for every one of an endpoint with priority 0."`
	AlertEmail []string `help:"Who is told when a delivery is dead, instead of those before." placeholder:"ADDRESS"`
	NoAlerts   bool     `help:"Nobody is told when a delivery is dead."`
	Contact    *string  `help:"Who is told when an endpoint fails for days." placeholder:"ADDRESS"`
}

// Help implements kong.HelpProvider.
func (tenantsUpdateCommand) Help() string {
	return `Example:
  malote tenants update acme --priority 10`
}

// Run implements the command.
func (f *tenantsUpdateCommand) Run(env *environment) error {
	patch := map[string]any{}
	setIfGiven(patch, "name", f.Name)
	setIfGiven(patch, "priority", f.Priority)
	setIfGiven(patch, "technical_contact", f.Contact)
	switch {
	case f.NoAlerts && len(f.AlertEmail) > 0:
		return &usageError{"--no-alerts and --alert-email contradict each other: give one of them"}
	case f.NoAlerts:
		patch["alert_emails"] = []string{}
	case len(f.AlertEmail) > 0:
		patch["alert_emails"] = f.AlertEmail
	}
	if len(patch) == 0 {
		return &usageError{"there is nothing to change: give --name, --priority, --alert-email, --no-alerts or --contact"}
	}
	return f.showTenant(env, client.Request{Method: http.MethodPatch, Path: tenantsPath + client.Path(f.Tenant), Body: encoded(patch)})
}

// setIfGiven puts what the user gave into a patch.
func setIfGiven[T any](patch map[string]any, name string, value *T) {
	if value != nil {
		patch[name] = *value
	}
}

type tenantsDeleteCommand struct {
	apiFlags
	Tenant string `arg:"" help:"The tenant."`
}

// Help implements kong.HelpProvider.
func (tenantsDeleteCommand) Help() string {
	return `Example:
  malote tenants delete acme`
}

// Run implements the command.
func (f *tenantsDeleteCommand) Run(env *environment) error {
	c, err := f.connect(env)
	if err != nil {
		return err
	}
	if _, err := c.do(client.Request{Method: http.MethodDelete, Path: tenantsPath + client.Path(f.Tenant)}); err != nil {
		return err
	}
	_, err = fmt.Fprintf(env.stdout, "Tenant %s is deleted; its keys stop working within seconds.\n", f.Tenant)
	return err
}
