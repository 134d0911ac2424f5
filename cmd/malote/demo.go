package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/malotehq/malote/internal/app"
	"github.com/malotehq/malote/internal/demo"
)

type demoCommand struct {
	Duration    time.Duration `help:"How long events are published." default:"${demo_duration}" own:"" env:"MALOTE_DEMO_DURATION"`
	Rate        int           `help:"How many events a second." default:"${demo_rate}" own:"" env:"MALOTE_DEMO_RATE"`
	Seed        uint64        `help:"Other seeds give other events." default:"1" own:"" env:"MALOTE_DEMO_SEED"`
	Keep        bool          `help:"Go on serving afterwards, until ^C, and keep the data." own:"" env:"-"`
	DataDir     string        `help:"Where its private PostgreSQL is; a temporary directory if left out." type:"path" placeholder:"DIR" own:"" env:"MALOTE_DEMO_DATA_DIR"`
	Listen      string        `help:"Address of the API; any free port if left out." default:"127.0.0.1:0" placeholder:"ADDR" own:"" env:"MALOTE_DEMO_LISTEN"`
	MaxInFlight int           `help:"Most deliveries in flight." default:"64" own:"" env:"MALOTE_DEMO_MAX_IN_FLIGHT"`
	JSON        bool          `name:"json" help:"Print the summary as JSON, and the rest on standard error."`
}

// Help implements kong.HelpProvider.
func (demoCommand) Help() string {
	return `Starts a Malote with a PostgreSQL of its own, endpoints with good and bad manners on this machine, and traffic
like that of GitHub, Stripe, Shopify, Pix and chats; shows what becomes of it, and in the end accounts for every event.
Exits with 1 if anything is lost, invented or unexplained, or a healthy endpoint had to wait for the bad ones.

Example:
  malote demo --duration 1m --rate 200`
}

// Run implements the command.
func (f *demoCommand) Run(env *environment) error {
	if f.Duration <= 0 || f.Rate <= 0 || f.MaxInFlight <= 0 {
		return &usageError{"--duration, --rate and --max-in-flight must be more than 0"}
	}
	stage, err := openStage(f.DataDir, f.Keep)
	if err != nil {
		return err
	}
	err = f.run(env, stage)
	stage.close(env, err)
	return err
}

// run serves, plays the demo on that, and stops serving.
func (f *demoCommand) run(env *environment, stage *demoStage) error {
	// ^C ends the demo first; what it runs on ends after it.
	ctx, stop := context.WithCancel(context.WithoutCancel(env.ctx))
	defer stop()
	ready, served := make(chan app.Info, 1), make(chan error, 1)
	go func() {
		defer close(served)
		served <- app.Run(ctx, stage.options(f), func(info app.Info) { ready <- info })
	}()
	info, err := f.awaitReady(env, ready, served)
	if err == nil {
		err = f.play(env, info)
	}
	stop()
	return errors.Join(err, <-served)
}

func (f *demoCommand) awaitReady(env *environment, ready <-chan app.Info, served <-chan error) (app.Info, error) {
	progress := env.progress("starting PostgreSQL and Malote")
	defer progress.stop()
	select {
	case info := <-ready:
		return info, nil
	case err := <-served:
		return app.Info{}, err
	case <-env.ctx.Done():
		return app.Info{}, errInterrupted
	}
}

func (f *demoCommand) play(env *environment, info app.Info) error {
	out := env.stdout
	if f.JSON {
		out = env.stderr
	}
	fmt.Fprintf(out, "Malote is ready at %s (dashboard; the API is under /v1, its documentation at /docs)\n", info.BaseURL)
	if info.WelcomeURL != "" {
		fmt.Fprintf(out, "Watch it in the dashboard: choose a password at %s\n", info.WelcomeURL)
	}
	if f.Keep {
		fmt.Fprintf(out, "Its admin key is in %s\n", info.AdminKeyFile)
	}
	summary, err := demo.Run(env.ctx, demo.Options{
		BaseURL: info.BaseURL, AdminKey: info.AdminKey, Out: out, Terminal: isTerminal(out),
		Duration: f.Duration, Rate: f.Rate, Seed: f.Seed,
	})
	if f.JSON {
		fmt.Fprintf(env.stdout, "%s\n", encoded(summary))
	}
	if f.Keep && env.ctx.Err() == nil {
		fmt.Fprintf(out, "Malote goes on serving at %s until ^C.\n", info.BaseURL)
		<-env.ctx.Done()
	}
	return err
}
