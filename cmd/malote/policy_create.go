package main

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/malotehq/malote/client"
	"github.com/malotehq/malote/internal/policy"
)

type policyCreateCommand struct {
	oneFlags
	File string `arg:"" help:"The policy; - is standard input."`
}

// Help implements kong.HelpProvider.
func (policyCreateCommand) Help() string {
	return `Policies never change, because endpoints rely on them: a changed one needs a new name.
Creating the same one again does nothing.

Example:
  malote policy create mine.yaml`
}

// Run implements the command.
func (f *policyCreateCommand) Run(env *environment) error {
	name, source, err := readInput(env, f.File, policy.MaxSourceBytes)
	if err != nil {
		return err
	}
	if _, err := policy.Parse(source); err != nil {
		return errors.New(placed(name, err))
	}
	c, err := f.connect(env)
	if err != nil {
		return err
	}
	made, got, err := fetch[policyView](c, client.Request{
		Method: http.MethodPost, Path: policiesPath, IdempotencyKey: newOnceKey(), Body: encoded(map[string]string{"yaml": string(source)}),
	})
	switch {
	case err != nil:
		return err
	case f.JSON:
		return printAnswer(env.stdout, got)
	}
	_, err = fmt.Fprintf(env.stdout, "Endpoints can have the policy %s now.\n", made.Name)
	return err
}
