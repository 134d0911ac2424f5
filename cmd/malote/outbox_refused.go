package main

import (
	"context"
	"fmt"
	"regexp"
	"strconv"

	"github.com/malotehq/malote/internal/store/outbox"
)

type outboxRefusedCommand struct {
	outboxFlags
	Limit int  `help:"How many at most, the oldest first." default:"50"`
	JSON  bool `name:"json" help:"Print one JSON object a line."`
}

// Help implements kong.HelpProvider.
func (outboxRefusedCommand) Help() string {
	return `A row is refused when Malote cannot make an event of it: there is no such tenant, its body is too large, its
idempotency key belongs to another event. Nothing is lost: put the cause right, then malote outbox retry.

Example:
  malote outbox refused --dsn postgres://relay@db.example/shop`
}

// refusedView is what is shown of a refused row.
type refusedView struct {
	ID         string `json:"id"`
	Tenant     string `json:"tenant"`
	Type       string `json:"type"`
	ExternalID string `json:"external_id,omitempty"`
	Bytes      int64  `json:"bytes"`
	WrittenAt  string `json:"written_at"`
	RefusedAt  string `json:"refused_at"`
	Reason     string `json:"reason"`
}

// Run implements the command.
func (f *outboxRefusedCommand) Run(env *environment) error {
	if f.Limit <= 0 {
		return &usageError{"--limit must be more than 0"}
	}
	box, err := f.open()
	if err != nil {
		return err
	}
	defer box.Close()
	rows, err := box.Refused(env.ctx, f.Limit)
	if err != nil {
		return err
	}
	out := newTable(env.stdout)
	if !f.JSON {
		out.row("ID", "TENANT", "TYPE", "WRITTEN", "BYTES", "REASON")
	}
	for _, r := range rows {
		if f.JSON {
			fmt.Fprintf(env.stdout, "%s\n", encoded(viewOfRefused(r)))
			continue
		}
		out.row(r.ID, r.Tenant, r.Type, stamp(&r.WrittenAt), strconv.FormatInt(r.Bytes, 10), r.Reason)
	}
	out.flush()
	return nil
}

// apiTime is how the API writes an instant.
const apiTime = "2006-01-02T15:04:05.000Z07:00"

func viewOfRefused(r outbox.Refused) refusedView {
	return refusedView{
		ID: r.ID, Tenant: r.Tenant, Type: r.Type, ExternalID: r.ExternalID, Bytes: r.Bytes,
		WrittenAt: r.WrittenAt.UTC().Format(apiTime), RefusedAt: r.RefusedAt.UTC().Format(apiTime), Reason: r.Reason,
	}
}

type outboxRetryCommand struct {
	outboxFlags
	IDs []string `arg:"" optional:"" help:"The rows' ids, as malote outbox refused shows them."`
	All bool     `help:"All of them." env:"-"`
}

// Help implements kong.HelpProvider.
func (outboxRetryCommand) Help() string {
	return `Examples:
  malote outbox retry 5c5f2c84-33a5-4b2a-9d4e-0a4f5a9c7a52
  malote outbox retry --all --dsn postgres://relay@db.example/shop`
}

// Run implements the command.
func (f *outboxRetryCommand) Run(env *environment) error {
	if f.All == (len(f.IDs) > 0) {
		return &usageError{"name the rows to retry, or give --all"}
	}
	return f.change(env, f.IDs, (*outbox.Outbox).Retry, "put back into the outbox")
}

type outboxDiscardCommand struct {
	outboxFlags
	IDs []string `arg:"" help:"The rows' ids, as malote outbox refused shows them."`
}

// Help implements kong.HelpProvider.
func (outboxDiscardCommand) Help() string {
	return `Their events never happen.

Example:
  malote outbox discard 5c5f2c84-33a5-4b2a-9d4e-0a4f5a9c7a52`
}

// Run implements the command.
func (f *outboxDiscardCommand) Run(env *environment) error {
	return f.change(env, f.IDs, (*outbox.Outbox).Discard, "discarded")
}

// change does something to the refused rows that are named, and says what.
func (f *outboxFlags) change(
	env *environment, ids []string, do func(*outbox.Outbox, context.Context, []string) (int64, error), what string,
) error {
	if err := checkRowIDs(ids); err != nil {
		return err
	}
	box, err := f.open()
	if err != nil {
		return err
	}
	defer box.Close()
	n, err := do(box, env.ctx, ids)
	if err != nil {
		return err
	}
	return sayDone(env, n, len(ids), what)
}

var rowID = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)

func checkRowIDs(ids []string) error {
	for _, id := range ids {
		if !rowID.MatchString(id) {
			return &usageError{fmt.Sprintf("%q is not a row's id: malote outbox refused shows them", id)}
		}
	}
	return nil
}

// sayDone fails when fewer rows were there than were named.
func sayDone(env *environment, n int64, named int, what string) error {
	fmt.Fprintf(env.stdout, "%s %s.\n", counted(int(n), "row"), what)
	if missing := named - int(n); missing > 0 {
		return fmt.Errorf("%s not among the refused: malote outbox refused shows what is", counted(missing, "row"))
	}
	return nil
}
