package main

import (
	"fmt"
	"io"
	"time"

	"github.com/malotehq/malote/internal/store/outbox"
)

type outboxCommands struct {
	Install   outboxInstallCommand   `cmd:"" help:"Make or renew the outbox in an application's own database, and print the GRANTs."`
	Uninstall outboxUninstallCommand `cmd:"" help:"Remove it."`
	Status    outboxStatusCommand    `cmd:"" help:"How much waits, and for how long."`
	Refused   outboxRefusedCommand   `cmd:"" help:"List rows that cannot become events."`
	Retry     outboxRetryCommand     `cmd:"" help:"Try refused rows again."`
	Discard   outboxDiscardCommand   `cmd:"" help:"Remove refused rows for good."`
}

// Help implements kong.HelpProvider.
func (outboxCommands) Help() string {
	return `An outbox lets an application publish inside its own transaction: SELECT malote.publish('acme', 'invoice.paid', '{…}').
Malote's own database has one. malote outbox install makes one elsewhere; malote serve --outbox carries it.

Example:
  malote outbox status`
}

// outboxFlags name the database that an outbox is in.
type outboxFlags struct {
	storageFlags
	DSN string `name:"dsn" help:"The database of the outbox; Malote's own if left out. Better set as MALOTE_DSN: others can read command lines." placeholder:"URL"`
}

func (f *outboxFlags) open() (*outbox.Outbox, error) {
	if f.DSN != "" {
		return outbox.New(f.DSN), nil
	}
	dsn, err := f.dsn()
	if err != nil {
		return nil, err
	}
	return outbox.New(dsn), nil
}

type outboxStatusCommand struct {
	outboxFlags
	JSON bool `name:"json" help:"Print JSON."`
}

// Help implements kong.HelpProvider.
func (outboxStatusCommand) Help() string {
	return `Rows wait for moments: a malote serve with the role relay carries them twenty times a second.

Examples:
  malote outbox status
  malote outbox status --dsn postgres://relay@db.example/shop --json`
}

// outboxStatus is what is shown of an outbox.
type outboxStatus struct {
	Waiting   int64   `json:"waiting"`
	OldestAge float64 `json:"oldest_age_seconds"`
	Refused   int64   `json:"refused"`
}

// Run implements the command.
func (f *outboxStatusCommand) Run(env *environment) error {
	box, err := f.open()
	if err != nil {
		return err
	}
	defer box.Close()
	lag, err := box.Lag(env.ctx)
	if err != nil {
		return err
	}
	if f.JSON {
		_, err = fmt.Fprintf(env.stdout, "%s\n", encoded(outboxStatus{lag.Waiting, lag.Oldest.Seconds(), lag.Refused}))
		return err
	}
	sayLag(env.stdout, lag)
	return nil
}

func sayLag(out io.Writer, lag outbox.Lag) {
	switch {
	case lag.Waiting == 0:
		fmt.Fprintln(out, "Nothing waits.")
	default:
		fmt.Fprintf(out, "%s, the oldest for %s.\n", atLeast(lag.Waiting, "row waits", "rows wait"), brief(lag.Oldest.Round(time.Millisecond)))
	}
	if lag.Refused > 0 {
		fmt.Fprintf(out, "%s: see malote outbox refused.\n", atLeast(lag.Refused, "row was refused", "rows were refused"))
	}
}

// atLeast counts up to where the outbox does.
func atLeast(n int64, one, many string) string {
	switch {
	case n == 1:
		return "1 " + one
	case n >= outbox.CountedRows:
		return fmt.Sprintf("%d or more %s", n, many)
	default:
		return fmt.Sprintf("%d %s", n, many)
	}
}
