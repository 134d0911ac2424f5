package main

import (
	"fmt"
	"net/http"
	"os"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/malotehq/malote/client"
)

type eventsCommands struct {
	List eventsListCommand `cmd:"" help:"List a tenant's events, oldest first."`
	Show eventsShowCommand `cmd:"" help:"Show an event and its deliveries."`
	Body eventsBodyCommand `cmd:"" help:"Write an event's exact bytes."`
}

// Help implements kong.HelpProvider.
func (eventsCommands) Help() string {
	return `Example:
  malote events list --tenant acme --since 24h`
}

const eventsPath = "/v1/events"

// eventView is what is shown of an event.
type eventView struct {
	ID             string                         `json:"id"`
	Tenant         string                         `json:"tenant"`
	Type           string                         `json:"type"`
	ContentType    string                         `json:"content_type"`
	IdempotencyKey *string                        `json:"idempotency_key"`
	CoalesceKey    *string                        `json:"coalesce_key"`
	EntityVersion  *string                        `json:"entity_version"`
	ExternalID     *string                        `json:"external_id"`
	SourceID       *string                        `json:"source_id"`
	Headers        []struct{ Name, Value string } `json:"headers"`
	OccurredAt     *time.Time                     `json:"occurred_at"`
	AcceptedAt     *time.Time                     `json:"accepted_at"`
}

type eventsListCommand struct {
	apiFlags
	listFlags
	Tenant string  `help:"Whose events. With a tenant's key: that tenant's." placeholder:"TENANT"`
	Type   string  `help:"Only this type." placeholder:"TYPE" env:"-" own:""`
	Since  instant `help:"Accepted then or later: 2026-03-01T12:00:00Z, 2026-03-01, or 24h (ago)." placeholder:"WHEN"`
	Until  instant `help:"Accepted before, in the same forms." placeholder:"WHEN"`
}

// Help implements kong.HelpProvider.
func (eventsListCommand) Help() string {
	return `What did this customer get in the last week?

Example:
  malote events list --tenant acme --since 168h --limit 0`
}

// Run implements the command.
func (f *eventsListCommand) Run(env *environment) error {
	c, err := f.connect(env)
	if err != nil {
		return err
	}
	return list[eventView]{
		path: eventsPath, what: "events",
		query: queryOf("tenant", f.Tenant, "type", f.Type, "since", f.Since.rfc3339(), "until", f.Until.rfc3339()),
		head:  []string{"EVENT", "TYPE", "ACCEPTED", "EXTERNAL ID", "COALESCE KEY"},
		row: func(e eventView) []string {
			return []string{e.ID, e.Type, stamp(e.AcceptedAt), orAbsent(e.ExternalID), orAbsent(e.CoalesceKey)}
		},
	}.print(c, f.listFlags)
}

type eventsShowCommand struct {
	oneFlags
	ID string `arg:"" help:"The event's id, evt_…."`
}

// Help implements kong.HelpProvider.
func (eventsShowCommand) Help() string {
	return `Example:
  malote events show evt_01h455vb4pex5vsknk084sn02q`
}

// Run implements the command.
func (f *eventsShowCommand) Run(env *environment) error {
	c, err := f.connect(env)
	if err != nil {
		return err
	}
	event, got, err := fetch[eventView](c, client.Request{Method: http.MethodGet, Path: eventsPath + client.Path(f.ID)})
	if err != nil {
		return err
	}
	if f.JSON {
		return printAnswer(env.stdout, got)
	}
	now := time.Now()
	out := newTable(env.stdout)
	out.field("event", event.ID)
	out.field("tenant", event.Tenant)
	out.field("type", event.Type)
	out.field("content type", event.ContentType)
	out.field("source", orAbsent(event.SourceID))
	for _, header := range event.Headers {
		out.field("header", header.Name+": "+header.Value)
	}
	out.field("occurred", moment(event.OccurredAt, now))
	out.field("accepted", moment(event.AcceptedAt, now))
	out.field("external id", orAbsent(event.ExternalID))
	out.field("idempotency key", orAbsent(event.IdempotencyKey))
	out.field("coalesce key", orAbsent(event.CoalesceKey))
	out.field("entity version", orAbsent(event.EntityVersion))
	out.flush()
	fmt.Fprintln(env.stdout)
	return deliveriesOf(queryOf("event", event.ID)).print(c, listFlags{})
}

type eventsBodyCommand struct {
	apiFlags
	ID     string `arg:"" help:"The event's id, evt_…."`
	Output string `short:"o" help:"File to write; standard output if left out." placeholder:"FILE" type:"path"`
}

// Help implements kong.HelpProvider.
func (eventsBodyCommand) Help() string {
	return `The bytes are those that were signed and sent.

Example:
  malote events body evt_01h455vb4pex5vsknk084sn02q | jq .`
}

// Run implements the command.
func (f *eventsBodyCommand) Run(env *environment) error {
	c, err := f.connect(env)
	if err != nil {
		return err
	}
	got, err := c.do(client.Request{Method: http.MethodGet, Path: eventsPath + client.Path(f.ID, "body")})
	switch {
	case err != nil:
		return err
	case f.Output != "":
		return os.WriteFile(f.Output, got.Body, 0o600)
	case isTerminal(env.stdout) && commandsTerminal(got.Body):
		return fmt.Errorf("the body has bytes that a terminal would take for commands: write it to a file with --output FILE")
	}
	_, err = env.stdout.Write(got.Body)
	return err
}

// commandsTerminal says whether bytes hold more than text in lines.
func commandsTerminal(text []byte) bool {
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		if r == utf8.RuneError && size == 1 || !unicode.IsPrint(r) && r != '\n' && r != '\r' && r != '\t' {
			return true
		}
		text = text[size:]
	}
	return false
}
