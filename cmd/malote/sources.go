package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/malotehq/malote/client"
)

type sourcesCommands struct {
	List       sourcesListCommand       `cmd:"" help:"List sources."`
	Providers  sourcesProvidersCommand  `cmd:"" help:"List the providers whose webhooks can be received, or say all about one."`
	Create     sourcesCreateCommand     `cmd:"" help:"Create a source; shows the address that the provider is to be given."`
	Show       sourcesShowCommand       `cmd:"" help:"Show a source."`
	Update     sourcesUpdateCommand     `cmd:"" help:"Change a source."`
	Delete     sourcesDeleteCommand     `cmd:"" help:"Delete a source; the events that it brought stay."`
	Pause      sourcesPauseCommand      `cmd:"" help:"Pause a source: the provider is told to come again."`
	Resume     sourcesResumeCommand     `cmd:"" help:"Resume a paused source."`
	Test       sourcesTestCommand       `cmd:"" help:"Send a correctly signed sample to a source."`
	Rejections sourcesRejectionsCommand `cmd:"" help:"List what was turned away, and why."`
	Repair     sourcesRepairCommand     `cmd:"" help:"Bring in what the provider sent and never came."`
	Secrets    sourceSecretsCommands    `cmd:"" help:"What a source's requests are verified with."`
}

// Help implements kong.HelpProvider.
func (sourcesCommands) Help() string {
	return `Example:
  malote sources create stripe --tenant acme --secret whsec_…`
}

const sourcesPath = "/v1/sources"

// sourceView is what is shown of a source.
type sourceView struct {
	ID            string                     `json:"id"`
	Tenant        string                     `json:"tenant"`
	Name          string                     `json:"name"`
	Provider      string                     `json:"provider"`
	Description   string                     `json:"description"`
	ReceivePath   string                     `json:"receive_path"`
	ReceiveURL    *string                    `json:"receive_url"`
	Status        string                     `json:"status"`
	PausedAt      *time.Time                 `json:"paused_at"`
	SecretNames   []string                   `json:"secret_names"`
	Dedupe        string                     `json:"dedupe"`
	EventTypeFrom string                     `json:"event_type_from"`
	Headers       *[]string                  `json:"forward_headers"`
	Options       map[string]json.RawMessage `json:"options"`
	CreatedAt     *time.Time                 `json:"created_at"`

	GapRepair *struct {
		CheckedUntil *time.Time `json:"checked_until"`
		Found        int        `json:"found"`
		FailedAt     *time.Time `json:"failed_at"`
		Error        *string    `json:"error"`
	} `json:"gap_repair"`
}

// address is where a source receives: the public address, if the server knows
// it, else the one that this command talks to.
func (s sourceView) address(c *connection) string {
	if s.ReceiveURL != nil {
		return *s.ReceiveURL
	}
	return c.base.String() + s.ReceivePath
}

type sourcesListCommand struct {
	apiFlags
	listFlags
	Tenant string `help:"Only this tenant's." placeholder:"TENANT"`
}

// Help implements kong.HelpProvider.
func (sourcesListCommand) Help() string {
	return `Example:
  malote sources list --tenant acme`
}

// Run implements the command.
func (f *sourcesListCommand) Run(env *environment) error {
	c, err := f.connect(env)
	if err != nil {
		return err
	}
	return list[sourceView]{
		path: sourcesPath, query: queryOf("tenant", f.Tenant), what: "sources",
		head: []string{"SOURCE", "TENANT", "STATUS", "PROVIDER", "SECRETS", "NAME"},
		row: func(s sourceView) []string {
			return []string{s.ID, s.Tenant, s.Status, s.Provider, fmt.Sprint(len(s.SecretNames)), s.Name}
		},
	}.print(c, f.listFlags)
}

// sourceFlags are shared by the commands about one source.
type sourceFlags struct {
	oneFlags
	ID string `arg:"" help:"The source's id, src_…."`
}

func (f *sourceFlags) path(parts ...string) string {
	return sourcesPath + client.Path(append([]string{f.ID}, parts...)...)
}

type sourcesShowCommand struct{ sourceFlags }

// Help implements kong.HelpProvider.
func (sourcesShowCommand) Help() string {
	return `Example:
  malote sources show src_01h455vb4pex5vsknk084sn02q`
}

// Run implements the command.
func (f *sourcesShowCommand) Run(env *environment) error {
	_, err := f.showSource(env, client.Request{Method: http.MethodGet, Path: f.path()})
	return err
}

// showSource sends a request that answers with a source.
func (f *oneFlags) showSource(env *environment, req client.Request) (sourceView, error) {
	c, err := f.connect(env)
	if err != nil {
		return sourceView{}, err
	}
	found, got, err := fetch[sourceView](c, req)
	switch {
	case err != nil:
		return sourceView{}, err
	case f.JSON:
		return found, printAnswer(env.stdout, got)
	}
	found.print(newTable(env.stdout), found.address(c), time.Now())
	return found, nil
}

func (s sourceView) print(out *table, address string, now time.Time) {
	defer out.flush()
	out.field("source", s.ID)
	out.field("tenant", s.Tenant)
	out.field("name", s.Name)
	out.field("provider", s.Provider)
	out.field("description", s.Description)
	out.field("receives at", address)
	status := s.Status
	if s.PausedAt != nil {
		status += " since " + moment(s.PausedAt, now)
	}
	out.field("status", status)
	secrets := strings.Join(s.SecretNames, ", ")
	if secrets == "" {
		secrets = "none"
	}
	out.field("secrets", secrets)
	out.field("dedupe", s.Dedupe)
	out.field("event type", s.EventTypeFrom)
	headers := "the provider's that tell about the event"
	if s.Headers != nil {
		headers = strings.Join(*s.Headers, ", ")
	}
	out.field("headers", headers)
	for _, name := range slices.Sorted(maps.Keys(s.Options)) {
		out.field(name, plainOption(s.Options[name]))
	}
	if g := s.GapRepair; g != nil {
		out.field("gaps", fmt.Sprintf("%s found, all compared until %s", counted(g.Found, "missed event"), stamp(g.CheckedUntil)))
		if g.Error != nil {
			out.field("gap repair", *g.Error+", "+moment(g.FailedAt, now))
		}
	}
	out.field("created", moment(s.CreatedAt, now))
}

// plainOption shows text as it is, and everything else as JSON.
func plainOption(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text
	}
	return string(value)
}

type sourcesDeleteCommand struct{ sourceFlags }

// Help implements kong.HelpProvider.
func (sourcesDeleteCommand) Help() string {
	return `Its address answers 404 from now on, and its secrets are gone.

Example:
  malote sources delete src_01h455vb4pex5vsknk084sn02q`
}

// Run implements the command.
func (f *sourcesDeleteCommand) Run(env *environment) error {
	c, err := f.connect(env)
	if err != nil {
		return err
	}
	if _, err := c.do(client.Request{Method: http.MethodDelete, Path: f.path()}); err != nil {
		return err
	}
	_, err = fmt.Fprintf(env.stdout, "Source %s is deleted.\n", f.ID)
	return err
}

type sourcesPauseCommand struct{ sourceFlags }

// Help implements kong.HelpProvider.
func (sourcesPauseCommand) Help() string {
	return `Every request gets 503, so that the provider comes again later.

Example:
  malote sources pause src_01h455vb4pex5vsknk084sn02q`
}

// Run implements the command.
func (f *sourcesPauseCommand) Run(env *environment) error { return f.act(env, "pause") }

// act pauses or resumes the source, and shows what it is then.
func (f *sourceFlags) act(env *environment, action string) error {
	_, err := f.showSource(env, client.Request{Method: http.MethodPost, Path: f.path(action), Repeatable: true})
	return err
}

type sourcesResumeCommand struct{ sourceFlags }

// Help implements kong.HelpProvider.
func (sourcesResumeCommand) Help() string {
	return `Example:
  malote sources resume src_01h455vb4pex5vsknk084sn02q`
}

// Run implements the command.
func (f *sourcesResumeCommand) Run(env *environment) error { return f.act(env, "resume") }
