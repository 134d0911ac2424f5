package main

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/malotehq/malote/internal/app"
	"github.com/malotehq/malote/internal/store/retention"
)

// serverFlags are shared by the commands that run a server.
type serverFlags struct {
	storageFlags
	exposureFlags
	inboundFlags
	dashboardFlags
	secretKeyFlags
	relayFlags
	mailFlags
	alertFlags
	tracingFlags
	AdminKey     string        `help:"An admin key that always works (24 characters or more). Better set as MALOTE_ADMIN_KEY." placeholder:"KEY"`
	Retention    time.Duration `help:"How long what happened is kept, at least 192h; what is open or dead stays longer." default:"720h"`
	MaxBodyBytes int           `help:"Largest event body, in bytes." default:"1048576"`
	MaxInFlight  int           `help:"Most deliveries in flight in this process." default:"64"`
	DrainTimeout time.Duration `help:"How long a stop waits for deliveries in flight." default:"20s"`
	LogFormat    string        `help:"text or json." enum:"text,json" default:"text"`
	LogLevel     slog.Level    `help:"debug, info, warn or error." default:"info"`
}

func (f *serverFlags) options(stderr io.Writer) (app.Options, error) {
	switch {
	case f.MaxBodyBytes <= 0 || f.MaxInFlight <= 0 || f.DrainTimeout < 0:
		return app.Options{}, &usageError{"--max-body-bytes and --max-in-flight must be more than 0, and --drain-timeout not less"}
	case f.Retention < retention.Shortest:
		return app.Options{}, &usageError{fmt.Sprintf("--retention must be %s or more: idempotency keys name events for 7 days", exact(retention.Shortest))}
	}
	keys, err := f.given()
	if err != nil {
		return app.Options{}, err
	}
	public, err := f.publicURL()
	if err != nil {
		return app.Options{}, err
	}
	outboxes, err := f.outboxes()
	if err != nil {
		return app.Options{}, err
	}
	mail, err := f.mailServer()
	if err != nil {
		return app.Options{}, err
	}
	alerts, err := f.alerts()
	if err != nil {
		return app.Options{}, err
	}
	otlp, err := f.endpoint()
	if err != nil {
		return app.Options{}, err
	}
	handler := slog.Handler(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: f.LogLevel}))
	if f.LogFormat == "json" {
		handler = slog.NewJSONHandler(stderr, &slog.HandlerOptions{Level: f.LogLevel})
	}
	return app.Options{
		DatabaseURL: f.DatabaseURL, DataDir: f.DataDir, Listen: f.Listen, AdminKey: f.AdminKey,
		AllowDestinations: f.AllowDestinations, RequireHTTPS: f.RequireHTTPS, SecretKeys: keys, Retention: f.Retention,
		PublicURL: public, TrustedProxies: f.TrustedProxies, PortalOrigins: f.PortalOrigins, Outboxes: outboxes, RelayPoll: f.RelayPoll,
		MailServer: mail, Alerts: alerts,
		OTLPEndpoint: otlp, TraceRatio: f.TraceRatio,
		MaxBodyBytes: f.MaxBodyBytes, MaxInFlight: f.MaxInFlight, DrainTimeout: f.DrainTimeout,
		Version: version(), Log: slog.New(handler),
	}, nil
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
  malote serve --role worker --listen :8421        one more worker on the same database
  MALOTE_OUTBOX=shop=postgres://… malote serve     also carries an application's outbox`
}

// Run implements the command.
func (c *serveCommand) Run(env *environment) error {
	collectRarely()
	options, err := c.options(env.stderr)
	if err != nil {
		return err
	}
	for _, role := range c.Role {
		options.Roles = append(options.Roles, app.Role(role))
	}
	_, err = os.Stat(filepath.Join(c.DataDir, secretKeyFile))
	hadKey := err == nil
	return app.Run(env.ctx, options, func(info app.Info) { announce(env.stdout, info, hadKey) })
}

// announce says where everything is. hadKey: the data directory had a key that
// seals secrets before this start.
func announce(out io.Writer, info app.Info, hadKey bool) {
	fmt.Fprintf(out, "Malote is ready at %s (dashboard; the API is under /v1, its documentation at /docs)\n", info.BaseURL)
	if info.PrivateData != "" {
		fmt.Fprintf(out, "Its PostgreSQL is private, under %s\n", info.PrivateData)
	}
	if info.WelcomeURL != "" {
		fmt.Fprintf(out, "Nobody can log in to the dashboard yet. Become its administrator, once and within 24 hours, at %s\n", info.WelcomeURL)
	}
	if info.KeyIsNew {
		fmt.Fprintf(out, "The first admin key is in %s\n", info.AdminKeyFile)
	}
	if info.SecretKeyFile != "" && !hadKey {
		fmt.Fprintf(out, "The key that seals secrets is in %s: back it up whenever you back up the database, which is of little use without it\n", info.SecretKeyFile)
	}
}
