package main

import (
	"crypto/rand"
	"fmt"

	"github.com/malotehq/malote/internal/seal"
	"github.com/malotehq/malote/internal/store"
)

type sealingCommands struct {
	NewKey sealingNewKeyCommand `cmd:"" help:"Make a key that seals secrets."`
	Status sealingStatusCommand `cmd:"" help:"Count what is sealed, key by key."`
	Reseal sealingResealCommand `cmd:"" help:"Seal everything under the current key."`
}

// Help implements kong.HelpProvider.
func (sealingCommands) Help() string {
	return `Signing secrets and secret headers are sealed in the database (AES-256-GCM). To change the key:
  1. make one:               malote secrets new-key
  2. give every process      MALOTE_SECRET_KEY=NEW,OLD and restart it
  3. seal everything anew:   malote secrets reseal
  4. give every process      MALOTE_SECRET_KEY=NEW and restart it
Keep the old key as long as you keep backups from before.

Example:
  malote secrets status`
}

type sealingNewKeyCommand struct{}

// Help implements kong.HelpProvider.
func (sealingNewKeyCommand) Help() string {
	return `It is printed and kept nowhere.

Example:
  (umask 077; malote secrets new-key > secret-key)`
}

// Run implements the command.
func (sealingNewKeyCommand) Run(env *environment) error {
	key := seal.GenerateKey(rand.Reader)
	_, err := fmt.Fprintln(env.stdout, key.Reveal())
	fmt.Fprintf(env.stderr, "This is the key %s. Back it up apart from the database: without it, what it seals is lost.\n", key.ID())
	return err
}

// sealingFlags are shared by the commands that look at what is sealed: where it
// is, and the keys, as for malote serve.
type sealingFlags struct {
	storageFlags
	secretKeyFlags
}

// open opens the database and the keys; the store is the caller's to close.
func (f *sealingFlags) open(env *environment) (*store.Store, []seal.Key, error) {
	keys, err := f.under(f.DataDir)
	if err != nil {
		return nil, nil, err
	}
	dsn, err := f.dsn()
	if err != nil {
		return nil, nil, err
	}
	s, err := store.Open(env.ctx, store.Options{DSN: dsn, HotConnections: 1, Connections: 2})
	if err != nil {
		return nil, nil, databaseError(err)
	}
	return s, keys, nil
}
