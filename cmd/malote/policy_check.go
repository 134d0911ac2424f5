package main

import (
	"fmt"

	"github.com/malotehq/malote/internal/policy"
)

type policyCheckCommand struct {
	File []string `arg:"" help:"Files to check; - is standard input."`
}

// Help implements kong.HelpProvider.
func (policyCheckCommand) Help() string {
	return `Prints file:line:column and the reason for each file that is refused, and exits with 1 then.

Example:
  malote policy check mine.yaml`
}

// Run implements the command.
func (f *policyCheckCommand) Run(env *environment) error {
	refused := false
	for _, file := range f.File {
		name, source, err := readInput(env, file, policy.MaxSourceBytes)
		if err != nil {
			return err
		}
		parsed, err := policy.Parse(source)
		if err != nil {
			refused = true
			fmt.Fprintln(env.stderr, oneLine(placed(name, err)))
			continue
		}
		fmt.Fprintf(env.stdout, "%s is a policy: %s. %s\n", name, parsed.Name, attemptsSentence(timetableOf(parsed)))
	}
	if refused {
		return errToldAlready
	}
	return nil
}
