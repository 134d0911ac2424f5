package main

import (
	"fmt"
	"net/http"

	"github.com/malotehq/malote/client"
)

// changeUser sends a request about one user, and says what came of it.
func (f *usersFlags) changeUser(env *environment, name string, ask func(path string) client.Request, done string) error {
	return f.with(env, func(c *connection) error {
		user, err := findUser(c, name)
		if err != nil {
			return err
		}
		if _, err := c.do(ask(usersPath + client.Path(user.ID))); err != nil {
			return err
		}
		_, err = fmt.Fprintf(env.stdout, "%s %s.\n", clean(user.Name), done)
		return err
	})
}

type usersRoleCommand struct {
	usersFlags
	User string `arg:"" help:"The user's name or id."`
	Role string `arg:"" help:"What the user may do: ${enum}." enum:"viewer,support,admin"`
}

// Help implements kong.HelpProvider.
func (usersRoleCommand) Help() string {
	return `Example:
  malote users role ana@example.com admin`
}

// Run implements the command.
func (f *usersRoleCommand) Run(env *environment) error {
	return f.changeUser(env, f.User, func(path string) client.Request {
		return client.Request{Method: http.MethodPatch, Path: path, Body: encoded(map[string]any{"role": f.Role})}
	}, "has the role "+f.Role+" now")
}

type usersDisableCommand struct {
	usersFlags
	User string `arg:"" help:"The user's name or id."`
}

// Help implements kong.HelpProvider.
func (usersDisableCommand) Help() string {
	return `Example:
  malote users disable ana@example.com`
}

// Run implements the command.
func (f *usersDisableCommand) Run(env *environment) error {
	return f.changeUser(env, f.User, func(path string) client.Request {
		return client.Request{Method: http.MethodPost, Path: path + "/disable"}
	}, "is disabled, and logged out everywhere")
}

type usersEnableCommand struct {
	usersFlags
	User string `arg:"" help:"The user's name or id."`
}

// Help implements kong.HelpProvider.
func (usersEnableCommand) Help() string {
	return `Example:
  malote users enable ana@example.com`
}

// Run implements the command.
func (f *usersEnableCommand) Run(env *environment) error {
	return f.changeUser(env, f.User, func(path string) client.Request {
		return client.Request{Method: http.MethodPost, Path: path + "/enable"}
	}, "may log in again")
}

type usersDeleteCommand struct {
	usersFlags
	User string `arg:"" help:"The user's name or id."`
}

// Help implements kong.HelpProvider.
func (usersDeleteCommand) Help() string {
	return `Example:
  malote users delete ana@example.com`
}

// Run implements the command.
func (f *usersDeleteCommand) Run(env *environment) error {
	return f.changeUser(env, f.User, func(path string) client.Request {
		return client.Request{Method: http.MethodDelete, Path: path}
	}, "is deleted, and logged out everywhere")
}
