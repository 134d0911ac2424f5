package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

type doctorCommand struct {
	storageFlags
	exposureFlags
	secretKeyFlags
	relayFlags
	mailFlags
	JSON bool `name:"json" help:"Print JSON."`
}

// Help implements kong.HelpProvider.
func (doctorCommand) Help() string {
	return `Give it the settings that malote serve has: as flags, in the environment, or in malote.yaml.
Exits with 1 if something is wrong; a warning is not.

Examples:
  malote doctor
  DATABASE_URL=postgres://… malote doctor --json`
}

// health is what a check comes to.
type health string

// The outcomes of a check.
const (
	healthy health = "ok"
	warning health = "warning"
	wrong   health = "wrong"
)

// finding is what one check found, and what to do about it.
type finding struct {
	Check  string `json:"check"`
	Health health `json:"health"`
	Found  string `json:"found"`
	Fix    string `json:"fix,omitempty"`
}

// report is the whole examination.
type report struct {
	OK     bool      `json:"ok"`
	Checks []finding `json:"checks"`
}

// checkTime bounds one check: a doctor that hangs helps nobody.
const checkTime = 15 * time.Second

// Run implements the command.
func (f *doctorCommand) Run(env *environment) error {
	progress := env.progress("examining")
	examined := report{OK: true}
	for _, part := range []struct {
		name    string
		examine func(context.Context) []finding
	}{
		{"the settings", f.examineSettings}, {"the server", f.examineServer}, {"the mail server", f.examineMail}, {"the database", f.examineDatabase},
	} {
		progress.say("examining %s", part.name)
		ctx, cancel := context.WithTimeout(env.ctx, checkTime)
		examined.Checks = append(examined.Checks, part.examine(ctx)...)
		cancel()
	}
	progress.stop()
	for _, found := range examined.Checks {
		examined.OK = examined.OK && found.Health != wrong
	}
	return f.tell(env, examined)
}

func (f *doctorCommand) tell(env *environment, examined report) error {
	if f.JSON {
		fmt.Fprintf(env.stdout, "%s\n", encoded(examined))
	} else {
		out := newTable(env.stdout)
		for _, found := range examined.Checks {
			out.row(string(found.Health), found.Check, found.Found)
			if found.Fix != "" {
				out.row("", "", "→ "+found.Fix)
			}
		}
		out.flush()
	}
	if !examined.OK {
		return errors.New("something is wrong: see above")
	}
	return nil
}
