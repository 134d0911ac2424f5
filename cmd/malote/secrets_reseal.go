package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/malotehq/malote/internal/seal"
	"github.com/malotehq/malote/internal/store/registry"
)

type sealingResealCommand struct{ sealingFlags }

// Help implements kong.HelpProvider.
func (sealingResealCommand) Help() string {
	return `Give it the keys that malote serve has, once all processes have been restarted with the new one: those that
do not have it could not sign any more. Everything goes on meanwhile, and it can be stopped and run again. In the end
the older keys are retired: a process that has nothing but them does not start any more.

Example:
  MALOTE_SECRET_KEY=NEW,OLD DATABASE_URL=postgres://… malote secrets reseal`
}

// Run implements the command.
func (f *sealingResealCommand) Run(env *environment) error {
	progress := env.progress("looking for what is not under the current key")
	defer progress.stop()
	s, keys, err := f.open(env)
	if err != nil {
		return err
	}
	defer s.Close()
	if len(keys) == 0 {
		return &usageError{"there is no key to seal with: set MALOTE_SECRET_KEY as for malote serve, or --data-dir to its own"}
	}
	ring := ringOf(keys)
	reg := registry.New(s, registry.Options{Sealer: ring})
	if err := admitKeys(env.ctx, reg, ring); err != nil {
		return err
	}
	changed, err := reg.Reseal(env.ctx, func(done, total int) { progress.say("sealing %s", bar(done, total)) })
	if err == nil {
		err = retireOldKeys(env.ctx, reg, ring.CurrentKey())
	}
	progress.stop()
	switch {
	case env.ctx.Err() != nil:
		return fmt.Errorf("%w after %s: run it again, and it goes on", errInterrupted, counted(changed, "value"))
	case err != nil:
		return err
	}
	fmt.Fprintf(env.stdout, "%s sealed anew; everything is under the key %s now.\n", counted(changed, "value"), ring.CurrentKey())
	if len(keys) > 1 {
		fmt.Fprintln(env.stdout, "Give every process this key alone, and restart it. Keep the older ones with the backups from before.")
	}
	return nil
}

// admitKeys makes sure that all there is can be opened.
func admitKeys(ctx context.Context, reg *registry.Registry, ring *seal.Keyring) error {
	err := reg.AdmitKeys(ctx, ring.KeyIDs())
	if foreign, ok := errors.AsType[*registry.ForeignKeysError](err); ok {
		return fmt.Errorf("the key %s was not given, under which secrets are sealed: give it after the current one in MALOTE_SECRET_KEY",
			strings.Join(foreign.Missing, ", "))
	}
	if err != nil {
		return asksDoctor(err)
	}
	return nil
}

// retireOldKeys retires them if nothing is under them, nor unsealed.
func retireOldKeys(ctx context.Context, reg *registry.Registry, current string) error {
	inUse, err := reg.KeysInUse(ctx)
	if err != nil {
		return err
	}
	behind := 0
	for id, values := range inUse {
		if id != current {
			behind += values
		}
	}
	if behind > 0 {
		return fmt.Errorf("%s not under the current key again: a process still seals under another one; give all of them the new key first, then run this again",
			areOf(behind))
	}
	return reg.RetireKeys(ctx, current)
}
