// Command malote is the whole of Malote: server, workers, and the tools to
// operate them. It turns flags, environment variables and malote.yaml into the
// options of the packages that do the work, and errors into one line.
//
// The commands that operate a Malote talk to its HTTP API and nothing else;
// migrate, outbox, doctor and secrets alone look at a database, and users if asked to. None of them decides anything
// about deliveries.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/malotehq/malote/internal/app"
	"github.com/malotehq/malote/internal/bench"
	"github.com/malotehq/malote/internal/contractpage"
	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/demo"
	"github.com/malotehq/malote/webhook"
)

// cli is the command line. Every flag is a key of malote.yaml, and, but for
// those that are about one thing only (an event's key, its data), also
// MALOTE_<FLAG>.
type cli struct {
	Version kong.VersionFlag `help:"Print the version and exit." short:"v" env:"-"`

	Serve  serveCommand  `cmd:"" help:"Run Malote." group:"Run"`
	Demo   demoCommand   `cmd:"" help:"See it all at work, with receivers that behave and others that do not." group:"Run"`
	Listen listenCommand `cmd:"" help:"Receive webhooks, verify and print them: the other side, for trying things out." group:"Run"`

	Bench    benchCommand     `cmd:"" help:"Measure it on this machine: throughput, latency, isolation, scale." group:"Run"`
	Simulate simulateCommands `cmd:"" help:"Let hours pass in a second, on paper." group:"Run"`

	Publish    publishCommand     `cmd:"" help:"Publish an event." group:"Use"`
	Tail       tailCommand        `cmd:"" help:"Follow deliveries, or events, as they happen." group:"Use"`
	Events     eventsCommands     `cmd:"" help:"What was published." group:"Use"`
	Deliveries deliveriesCommands `cmd:"" help:"What became of it, endpoint by endpoint." group:"Use"`
	Replay     replayCommand      `cmd:"" help:"Send deliveries again." group:"Use"`
	Signals    signalsCommand     `cmd:"" help:"What somebody should hear of: dead deliveries, failing endpoints." group:"Use"`

	Tenants   tenantsCommands   `cmd:"" help:"Whose events they are." group:"Set up"`
	Keys      keysCommands      `cmd:"" help:"API keys." group:"Set up"`
	Users     usersCommands     `cmd:"" help:"Who may open the dashboard." group:"Set up"`
	Portal    portalCommands    `cmd:"" help:"Pages for a tenant's own people." group:"Set up"`
	Endpoints endpointsCommands `cmd:"" help:"Where events are delivered." group:"Set up"`
	Sources   sourcesCommands   `cmd:"" help:"Where other people's webhooks come in." group:"Set up"`
	Policy    policyCommands    `cmd:"" help:"How events are delivered: the contracts." group:"Set up"`
	URL       urlCommands       `cmd:"" name:"url" help:"Whether a URL may be called." group:"Set up"`
	Verify    verifyCommand     `cmd:"" help:"Whether an inbound webhook is genuine and, if not, why." group:"Set up"`

	Doctor  doctorCommand   `cmd:"" help:"Say what is wrong, and how to put it right." group:"Operate"`
	Audit   auditCommand    `cmd:"" help:"Who changed what." group:"Operate"`
	Outbox  outboxCommands  `cmd:"" help:"Outboxes: where applications publish inside their own transactions." group:"Operate"`
	Migrate migrateCommands `cmd:"" help:"Bring a database to the current schema." group:"Operate"`
	Secrets sealingCommands `cmd:"" help:"The keys that seal secrets at rest." group:"Operate"`
}

// Exit codes.
const (
	exitFailed = 1
	exitUsage  = 2
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run parses and runs one command and returns the process's exit code.
func run(arguments []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return runIn(&environment{ctx: ctx, stdin: stdin, stdout: stdout, stderr: stderr}, arguments)
}

func runIn(env *environment, arguments []string) int {
	parser, err := newParser()
	if err != nil {
		return env.fail(&usageError{err.Error()})
	}
	return env.run(parser, arguments)
}

// run parses and runs with a parser that nobody else uses meanwhile.
func (e *environment) run(parser *kong.Kong, arguments []string) int {
	exit := -1
	parser.Stdout, parser.Stderr, parser.Exit = e.stdout, e.stderr, func(code int) { exit = code }
	parsed, err := parser.Parse(arguments)
	if exit >= 0 {
		return exit // help or version
	}
	if err != nil {
		return e.fail(&usageError{err.Error() + "; see " + helpFor(err)})
	}
	return e.fail(parsed.Run(e))
}

// helpFor is the help that belongs to a mistake on the command line.
func helpFor(err error) string {
	mistake, ok := errors.AsType[*kong.ParseError](err)
	if ok && mistake.Context != nil && mistake.Context.Selected() != nil {
		return mistake.Context.Selected().FullPath() + " --help"
	}
	return "malote --help"
}

const description = `Webhooks that people trust with payments: publish, deliver, account for every one.

Examples:
  malote demo                            see it at work
  malote serve                           run it
  malote publish invoice.paid --help     what a command does, and how`

func newParser() (*kong.Kong, error) {
	return kong.New(&cli{},
		kong.Name("malote"),
		kong.Description(description),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true, WrapUpperBound: 100}),
		kong.DefaultEnvars("MALOTE"),
		kong.Configuration(yamlConfiguration, configurationFile),
		kong.Vars{
			"version": version(), "states": joined(delivery.States), "roles": joined(app.Roles),
			"scheme": string(webhook.SchemeStandard), "schemes": joined([]webhook.Scheme{webhook.SchemeStandard, webhook.SchemeHex}),
			"page_formats": joined(contractpage.Formats), "page_languages": joined(contractpage.Languages),
			"bench_scenarios": joined(bench.Scenarios),
			"signal_kinds":    signalKinds, "max_priority": strconv.Itoa(delivery.MaxPriority),
			"demo_duration": demo.DefaultDuration.String(), "demo_rate": strconv.Itoa(demo.DefaultRate),
		},
	)
}

// fail tells the error, if there is one, and gives the exit code that goes
// with it.
func (e *environment) fail(err error) int {
	if err == nil {
		return 0
	}
	if !errors.Is(err, errToldAlready) {
		fmt.Fprintf(e.stderr, "malote: %s\n", oneLine(err.Error()))
	}
	if placed, ok := errors.AsType[*placedError](err); ok && isTerminal(e.stderr) {
		fmt.Fprintln(e.stderr, placed.drawing)
	}
	if _, wrongUse := errors.AsType[*usageError](err); wrongUse {
		return exitUsage
	}
	return exitFailed
}

// environment is what a command sees of the world. ctx ends at ^C or SIGTERM.
type environment struct {
	ctx            context.Context
	stdin          io.Reader
	stdout, stderr io.Writer

	busy sync.Mutex // held by the one progress that shows
}

// usageError is an error in how a command was called.
type usageError struct{ message string }

func (e *usageError) Error() string { return e.message }

// errToldAlready ends a command that has itself told what is wrong.
var errToldAlready = errors.New("it was told already")

func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "dev"
	}
	return info.Main.Version
}

// oneLine keeps an error in one line, whatever is in it.
func oneLine(text string) string {
	return clean(strings.Join(strings.Fields(text), " "))
}

// joined lists words as kong's enums do.
func joined[T ~string](words []T) string {
	texts := make([]string, len(words))
	for i, word := range words {
		texts[i] = string(word)
	}
	return strings.Join(texts, ",")
}
