package main

import (
	"fmt"
	"net/http"
	"time"

	"github.com/malotehq/malote/client"
)

type sourceSecretsCommands struct {
	List   sourceSecretsListCommand   `cmd:"" help:"List the secrets that are taken, newest first, without their values."`
	Add    sourceSecretsAddCommand    `cmd:"" help:"Add a secret that is taken beside the others."`
	Rotate sourceSecretsRotateCommand `cmd:"" help:"Add the provider's new secret and let the older ones expire."`
	Revoke sourceSecretsRevokeCommand `cmd:"" help:"Take a secret no more, at once."`
}

// Help implements kong.HelpProvider.
func (sourceSecretsCommands) Help() string {
	return `Example:
  MALOTE_SECRET=… malote sources secrets rotate src_01h455vb4pex5vsknk084sn02q --overlap 48h`
}

// sourceSecretView is what is shown of a source's secret.
type sourceSecretView struct {
	ID        string     `json:"id"`
	Name      string     `json:"name"`
	Role      string     `json:"role"`
	CreatedAt *time.Time `json:"created_at"`
	ExpiresAt *time.Time `json:"expires_at"`
}

type sourceSecretsListCommand struct {
	apiFlags
	listFlags
	ID string `arg:"" help:"The source's id, src_…."`
}

// Help implements kong.HelpProvider.
func (sourceSecretsListCommand) Help() string {
	return `Example:
  malote sources secrets list src_01h455vb4pex5vsknk084sn02q`
}

// Run implements the command.
func (f *sourceSecretsListCommand) Run(env *environment) error {
	c, err := f.connect(env)
	if err != nil {
		return err
	}
	now := time.Now()
	return list[sourceSecretView]{
		path: sourcesPath + client.Path(f.ID, "secrets"), unpaged: true, what: "secrets",
		head: []string{"SECRET", "NAME", "ROLE", "CREATED", "EXPIRES"},
		row: func(s sourceSecretView) []string {
			return []string{s.ID, s.Name, s.Role, moment(s.CreatedAt, now), moment(s.ExpiresAt, now)}
		},
	}.print(c, f.listFlags)
}

// newSourceSecretFlags say which secret a source gets.
type newSourceSecretFlags struct {
	Secret string `help:"The secret, exactly as the provider shows it. Better set as MALOTE_SECRET: others can read command lines." placeholder:"SECRET"`
	Name   string `help:"What to call it; its id if left out." placeholder:"TEXT" env:"-" own:""`
	Role   string `help:"What it may be used for: any, signature (not what a handshake brings), handshake (nothing but that), or repair (it opens the provider's API)." enum:"any,signature,handshake,repair" default:"any" placeholder:"ROLE" env:"-" own:""`
}

func (f *newSourceSecretFlags) body() (map[string]any, error) {
	if f.Secret == "" {
		return nil, &usageError{"there is no secret: set MALOTE_SECRET to what the provider shows"}
	}
	body := map[string]any{"value": f.Secret, "role": f.Role}
	if f.Name != "" {
		body["name"] = f.Name
	}
	return body, nil
}

type sourceSecretsAddCommand struct {
	sourceFlags
	newSourceSecretFlags
}

// Help implements kong.HelpProvider.
func (sourceSecretsAddCommand) Help() string {
	return `Example:
  MALOTE_SECRET=whsec_… malote sources secrets add src_01h455vb4pex5vsknk084sn02q --name live`
}

// Run implements the command.
func (f *sourceSecretsAddCommand) Run(env *environment) error {
	body, err := f.body()
	if err != nil {
		return err
	}
	return f.addSecret(env, f.path("secrets"), body)
}

type sourceSecretsRotateCommand struct {
	sourceFlags
	newSourceSecretFlags
	Overlap time.Duration `help:"How long the older ones of the same role go on being taken beside it, up to 720h." default:"24h"`
}

// Help implements kong.HelpProvider.
func (sourceSecretsRotateCommand) Help() string {
	return `During the overlap either is taken, so that nothing is lost while the provider changes over.

Example:
  MALOTE_SECRET=whsec_… malote sources secrets rotate src_01h455vb4pex5vsknk084sn02q --overlap 48h`
}

// Run implements the command.
func (f *sourceSecretsRotateCommand) Run(env *environment) error {
	body, err := f.body()
	if err != nil {
		return err
	}
	body["overlap"] = f.Overlap.String()
	return f.addSecret(env, f.path("secrets", "rotate"), body)
}

func (f *sourceFlags) addSecret(env *environment, path string, body map[string]any) error {
	c, err := f.connect(env)
	if err != nil {
		return err
	}
	added, got, err := fetch[sourceSecretView](c, client.Request{Method: http.MethodPost, Path: path, Body: encoded(body), IdempotencyKey: newOnceKey()})
	if err != nil {
		return err
	}
	if f.JSON {
		return printAnswer(env.stdout, got)
	}
	_, err = fmt.Fprintf(env.stdout, "Secret %s (%s) is taken from now on.\n", clean(added.Name), added.ID)
	return err
}

type sourceSecretsRevokeCommand struct {
	apiFlags
	ID     string `arg:"" help:"The source's id, src_…."`
	Secret string `arg:"" help:"The secret's id, sec_…, not the secret itself."`
}

// Help implements kong.HelpProvider.
func (sourceSecretsRevokeCommand) Help() string {
	return `Example:
  malote sources secrets revoke src_01h455vb4pex5vsknk084sn02q sec_01h455vb4pex5vsknk084sn02q`
}

// Run implements the command.
func (f *sourceSecretsRevokeCommand) Run(env *environment) error {
	c, err := f.connect(env)
	if err != nil {
		return err
	}
	if _, err := c.do(client.Request{Method: http.MethodDelete, Path: sourcesPath + client.Path(f.ID, "secrets", f.Secret)}); err != nil {
		return err
	}
	_, err = fmt.Fprintf(env.stdout, "Secret %s is revoked: nothing that it signed is taken any more.\n", f.Secret)
	return err
}
