package main

import (
	"fmt"
	"net/http"
	"time"

	"github.com/malotehq/malote/client"
)

type secretsCommands struct {
	List   secretsListCommand   `cmd:"" help:"List the secrets that sign, newest first, without their values."`
	Add    secretsAddCommand    `cmd:"" help:"Add a secret that signs beside the others, at once."`
	Rotate secretsRotateCommand `cmd:"" help:"Add a secret and let the older ones expire."`
	Revoke secretsRevokeCommand `cmd:"" help:"Stop a secret from signing, at once."`
}

// Help implements kong.HelpProvider.
func (secretsCommands) Help() string {
	return `Example:
  malote endpoints secrets rotate whe_01h455vb4pex5vsknk084sn02q --overlap 48h`
}

// secretView is what is shown of a secret.
type secretView struct {
	ID        string     `json:"id"`
	CreatedAt *time.Time `json:"created_at"`
	ExpiresAt *time.Time `json:"expires_at"`
	Value     *string    `json:"value"`
}

type secretsListCommand struct {
	apiFlags
	listFlags
	ID string `arg:"" help:"The endpoint's id, whe_…."`
}

// Help implements kong.HelpProvider.
func (secretsListCommand) Help() string {
	return `Example:
  malote endpoints secrets list whe_01h455vb4pex5vsknk084sn02q`
}

// Run implements the command.
func (f *secretsListCommand) Run(env *environment) error {
	c, err := f.connect(env)
	if err != nil {
		return err
	}
	now := time.Now()
	return list[secretView]{
		path: endpointsPath + client.Path(f.ID, "secrets"), unpaged: true, what: "secrets",
		head: []string{"SECRET", "CREATED", "EXPIRES"},
		row: func(s secretView) []string {
			return []string{s.ID, moment(s.CreatedAt, now), moment(s.ExpiresAt, now)}
		},
	}.print(c, f.listFlags)
}

type secretsAddCommand struct {
	endpointFlags
	Secret string `help:"A secret of your own (whsec_… or whsk_…); one is made if left out. Better set as MALOTE_SECRET." placeholder:"SECRET"`
}

// Help implements kong.HelpProvider.
func (secretsAddCommand) Help() string {
	return `Example:
  malote endpoints secrets add whe_01h455vb4pex5vsknk084sn02q`
}

// Run implements the command.
func (f *secretsAddCommand) Run(env *environment) error {
	return f.makeSecret(env, f.path("secrets"), secretBody(f.Secret))
}

func secretBody(value string) map[string]any {
	body := map[string]any{}
	if value != "" {
		body["value"] = value
	}
	return body
}

type secretsRotateCommand struct {
	endpointFlags
	Secret  string        `help:"The new secret, if it is one of your own (whsec_… or whsk_…). Better set as MALOTE_SECRET." placeholder:"SECRET"`
	Overlap time.Duration `help:"How long the older ones go on signing beside it, up to 720h." default:"24h"`
}

// Help implements kong.HelpProvider.
func (secretsRotateCommand) Help() string {
	return `During the overlap every attempt is signed with both, so that the receiver has time to change over.

Example:
  malote endpoints secrets rotate whe_01h455vb4pex5vsknk084sn02q --overlap 48h`
}

// Run implements the command.
func (f *secretsRotateCommand) Run(env *environment) error {
	body := secretBody(f.Secret)
	body["overlap"] = f.Overlap.String()
	return f.makeSecret(env, f.path("secrets", "rotate"), body)
}

// makeSecret sends a request that makes a secret, and shows it, this once.
func (f *endpointFlags) makeSecret(env *environment, path string, body map[string]any) error {
	c, err := f.connect(env)
	if err != nil {
		return err
	}
	secret, got, err := fetch[secretView](c, client.Request{Method: http.MethodPost, Path: path, Body: encoded(body), IdempotencyKey: newOnceKey()})
	if err != nil {
		return err
	}
	if secret.Value == nil {
		fmt.Fprintf(env.stderr, "The secret %s was made, but its value got lost on the way: revoke it and add another.\n", secret.ID)
	}
	if f.JSON {
		return printAnswer(env.stdout, got)
	}
	out := newTable(env.stdout)
	out.field("secret id", secret.ID)
	out.field("created", moment(secret.CreatedAt, time.Now()))
	out.field("secret", orAbsent(secret.Value))
	out.flush()
	if secret.Value != nil {
		fmt.Fprintln(env.stderr, "The secret is shown this once: keep it where the receiver verifies signatures.")
	}
	return nil
}

type secretsRevokeCommand struct {
	apiFlags
	ID     string `arg:"" help:"The endpoint's id, whe_…."`
	Secret string `arg:"" help:"The secret's id, sec_…, not the secret itself."`
}

// Help implements kong.HelpProvider.
func (secretsRevokeCommand) Help() string {
	return `Without any secret nothing is sent: every attempt fails with no_secret.

Example:
  malote endpoints secrets revoke whe_01h455vb4pex5vsknk084sn02q sec_01h455vb4pex5vsknk084sn02q`
}

// Run implements the command.
func (f *secretsRevokeCommand) Run(env *environment) error {
	c, err := f.connect(env)
	if err != nil {
		return err
	}
	if _, err := c.do(client.Request{Method: http.MethodDelete, Path: endpointsPath + client.Path(f.ID, "secrets", f.Secret)}); err != nil {
		return err
	}
	_, err = fmt.Fprintf(env.stdout, "Secret %s is revoked: it signs nothing any more.\n", f.Secret)
	return err
}
