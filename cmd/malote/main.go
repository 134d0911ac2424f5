// Command malote is the whole of Malote: server, workers, and the tools to
// operate them. It turns flags, environment variables and malote.yaml into the
// options of the packages that do the work, and errors into one line.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/alecthomas/kong"
)

// cli is the command line. Every flag is also MALOTE_<FLAG> and a key of
// malote.yaml.
type cli struct {
	Version kong.VersionFlag `help:"Print the version and exit." short:"v"`

	Serve serveCommand `cmd:"" help:"Run Malote."`
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
	var commands cli
	exit := -1
	parser, err := kong.New(&commands,
		kong.Name("malote"),
		kong.Description("Webhooks that people trust with payments: publish, deliver, account for every one."),
		kong.UsageOnError(),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.DefaultEnvars("MALOTE"),
		kong.Configuration(yamlConfiguration, "malote.yaml"),
		kong.Vars{"version": version()},
		kong.Writers(stdout, stderr),
		kong.Exit(func(code int) { exit = code }),
	)
	if err != nil {
		fmt.Fprintf(stderr, "malote: %v\n", err)
		return exitUsage
	}
	parsed, err := parser.Parse(arguments)
	if exit >= 0 {
		return exit // help or version
	}
	if err != nil {
		fmt.Fprintf(stderr, "malote: %v; see malote --help\n", err)
		return exitUsage
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err = parsed.Run(&environment{ctx: ctx, stdin: stdin, stdout: stdout, stderr: stderr})
	if err == nil {
		return 0
	}
	fmt.Fprintf(stderr, "malote: %v\n", err)
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
}

// usageError is an error in how a command was called.
type usageError struct{ message string }

func (e *usageError) Error() string { return e.message }

func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "dev"
	}
	return info.Main.Version
}
