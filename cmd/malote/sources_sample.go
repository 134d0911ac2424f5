package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/malotehq/malote/client"
)

type sourcesTestCommand struct {
	sourceFlags
	Secret string `help:"The secret to sign with: Malote does not show those that it has. Better set as MALOTE_SECRET." placeholder:"SECRET"`
	Body   string `help:"A file with the body to send; - is standard input. A small sample of the provider's if left out." placeholder:"FILE" type:"path" env:"-" own:""`
	To     string `help:"The address to send to, if this machine reaches the source by another one." placeholder:"URL" env:"-" own:""`
}

// Help implements kong.HelpProvider.
func (sourcesTestCommand) Help() string {
	return `Signs as the provider does and sends, so that the event comes in and goes on to the tenant's endpoints. It can sign for
every provider whose secret both sides know, and for generic sources; not for ` + strings.Join(unsignable, ", ") + `,
who alone have the key that signs. Exits with 1 if the source did not take it.

Example:
  MALOTE_SECRET=whsec_… malote sources test src_01h455vb4pex5vsknk084sn02q`
}

// Run implements the command.
func (f *sourcesTestCommand) Run(env *environment) error {
	c, err := f.connect(env)
	if err != nil {
		return err
	}
	target, _, err := fetch[sourceView](c, client.Request{Method: http.MethodGet, Path: f.path()})
	if err != nil {
		return err
	}
	made, err := f.sample(env, target, c)
	if err != nil {
		return err
	}
	got, err := made.send(env.ctx, c)
	if err != nil {
		return c.explain(err)
	}
	return f.tell(env, made, got)
}

// sample is the signed request.
func (f *sourcesTestCommand) sample(env *environment, target sourceView, c *connection) (*sample, error) {
	made := &sample{
		Provider: target.Provider, Secret: f.Secret, To: f.To, ID: "test-" + strings.ToLower(rand.Text()[:16]), At: time.Now(),
	}
	if made.To == "" {
		made.To = target.address(c)
	}
	made.URL = made.To
	if signed := plainOption(target.Options["url"]); signed != "" {
		made.URL = signed
	}
	if err := f.readBody(env, made); err != nil {
		return nil, err
	}
	return made, made.sign(target.Options["generic"])
}

func (f *sourcesTestCommand) readBody(env *environment, into *sample) (err error) {
	switch f.Body {
	case "":
		return nil
	case "-":
		into.Body, err = io.ReadAll(env.stdin)
	default:
		into.Body, err = os.ReadFile(f.Body)
	}
	if err != nil {
		return fmt.Errorf("reading the body: %w", err)
	}
	return nil
}

// send is no business of the API's client: the address is the provider's, and
// gets no key.
func (s *sample) send(ctx context.Context, c *connection) (*client.Response, error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	broken := func(err error) error { return &client.ConnectionError{Method: http.MethodPost, Path: s.To, Err: err} }
	sent, err := http.NewRequestWithContext(ctx, http.MethodPost, s.To+s.Query, bytes.NewReader(s.Body))
	if err != nil {
		return nil, broken(err)
	}
	for _, field := range s.Header {
		sent.Header.Add(field[0], field[1])
	}
	response, err := http.DefaultTransport.RoundTrip(sent) // which follows no redirect
	if err != nil {
		return nil, broken(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, 64<<10))
	if err != nil {
		return nil, broken(err)
	}
	return &client.Response{Status: response.StatusCode, Header: response.Header, Body: body}, nil
}

func (f *sourcesTestCommand) tell(env *environment, made *sample, got *client.Response) error {
	if f.JSON {
		fmt.Fprintf(env.stdout, "%s\n", encoded(map[string]any{
			"sent_to": made.To + made.Query, "response_status": got.Status, "response_body": string(got.Body),
		}))
	} else {
		out := newTable(env.stdout)
		out.field("sent to", made.To+made.Query)
		out.field("body", fmt.Sprintf("%d bytes", len(made.Body)))
		out.field("answer", fmt.Sprintf("%d %s", got.Status, http.StatusText(got.Status)))
		out.field("says", strings.TrimSpace(string(got.Body)))
		out.flush()
	}
	if got.Status < 200 || got.Status > 299 {
		return errors.New("the source did not take it: in a few seconds malote sources rejections " + f.ID + " says why")
	}
	return nil
}

// unsignable are the providers that sign with a private key.
var unsignable = []string{"aws_sns", "discord", "paypal", "plaid", "sendgrid"}

// sample is a request as its provider would send it.
type sample struct {
	Provider string
	Secret   string
	To       string // where it is sent
	URL      string // what is signed as its address
	ID       string
	At       time.Time

	Query  string // with its ?
	Header [][2]string
	Body   []byte // empty: the signer's own
}

// sign completes the sample. rule is a generic source's.
func (s *sample) sign(rule []byte) error {
	if slices.Contains(unsignable, s.Provider) {
		return fmt.Errorf("%s signs with a key that it alone has: have it send a test itself", s.Provider)
	}
	signer, known := signers[s.Provider]
	switch {
	case s.Provider == "generic":
		return s.signGeneric(rule)
	case !known:
		return fmt.Errorf("this version of malote cannot sign for %q: have it send a test itself", s.Provider)
	case s.Secret == "":
		return errNoTestSecret
	}
	if len(s.Body) == 0 {
		s.Body = []byte(strings.ReplaceAll(signer.body, "$ID", s.ID))
	}
	s.add("Content-Type", "application/json")
	for _, field := range signer.header {
		s.add(field[0], strings.ReplaceAll(field[1], "$ID", s.ID))
	}
	return signer.sign(s)
}

var errNoTestSecret = &usageError{"there is no secret to sign with: set MALOTE_SECRET to the source's"}

func (s *sample) add(name, value string) { s.Header = append(s.Header, [2]string{name, value}) }
