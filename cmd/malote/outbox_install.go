package main

import (
	"errors"
	"fmt"

	"github.com/malotehq/malote/internal/store/outbox"
)

type outboxInstallCommand struct {
	DSN        string   `name:"dsn" required:"" help:"The application's database, as a role that may create a schema. Better set as MALOTE_DSN: others can read command lines." placeholder:"URL"`
	Publishers []string `name:"publisher" help:"Role that the application connects as, for the GRANTs." placeholder:"ROLE"`
	Relays     []string `name:"relay" help:"Role that malote serve connects as, for the GRANTs." placeholder:"ROLE"`
	Uninstall  bool     `help:"Remove it instead, as malote outbox uninstall does." env:"-"`
}

// Help implements kong.HelpProvider.
func (outboxInstallCommand) Help() string {
	return `Works with PostgreSQL 13 and newer. It makes the schema malote with the outbox and its functions, or brings
one of an older version up to date, and prints the GRANTs that the application and the relay need. It grants nothing itself.
Malote's own database has its outbox already.

Examples:
  malote outbox install --dsn postgres://owner@db.example/shop --publisher shop --relay malote_relay
  malote outbox install --dsn postgres://owner@db.example/shop --publisher shop --relay malote_relay | psql postgres://owner@db.example/shop`
}

// Run implements the command.
func (f *outboxInstallCommand) Run(env *environment) error {
	if f.Uninstall {
		return (&outboxUninstallCommand{DSN: f.DSN}).Run(env)
	}
	progress := env.progress("installing the outbox")
	defer progress.stop()
	version, err := outbox.Install(env.ctx, f.DSN)
	if errors.Is(err, outbox.ErrIsMalote) {
		return fmt.Errorf("%w: applications that share it need only the GRANTs in the guide", err)
	}
	if err != nil {
		return err
	}
	progress.stop()
	// The statements go to standard output alone, so that they can be piped.
	fmt.Fprintf(env.stderr, "The outbox is installed, version %d. Now grant, as its owner:\n", version)
	publishers, relays := f.Publishers, f.Relays
	if len(publishers) == 0 {
		publishers = []string{"your_application"}
	}
	if len(relays) == 0 {
		relays = []string{"malote_relay"}
	}
	for _, statement := range outbox.Grants(publishers, relays) {
		fmt.Fprintln(env.stdout, statement+";")
	}
	return nil
}

type outboxUninstallCommand struct {
	DSN      string `name:"dsn" required:"" help:"The application's database, as the role that installed the outbox. Better set as MALOTE_DSN." placeholder:"URL"`
	LoseRows bool   `help:"Remove it although rows are in it: their events never happen."`
}

// Help implements kong.HelpProvider.
func (outboxUninstallCommand) Help() string {
	return `Refuses while rows wait or were refused. Stop whatever publishes first: from then on malote.publish() does not exist.

Example:
  malote outbox uninstall --dsn postgres://owner@db.example/shop`
}

// Run implements the command.
func (f *outboxUninstallCommand) Run(env *environment) error {
	err := outbox.Uninstall(env.ctx, f.DSN, f.LoseRows)
	if held, notEmpty := errors.AsType[*outbox.NotEmptyError](err); notEmpty {
		return fmt.Errorf("%w: let malote serve carry what waits, see malote outbox refused, or lose them all with --lose-rows", held)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(env.stdout, "The outbox is gone.")
	return err
}
