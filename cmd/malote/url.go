package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"unicode"

	"github.com/malotehq/malote/internal/egress"
)

type urlCommands struct {
	Check urlCheckCommand `cmd:"" help:"Say whether a URL may be called, and which rule refuses it."`
}

// Help implements kong.HelpProvider.
func (urlCommands) Help() string {
	return `Example:
  malote url check https://hooks.acme.example/in`
}

type urlCheckCommand struct {
	URL        string   `arg:"" optional:"" name:"url" help:"The URL."`
	ResolvesTo []string `help:"Addresses that its name is to resolve to. Nothing is looked up: without them, the name alone is judged." placeholder:"IP" own:"" env:"-"`
	JSONL      bool     `name:"jsonl" help:"Judge JSON objects on standard input instead, one a line or as one array: url, resolves_to, scenario."`

	AllowDestinations []netip.Prefix `help:"Private ranges that endpoints may be in, such as 10.0.0.0/8, as for malote serve." placeholder:"CIDR"`
	RequireHTTPS      bool           `name:"require-https" help:"Refuse URLs that are not https, as for malote serve."`
}

// Help implements kong.HelpProvider.
func (urlCheckCommand) Help() string {
	return `Prints {"verdict", "reason", "normalized"} a line; the verdict is allow, reject_at_registration or
reject_at_delivery. Exits with 1 if a URL given as an argument is refused.

Examples:
  malote url check https://hooks.acme.example/in --resolves-to 93.184.216.34
  malote url check --jsonl < urls.jsonl`
}

// Run implements the command.
func (f *urlCheckCommand) Run(env *environment) error {
	switch {
	case f.JSONL && (f.URL != "" || len(f.ResolvesTo) > 0):
		return &usageError{"--jsonl reads URLs from standard input: leave out the URL and --resolves-to"}
	case !f.JSONL && f.URL == "":
		return &usageError{"there is no URL: give one, or --jsonl and records on standard input"}
	}
	guard, err := egress.NewGuard(egress.Rules{RequireHTTPS: f.RequireHTTPS, AllowDestinations: f.AllowDestinations})
	if err != nil {
		return &usageError{err.Error()}
	}
	checker := egress.Checker{Guard: guard}
	if f.JSONL {
		return checkRecords(env, checker)
	}
	record := egress.Record{URL: f.URL}
	if len(f.ResolvesTo) > 0 {
		record.ResolvesTo = egress.Lookups{f.ResolvesTo}
	}
	verdict := checker.Check(record)
	if err := printVerdict(env.stdout, verdict); err != nil || verdict.Verdict == egress.Allow {
		return err
	}
	return errToldAlready
}

func printVerdict(out io.Writer, verdict egress.Verdict) error {
	_, err := fmt.Fprintf(out, "%s\n", encoded(verdict))
	return err
}

// checkRecords judges every record on standard input.
func checkRecords(env *environment, checker egress.Checker) error {
	in, out := bufio.NewReader(env.stdin), bufio.NewWriter(env.stdout)
	progress := env.progress("judging URLs")
	defer progress.stop()
	count := 0
	err := eachRecord(in, func(record []byte) error {
		verdict, err := checker.CheckJSON(record)
		if err != nil {
			return err
		}
		count++
		progress.say("judging URLs: %d", count)
		return printVerdict(out, verdict)
	})
	if flushed := out.Flush(); flushed != nil {
		return fmt.Errorf("writing the verdicts: %w", flushed)
	}
	if err != nil {
		return fmt.Errorf("record %d: %w", count+1, err)
	}
	if count == 0 {
		return errors.New(`there is no record on standard input: write one such as {"url": "https://example.com/"}`)
	}
	return nil
}

// eachRecord visits the elements of one array, or the objects one after another.
func eachRecord(in *bufio.Reader, visit func([]byte) error) error {
	first, err := firstByte(in)
	if err != nil {
		return err
	}
	decoder := json.NewDecoder(in)
	if first == '[' {
		if _, err := decoder.Token(); err != nil {
			return fmt.Errorf("reading JSON: %w", err)
		}
	}
	for first != '[' || decoder.More() {
		var record json.RawMessage
		switch err := decoder.Decode(&record); {
		case errors.Is(err, io.EOF) && first != '[':
			return nil
		case err != nil:
			return fmt.Errorf("reading JSON: %w", err)
		}
		if err := visit(bytes.TrimSpace(record)); err != nil {
			return err
		}
	}
	if _, err := decoder.Token(); err != nil {
		return fmt.Errorf("the array does not end: %w", err)
	}
	return nil
}

// firstByte skips white space, and gives 0 for an empty input.
func firstByte(in *bufio.Reader) (byte, error) {
	for {
		b, err := in.ReadByte()
		switch {
		case errors.Is(err, io.EOF):
			return 0, nil
		case err != nil:
			return 0, fmt.Errorf("reading standard input: %w", err)
		case !unicode.IsSpace(rune(b)):
			return b, in.UnreadByte()
		}
	}
}
