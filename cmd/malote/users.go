package main

import (
	"fmt"
	"net/http"
	"time"

	"github.com/malotehq/malote/client"
)

type usersCommands struct {
	List    usersListCommand    `cmd:"" help:"List users, disabled ones included."`
	Invite  usersInviteCommand  `cmd:"" help:"Create a user, with a one-time link to set a password."`
	Link    usersLinkCommand    `cmd:"" help:"Make a user a new one-time link, for a password that was forgotten."`
	Role    usersRoleCommand    `cmd:"" help:"Change what a user may do."`
	Disable usersDisableCommand `cmd:"" help:"Log a user out, and let the user in no more."`
	Enable  usersEnableCommand  `cmd:"" help:"Let a disabled user in again."`
	Delete  usersDeleteCommand  `cmd:"" help:"Delete a user."`
}

// Help implements kong.HelpProvider.
func (usersCommands) Help() string {
	return `Users log in to the dashboard. A viewer looks; support also replays, resolves and pauses; an admin
also sets up, and lets others in.

With --in-database all of this works without a server and without an API key, for who is locked
out: in the database of DATABASE_URL, or in the private one that runs under --data-dir.

Examples:
  malote users invite --role admin you@example.com
  malote users link you@example.com --in-database`
}

const usersPath = "/v1/users"

// userView is what is shown of a user.
type userView struct {
	ID         string     `json:"id"`
	Name       string     `json:"name"`
	Role       string     `json:"role"`
	CreatedAt  *time.Time `json:"created_at"`
	PasswordAt *time.Time `json:"password_at"`
	SeenAt     *time.Time `json:"seen_at"`
	DisabledAt *time.Time `json:"disabled_at"`
	Link       *linkView  `json:"link"`
}

// linkView is a one-time link: whoever reads it can become the user.
type linkView struct {
	Path    string  `json:"path"`
	URL     *string `json:"url"`
	Seconds int64   `json:"expires_in_seconds"`
}

// state says in a word whether the user can come in.
func (u userView) state() string {
	switch {
	case u.DisabledAt != nil:
		return "disabled"
	case u.PasswordAt == nil:
		return "invited"
	default:
		return "active"
	}
}

type usersListCommand struct {
	usersFlags
	listFlags
}

// Help implements kong.HelpProvider.
func (usersListCommand) Help() string {
	return `Example:
  malote users list`
}

// Run implements the command.
func (f *usersListCommand) Run(env *environment) error {
	return f.with(env, func(c *connection) error {
		return list[userView]{
			path: usersPath, what: "users", head: []string{"USER ID", "NAME", "ROLE", "STATE", "LAST LOG-IN"},
			row: func(u userView) []string { return []string{u.ID, u.Name, u.Role, u.state(), stamp(u.SeenAt)} },
		}.print(c, f.listFlags)
	})
}

type usersInviteCommand struct {
	usersFlags
	JSON bool   `name:"json" help:"Print the API's JSON."`
	Role string `help:"What the user may do: ${enum}." enum:"viewer,support,admin" required:"" placeholder:"ROLE"`
	Name string `arg:"" help:"An e-mail address, or another name to log in with."`
}

// Help implements kong.HelpProvider.
func (usersInviteCommand) Help() string {
	return `Example:
  malote users invite --role support ana@example.com`
}

// Run implements the command.
func (f *usersInviteCommand) Run(env *environment) error {
	return f.with(env, func(c *connection) error {
		made, got, err := fetch[userView](c, client.Request{
			Method: http.MethodPost, Path: usersPath, Body: encoded(map[string]any{"name": f.Name, "role": f.Role}), IdempotencyKey: newOnceKey(),
		})
		if err != nil {
			return err
		}
		if f.JSON {
			return printAnswer(env.stdout, got)
		}
		out := newTable(env.stdout)
		out.field("user id", made.ID)
		out.field("name", made.Name)
		out.field("role", made.Role)
		out.flush()
		if made.Link == nil {
			fmt.Fprintf(env.stderr, "%s was invited, but the link got lost on the way: malote users link makes another.\n", clean(made.Name))
			return nil
		}
		return f.showLink(env, made.Name, *made.Link)
	})
}

type usersLinkCommand struct {
	usersFlags
	JSON bool   `name:"json" help:"Print the API's JSON."`
	User string `arg:"" help:"The user's name or id."`
}

// Help implements kong.HelpProvider.
func (usersLinkCommand) Help() string {
	return `Links from before stop working. The password from before works until the new link is used.

Examples:
  malote users link ana@example.com
  malote users link you@example.com --in-database    if you are locked out`
}

// Run implements the command.
func (f *usersLinkCommand) Run(env *environment) error {
	return f.with(env, func(c *connection) error {
		user, err := findUser(c, f.User)
		if err != nil {
			return err
		}
		link, got, err := fetch[linkView](c, client.Request{Method: http.MethodPost, Path: usersPath + client.Path(user.ID, "link")})
		if err != nil {
			return err
		}
		if f.JSON {
			return printAnswer(env.stdout, got)
		}
		return f.showLink(env, user.Name, link)
	})
}
