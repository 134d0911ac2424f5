package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/malotehq/malote/internal/source"
)

type verifyCommand struct {
	BodyFile string `arg:"" optional:"" name:"bodyfile" help:"The body, byte for byte as it arrived; - is standard input."`

	Provider    string        `help:"Whose webhook it is: a name that --providers lists." placeholder:"NAME" env:"-" own:""`
	Secret      []string      `help:"The secret, as the provider shows it; repeat it to try several. Better set as MALOTE_SECRET: others can read command lines." placeholder:"SECRET" sep:"none" own:""`
	URL         string        `name:"url" help:"The address that the provider was given, with its query: some sign it." placeholder:"URL" env:"-" own:""`
	Method      string        `help:"The request's method." default:"POST" placeholder:"METHOD" env:"-" own:""`
	Header      []string      `short:"H" help:"A header of the request, as 'Name: value'. Repeat it for more." placeholder:"HEADER" sep:"none" env:"-" own:""`
	Now         *int64        `help:"When it arrived, in seconds since 1970; this moment if left out." placeholder:"UNIX" env:"-" own:""`
	Tolerance   time.Duration `help:"How far the signed time may be off, such as 10m; the provider's own if left out, and no matter with -1s." placeholder:"DURATION" env:"-" own:""`
	Certificate string        `help:"A file with the certificate or key that would be fetched." placeholder:"FILE" type:"existingfile" env:"-" own:""`
	JSON        bool          `name:"json" help:"Print one JSON object." env:"-" own:""`

	JSONL     bool `name:"jsonl" help:"Judge recorded requests on standard input instead, one JSON object a line or all in one array." env:"-" own:""`
	Providers bool `help:"List the providers, and how each signs." env:"-" own:""`

	genericFlags `group:"Any other sender (--provider generic)"`
}

// Help implements kong.HelpProvider.
func (verifyCommand) Help() string {
	return `Says whether an inbound webhook is genuine and, if not, why: the wrong secret, a body that was
re-encoded, seconds of skew, another encoding. Nothing is fetched. Exits with 1 if it is not genuine.

With --jsonl it prints {"verdict", "reason", "event_id", "event_type", "response"} a line. A record has provider,
secret, url, method, headers (or headers_list), body_b64, now_unix and tolerance_s; without now_unix no signed
time is too old.

Examples:
  malote verify --provider github --secret "$SECRET" -H "X-Hub-Signature-256: sha256=…" body.json
  malote verify --provider square --secret "$KEY" --url https://hooks.acme.example/square -H "$HEADER" - < body.json
  malote verify --jsonl < requests.jsonl`
}

// Run implements the command.
func (f *verifyCommand) Run(env *environment) error {
	switch {
	case f.Providers:
		return listProviders(env.stdout)
	case f.JSONL && (f.Provider != "" || f.BodyFile != ""):
		return &usageError{"--jsonl reads requests from standard input: leave out the provider and the file"}
	case f.JSONL:
		return verifyRecords(env)
	}
	record, err := f.record(env.stdin)
	if err != nil {
		return err
	}
	verdict, _, _ := record.Verify()
	if f.JSON {
		fmt.Fprintf(env.stdout, "%s\n", encoded(record.Judge()))
	} else {
		showVerdict(env.stdout, record, verdict)
	}
	if !verdict.Accepted() {
		return errToldAlready
	}
	return nil
}

// record is the request that the flags describe.
func (f *verifyCommand) record(stdin io.Reader) (source.Record, error) {
	provider, known := source.Lookup(f.Provider)
	switch {
	case f.Provider == "":
		return source.Record{}, &usageError{"whose webhook is it? Give --provider; --providers lists them"}
	case !known:
		return source.Record{}, &usageError{fmt.Sprintf("there is no provider %q: --providers lists them", f.Provider)}
	case f.BodyFile == "":
		return source.Record{}, &usageError{"there is no body: give the file that holds it, or - for standard input"}
	case len(f.Secret) == 0 && f.needsSecret():
		return source.Record{}, &usageError{"there is no secret: give --secret or MALOTE_SECRET: " + provider.Secret}
	}
	header, err := fieldsOf(f.Header)
	if err != nil {
		return source.Record{}, err
	}
	r := source.Record{
		Provider: provider.Name,
		Request:  source.Request{Method: strings.ToUpper(f.Method), URL: f.URL, Header: header},
		Options:  source.Options{Window: f.Tolerance, Thorough: true},
		Now:      time.Now(),
	}
	for i, text := range f.Secret {
		r.Secrets = append(r.Secrets, source.Secret{Name: fmt.Sprintf("secret %d", i+1), Value: text})
	}
	if f.Now != nil {
		r.Now = time.Unix(*f.Now, 0)
	}
	if provider.Name == "generic" {
		if err := f.apply(&r); err != nil {
			return source.Record{}, err
		}
	}
	return r, f.read(&r, stdin)
}

// needsSecret: a question that a handshake asks needs none, nor do addresses.
func (f *verifyCommand) needsSecret() bool {
	return strings.EqualFold(f.Method, "POST") && f.Auth != string(source.AuthAddress) && !strings.Contains(f.URL, "validationToken=")
}

// read takes the body and the certificate from their files.
func (f *verifyCommand) read(r *source.Record, stdin io.Reader) error {
	var err error
	if f.BodyFile == "-" {
		r.Request.Body, err = io.ReadAll(stdin)
	} else {
		r.Request.Body, err = os.ReadFile(f.BodyFile)
	}
	if err != nil {
		return fmt.Errorf("reading the body: %w", err)
	}
	if f.Certificate != "" {
		if r.Material, err = os.ReadFile(f.Certificate); err != nil {
			return fmt.Errorf("reading the certificate: %w", err)
		}
	}
	return nil
}

// fieldsOf keeps the order of headers, and what is there twice.
func fieldsOf(texts []string) (source.Header, error) {
	var header source.Header
	for _, text := range texts {
		name, value, found := strings.Cut(text, ":")
		if !found || strings.TrimSpace(name) == "" {
			return nil, &usageError{fmt.Sprintf("--header must look like 'Name: value', not %q", text)}
		}
		header = append(header, source.Field{Name: strings.TrimSpace(name), Value: strings.TrimSpace(value)})
	}
	return header, nil
}

// verifyRecords judges every record on standard input. One of a provider that
// there is none of gets its line, too, so that lines stay side by side.
func verifyRecords(env *environment) error {
	count, unknown := 0, 0
	err := judgeEach(env, "verifying requests", func(text []byte) (any, error) {
		record, err := source.ParseRecord(text)
		if err != nil {
			return nil, err
		}
		judged := record.Judge()
		if judged.Code == source.UnknownProvider {
			unknown++
		}
		count++
		return judged, nil
	})
	switch {
	case err != nil:
		return fmt.Errorf("record %d: %w", count+1, err)
	case count == 0:
		return errors.New(`there is no record on standard input: write one such as {"provider": "github", "secret": "…", "headers": {}, "body_b64": ""}`)
	case unknown > 0:
		return fmt.Errorf("%s of an unknown provider: malote verify --providers lists those that there are", counted(unknown, "record"))
	}
	return nil
}
