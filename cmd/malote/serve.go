package main

import (
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/malotehq/malote/internal/app"
)

// serverFlags are shared by the commands that run a server.
type serverFlags struct {
	storageFlags
	exposureFlags
	AdminKey     string        `help:"An admin key that always works (24 characters or more). Better set as MALOTE_ADMIN_KEY." placeholder:"KEY"`
	MaxBodyBytes int           `help:"Largest event body, in bytes." default:"1048576"`
	MaxInFlight  int           `help:"Most deliveries in flight in this process." default:"64"`
	DrainTimeout time.Duration `help:"How long a stop waits for deliveries in flight." default:"20s"`
	LogFormat    string        `help:"text or json." enum:"text,json" default:"text"`
	LogLevel     slog.Level    `help:"debug, info, warn or error." default:"info"`
}

func (f *serverFlags) options(stderr io.Writer) app.Options {
	handler := slog.Handler(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: f.LogLevel}))
	if f.LogFormat == "json" {
		handler = slog.NewJSONHandler(stderr, &slog.HandlerOptions{Level: f.LogLevel})
	}
	return app.Options{
		DatabaseURL: f.DatabaseURL, DataDir: f.DataDir, Listen: f.Listen, AdminKey: f.AdminKey,
		AllowDestinations: f.AllowDestinations, RequireHTTPS: f.RequireHTTPS,
		MaxBodyBytes: f.MaxBodyBytes, MaxInFlight: f.MaxInFlight, DrainTimeout: f.DrainTimeout,
		Version: version(), Log: slog.New(handler),
	}
}

type serveCommand struct {
	serverFlags
	Role []string `help:"What this process does: ${roles}; all of it if left out." enum:"${roles}" placeholder:"ROLE"`
}

// Help implements kong.HelpProvider.
func (serveCommand) Help() string {
	return `Examples:
  malote serve                                     everything, with a private PostgreSQL
  DATABASE_URL=postgres://… malote serve           everything, with your PostgreSQL
  malote serve --role worker --listen :8421        one more worker on the same database`
}

// Run implements the command.
func (c *serveCommand) Run(env *environment) error {
	if c.MaxBodyBytes <= 0 || c.MaxInFlight <= 0 || c.DrainTimeout < 0 {
		return &usageError{"--max-body-bytes and --max-in-flight must be more than 0, and --drain-timeout not less"}
	}
	options := c.options(env.stderr)
	for _, role := range c.Role {
		options.Roles = append(options.Roles, app.Role(role))
	}
	return app.Run(env.ctx, options, func(info app.Info) { announce(env.stdout, info) })
}

func announce(out io.Writer, info app.Info) {
	fmt.Fprintf(out, "Malote is ready at %s (API; its documentation is at /docs)\n", info.BaseURL)
	if info.PrivateData != "" {
		fmt.Fprintf(out, "Its PostgreSQL is private, under %s\n", info.PrivateData)
	}
	if info.KeyIsNew {
		fmt.Fprintf(out, "The first admin key is in %s\n", info.AdminKeyFile)
	}
}
