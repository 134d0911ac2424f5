package main

import (
	"fmt"
	"time"

	"github.com/malotehq/malote/internal/receiver"
	"github.com/malotehq/malote/webhook"
)

type listenCommand struct {
	Addr string `arg:"" optional:"" name:"addr" help:"Where to listen." default:"127.0.0.1:8421"`

	Secret    []string      `help:"The endpoint's signing secret, whsec_… or whpk_…; repeat it during a rotation. Better set as MALOTE_SECRET. Without it nothing is verified." placeholder:"SECRET"`
	Scheme    string        `help:"How signatures are made: ${enum}." enum:"${schemes}" default:"${scheme}"`
	Status    int           `help:"Answer with this status." placeholder:"CODE"`
	Delay     time.Duration `help:"Answer so much later, such as 2s."`
	FailFirst int           `help:"Let so many requests fail (with --status, or 500) before it answers 200." placeholder:"N"`
}

// Help implements kong.HelpProvider.
func (listenCommand) Help() string {
	return `Verifies signatures, recognises repetitions, and prints a line for every webhook until it is stopped.
For Malote to call it, start that with --allow-destinations 127.0.0.0/8.

Examples:
  malote listen --secret whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw
  malote listen 127.0.0.1:9000 --fail-first 3 --delay 500ms`
}

// Run implements the command.
func (f *listenCommand) Run(env *environment) error {
	manner, err := receiver.Told(f.Status, f.Delay, f.FailFirst)
	if err != nil {
		return &usageError{err.Error()}
	}
	verifier, err := f.verifier()
	if err != nil {
		return &usageError{err.Error()}
	}
	err = receiver.New(receiver.Options{
		Verifier: verifier, Manner: manner, Out: env.stdout, Color: isTerminal(env.stdout),
	}).Serve(env.ctx, f.Addr)
	if err != nil {
		return fmt.Errorf("%w; give an address that is free, as host:port", err)
	}
	return nil
}

// verifier is nil without a secret.
func (f *listenCommand) verifier() (*webhook.Verifier, error) {
	if len(f.Secret) == 0 {
		return nil, nil
	}
	secrets := make([]webhook.Secret, len(f.Secret))
	for i, text := range f.Secret {
		var err error
		if secrets[i], err = webhook.ParseSecret(text); err != nil {
			return nil, fmt.Errorf("--secret cannot be used: %w", err)
		}
	}
	return webhook.NewVerifier(secrets, webhook.WithScheme(webhook.Scheme(f.Scheme)))
}
