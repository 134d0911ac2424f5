package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/malotehq/malote/internal/bench"
	measured "github.com/malotehq/malote/internal/bench/report"
)

type benchCommand struct {
	Scenario    []string      `arg:"" optional:"" help:"What to measure: ${bench_scenarios}; all of it if left out." enum:"${bench_scenarios}"`
	Duration    time.Duration `help:"How long each measurement lasts." default:"10s" placeholder:"TIME" own:"" env:"MALOTE_BENCH_DURATION"`
	WarmUp      time.Duration `help:"How long each runs before anything is counted." default:"3s" placeholder:"TIME" own:"" env:"MALOTE_BENCH_WARM_UP"`
	Runs        int           `help:"Runs of each case of throughput, of which the median counts." default:"3" placeholder:"N" own:"" env:"MALOTE_BENCH_RUNS"`
	Publishers  []int         `help:"How many publish at once, a case each." default:"32,128" placeholder:"N" own:"" env:"MALOTE_BENCH_PUBLISHERS"`
	Endpoints   int           `help:"How many endpoints they publish to, besides the case with one." default:"100" placeholder:"N" own:"" env:"MALOTE_BENCH_ENDPOINTS"`
	MaxInFlight int           `help:"Most deliveries in flight in each process. malote serve has 64 unless told otherwise." default:"256" own:"" env:"MALOTE_BENCH_MAX_IN_FLIGHT"`
	Backlog     int           `help:"Open deliveries of the memory scenario." default:"1000000" placeholder:"N" own:"" env:"MALOTE_BENCH_BACKLOG"`
	Full        bool          `help:"Measure scale up to 1,000,000 endpoints and 10,000,000 open deliveries: takes long, and some 10 GB." own:"" env:"MALOTE_BENCH_FULL"`
	DatabaseURL string        `help:"Server to make and remove databases on; a private PostgreSQL, its settings safe, if left out." placeholder:"URL" own:"" env:"MALOTE_BENCH_DATABASE_URL"`
	Peer        []string      `help:"Another pipeline, measured in the same way: its name, = and its command. May be repeated." sep:"none" placeholder:"NAME=COMMAND" own:"" env:"-"`
	JSON        bool          `name:"json" help:"Print one JSON object."`
	HTML        string        `name:"html" help:"Write a page with plots into this file." type:"path" placeholder:"FILE" own:"" env:"-"`
}

// Help implements kong.HelpProvider.
func (benchCommand) Help() string {
	return `Starts a PostgreSQL and Malote processes of its own, loads them over HTTP, and counts: events published and delivered a
second, times from publish to receipt, what an endpoint that hangs does to others, what a claim costs, and what each event
costs in WAL, commits, processor time and memory; beside that, what this machine could do at most. Nothing else should run
meanwhile. All of it takes about ten minutes. Rows that look bad are marked, never left out.

Example:
  malote bench
  malote bench throughput latency --duration 30s --html bench.html
  malote bench throughput --peer 'river=bench/bin/peer river' --peer 'textbook=bench/bin/peer textbook'`
}

// Run implements the command.
func (f *benchCommand) Run(env *environment) error {
	collectRarely() // what load and receivers take, nobody else has
	options, err := f.options()
	if err != nil {
		return err
	}
	var page *os.File
	if f.HTML != "" { // before ten minutes have passed
		if page, err = os.OpenFile(f.HTML, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600); err != nil {
			return fmt.Errorf("opening the page: %w; choose another --html", err)
		}
		defer page.Close()
	}
	stop := tellProgress(env, &options)
	found, err := bench.Run(env.ctx, options)
	stop()
	if errors.Is(err, context.Canceled) {
		return errInterrupted
	}
	if err != nil {
		return err
	}
	found.Malote.Version = version()
	if page != nil {
		if err := found.WritePage(page); err != nil {
			return err
		}
	}
	return f.print(env, found)
}

func (f *benchCommand) options() (bench.Options, error) {
	if f.Duration <= 0 || f.WarmUp < 0 || f.Runs <= 0 || f.Endpoints <= 0 || f.MaxInFlight <= 0 || f.Backlog <= 0 ||
		len(f.Publishers) == 0 || slices.Min(f.Publishers) <= 0 {
		return bench.Options{}, &usageError{"--duration, --runs, --publishers, --endpoints, --max-in-flight and --backlog must be more than 0"}
	}
	program, err := os.Executable()
	if err != nil {
		return bench.Options{}, fmt.Errorf("looking for this program: %w", err)
	}
	o := bench.Options{
		Program: program, Duration: f.Duration, WarmUp: f.WarmUp, Runs: f.Runs, Publishers: f.Publishers, Endpoints: f.Endpoints,
		MaxInFlight: f.MaxInFlight, Backlog: f.Backlog, Full: f.Full, DatabaseURL: f.DatabaseURL, Scenarios: bench.Scenarios,
	}
	if len(f.Scenario) > 0 {
		o.Scenarios = nil
		for _, name := range f.Scenario {
			o.Scenarios = append(o.Scenarios, bench.Scenario(name))
		}
	}
	for _, text := range f.Peer {
		peer, err := peerOf(text)
		if err != nil {
			return bench.Options{}, err
		}
		o.Peers = append(o.Peers, peer)
	}
	return o, nil
}

// peerOf reads NAME=COMMAND ARGUMENTS…; the command runs elsewhere, so its path is
// made whole.
func peerOf(text string) (bench.Peer, error) {
	name, command, found := strings.Cut(text, "=")
	words := strings.Fields(command)
	if !found || name == "" || name == string(measured.Malote) || len(words) == 0 {
		return bench.Peer{}, &usageError{"--peer must be a name other than malote, = and a command, such as --peer 'river=bench/bin/peer river'"}
	}
	if strings.Contains(words[0], string(filepath.Separator)) {
		whole, err := filepath.Abs(words[0])
		if err != nil {
			return bench.Peer{}, fmt.Errorf("looking for %s: %w", words[0], err)
		}
		if _, err := os.Stat(whole); err != nil {
			return bench.Peer{}, &usageError{fmt.Sprintf("there is no %s: build it first, with make bench-peers", words[0])}
		}
		words[0] = whole
	}
	return bench.Peer{Name: measured.System(name), Command: words}, nil
}

// tellProgress shows a bar on a terminal, and elsewhere a line for whatever begins.
func tellProgress(env *environment, options *bench.Options) (stop func()) {
	if !isTerminal(env.stderr) {
		options.Progress = func(done, total int, what string) {
			fmt.Fprintf(env.stderr, "%d of %d: %s\n", done+1, total, what)
		}
		return func() {}
	}
	shown := env.progress("starting PostgreSQL")
	options.Progress = func(done, total int, what string) { shown.say("%s  %s", bar(done, total), what) }
	return shown.stop
}

func (f *benchCommand) print(env *environment, found measured.Report) error {
	if f.JSON {
		fmt.Fprintf(env.stdout, "%s\n", encoded(found))
	} else {
		printReport(env.stdout, found)
	}
	if len(found.Broken) > 0 {
		return fmt.Errorf("%s could not be measured: %s", found.Broken[0].Scenario, found.Broken[0].Error)
	}
	return nil
}
