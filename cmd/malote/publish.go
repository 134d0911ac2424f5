package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
	"unicode/utf8"

	"github.com/malotehq/malote/client"
)

type publishCommand struct {
	oneFlags
	Type string `arg:"" help:"What happened, such as invoice.paid."`
	File string `arg:"" optional:"" help:"File with the data, as JSON; - is standard input."`

	Tenant        string   `help:"Whose event it is. With a tenant's key: that tenant." placeholder:"TENANT"`
	Data          *string  `help:"The data, as JSON, instead of a file." placeholder:"JSON" env:"-" own:""`
	Raw           bool     `help:"Send the file's bytes as the whole body, whatever they are."`
	ContentType   string   `help:"What the bytes of --raw are; application/json if left out." placeholder:"TYPE"`
	Key           string   `help:"Idempotency key: a repeat with the same key and event adds nothing." placeholder:"KEY" env:"-" own:""`
	CoalesceKey   string   `help:"Names an entity: what is pending with the same key is replaced. Not for facts." placeholder:"KEY" env:"-" own:""`
	EntityVersion string   `help:"The entity's version, for the receiver." placeholder:"VERSION" env:"-" own:""`
	ExternalID    string   `name:"external-id" help:"Your own name for the event." placeholder:"ID" env:"-" own:""`
	OccurredAt    instant  `help:"When it happened, such as 2026-03-01T12:00:00Z or 5m (ago); now if left out." placeholder:"WHEN" env:"-" own:""`
	Endpoint      []string `help:"Only to these endpoints; to all that subscribe if left out." placeholder:"WHE_ID" env:"-" own:""`
}

// Help implements kong.HelpProvider.
func (publishCommand) Help() string {
	return `JSON goes out in the very bytes that you give: key order, spaces and long numbers are kept.
Returns once the event and its deliveries are committed.

Examples:
  malote publish invoice.paid --tenant acme --data '{"id": 17, "total": "12.50"}'
  malote publish order.changed order.json --tenant acme --coalesce-key order-17
  gzip -c report.csv | malote publish report.ready - --tenant acme --raw --content-type application/gzip`
}

// Run implements the command.
func (f *publishCommand) Run(env *environment) error {
	content, err := f.content(env)
	if err != nil {
		return err
	}
	c, err := f.connect(env)
	if err != nil {
		return err
	}
	key := f.Key
	if key == "" {
		key = newOnceKey()
	}
	published, err := waiting(c, func(ctx context.Context) (client.Published, error) {
		return c.api.Publish(ctx, f.event(content, key))
	})
	switch {
	case err != nil && isUncertain(err):
		return fmt.Errorf("%w; repeated with --key %s it cannot be there twice", err, key)
	case err != nil:
		return err
	case f.JSON:
		_, err = fmt.Fprintf(env.stdout, "%s\n", encoded(published))
		return err
	}
	_, err = fmt.Fprintln(env.stdout, sentenceOf(published))
	return err
}

// isUncertain says whether a failed publish may have been committed.
func isUncertain(err error) bool {
	if refused, answered := errors.AsType[*client.Error](err); answered {
		return passing(refused)
	}
	_, unsent := errors.AsType[*usageError](err)
	return !unsent && !errors.Is(err, errInterrupted)
}

func sentenceOf(p client.Published) string {
	switch {
	case p.Duplicate:
		return p.ID + " was published with this key before: nothing was added."
	case p.Deliveries == 0 && p.Skipped == 0:
		return p.ID + " is published; no endpoint subscribes to its type."
	case p.Skipped > 0:
		return fmt.Sprintf("%s is published: %s, %d skipped (malote deliveries list --event %s says why).",
			p.ID, counted(p.Deliveries, "delivery"), p.Skipped, p.ID)
	default:
		return fmt.Sprintf("%s is published: %s.", p.ID, counted(p.Deliveries, "delivery"))
	}
}

// largestContent is what is read of a file, in bytes: more than any server takes.
const largestContent = 128 << 20

// content is what to publish, in the user's very bytes.
func (f *publishCommand) content(env *environment) ([]byte, error) {
	switch {
	case f.Data != nil && f.File != "":
		return nil, &usageError{"there are both --data and a file: give one of them"}
	case f.Data == nil && f.File == "":
		return nil, &usageError{"there is nothing to publish: give --data JSON, a file, or - for standard input"}
	case f.ContentType != "" && !f.Raw:
		return nil, &usageError{"--content-type goes with --raw: what wraps JSON data is always application/json"}
	}
	name, content, err := f.read(env)
	if err != nil || f.Raw {
		return content, err
	}
	return content, checkJSON(name, content)
}

// read gives the bytes and what they are called in errors.
func (f *publishCommand) read(env *environment) (name string, content []byte, err error) {
	if f.Data != nil {
		return "--data", []byte(*f.Data), nil
	}
	return readInput(env, f.File, largestContent)
}

// readInput reads a file, or standard input for "-", and names it for errors.
func readInput(env *environment, file string, limit int64) (name string, content []byte, err error) {
	name, from := file, env.stdin
	if file == "-" {
		name = "standard input"
	} else {
		opened, err := os.Open(file)
		if err != nil {
			return name, nil, err // it names the file
		}
		defer opened.Close()
		from = opened
	}
	content, err = io.ReadAll(io.LimitReader(from, limit+1))
	if err != nil {
		return name, nil, fmt.Errorf("reading %s: %w", name, err)
	}
	if int64(len(content)) > limit {
		return name, nil, fmt.Errorf("%s is longer than %d MiB", name, limit>>20)
	}
	return name, content, nil
}

// checkJSON says where a text is not JSON, before the server would without
// knowing the file.
func checkJSON(name string, text []byte) error {
	if bytes.HasPrefix(text, []byte("\xef\xbb\xbf")) {
		return fmt.Errorf("%s begins with a byte order mark, which JSON does not allow: remove it, or publish the bytes with --raw", name)
	}
	if !utf8.Valid(text) {
		return fmt.Errorf("%s is not UTF-8, so it is not JSON: publish its bytes with --raw", name)
	}
	var value json.RawMessage
	err := json.Unmarshal(text, &value)
	if err == nil {
		return nil
	}
	where := ""
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok && len(bytes.TrimSpace(text)) > 0 {
		before := text[:max(min(int(syntax.Offset)-1, len(text)), 0)]
		line := bytes.Count(before, []byte("\n")) + 1
		column := len(before) - (bytes.LastIndexByte(before, '\n') + 1) + 1
		where = fmt.Sprintf(" at line %d, column %d", line, column)
	}
	return fmt.Errorf("%s is not JSON%s (%w): correct it, or publish the bytes with --raw", name, where, err)
}

// event is what to publish: the content in it is the user's bytes, never decoded.
func (f *publishCommand) event(content []byte, key string) client.NewEvent {
	event := client.NewEvent{
		Tenant: f.Tenant, Type: f.Type, ContentType: f.ContentType, IdempotencyKey: key, CoalesceKey: f.CoalesceKey,
		EntityVersion: f.EntityVersion, ExternalID: f.ExternalID, OccurredAt: f.OccurredAt.Time, EndpointIDs: f.Endpoint,
	}
	if f.Raw {
		event.Body = content
	} else {
		event.Data = content
	}
	return event
}

// instant is a flag that takes a moment (RFC 3339), a day, or how long ago.
type instant struct{ time.Time }

// UnmarshalText reads the flag.
func (i *instant) UnmarshalText(text []byte) error {
	if at, err := time.Parse(time.RFC3339Nano, string(text)); err == nil {
		i.Time = at
		return nil
	}
	if at, err := time.Parse(time.DateOnly, string(text)); err == nil {
		i.Time = at
		return nil
	}
	ago, err := time.ParseDuration(string(text))
	if err != nil || ago < 0 {
		return fmt.Errorf("%q is not a moment: write 2026-03-01T12:00:00Z, 2026-03-01 (UTC), or how long ago, such as 2h", text)
	}
	i.Time = time.Now().Add(-ago)
	return nil
}

// rfc3339 is what the API takes; "" if the flag was not given.
func (i instant) rfc3339() string {
	if i.IsZero() {
		return ""
	}
	return i.UTC().Format(time.RFC3339Nano)
}
