package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/malotehq/malote/internal/policy"
)

type policyScheduleCommand struct {
	apiFlags
	Name string `arg:"" help:"A preset, a file, or a policy of --server's."`
	JSON bool   `name:"json" help:"Print JSON."`
}

// Help implements kong.HelpProvider.
func (policyScheduleCommand) Help() string {
	return `For a delivery that fails every time at once and is asked for no Retry-After, counted from its first attempt.
The code that decides about deliveries computes it.

Example:
  malote policy schedule standard`
}

// timetable is the schedule in JSON, as the API has it.
type timetable struct {
	Policy         string       `json:"policy"`
	FewestAttempts int          `json:"fewest_attempts"`
	MostAttempts   int          `json:"most_attempts"`
	Attempts       []timedEvent `json:"attempts"`
}

type timedEvent struct {
	Attempt       int     `json:"attempt"`
	Wait          string  `json:"wait"`
	WithoutJitter *string `json:"without_jitter"`
	LeastJitter   *string `json:"least_jitter"`
	MostJitter    *string `json:"most_jitter"`
}

// Run implements the command.
func (f *policyScheduleCommand) Run(env *environment) error {
	p, err := f.policyNamed(env, f.Name)
	if err != nil {
		return err
	}
	computed := timetableOf(p)
	if f.JSON {
		_, err := fmt.Fprintf(env.stdout, "%s\n", encoded(computed))
		return err
	}
	out := newTable(env.stdout, "ATTEMPT", "WAIT", "AT", "AT, LEAST JITTER", "AT, MOST JITTER")
	for _, row := range computed.Attempts {
		out.row(fmt.Sprint(row.Attempt), row.Wait, orAbsent(row.WithoutJitter), orAbsent(row.LeastJitter), orAbsent(row.MostJitter))
	}
	out.flush()
	_, err = fmt.Fprintln(env.stdout, attemptsSentence(computed))
	return err
}

func timetableOf(p *policy.Policy) timetable {
	rows := policy.Schedule(p)
	computed := timetable{Policy: p.Name}
	computed.FewestAttempts, computed.MostAttempts = policy.Attempts(rows)
	for _, row := range rows {
		computed.Attempts = append(computed.Attempts, timedEvent{
			Attempt: row.Attempt, Wait: exact(row.Wait),
			WithoutJitter: offset(row.Without), LeastJitter: offset(row.Least), MostJitter: offset(row.Most),
		})
	}
	return computed
}

// offset shows an instant to the millisecond; nil: with that jitter there is no
// such attempt.
func offset(at time.Duration) *string {
	if at == policy.Never {
		return nil
	}
	text := exact(at.Round(time.Millisecond))
	return &text
}

// exact is a duration as policies write it: 72h, not 72h0m0s.
func exact(d time.Duration) string {
	text := d.String()
	if cut, found := strings.CutSuffix(text, "m0s"); found {
		text = cut + "m"
	}
	if cut, found := strings.CutSuffix(text, "h0m"); found {
		text = cut + "h"
	}
	return text
}

func attemptsSentence(t timetable) string {
	between := "to"
	switch t.MostAttempts - t.FewestAttempts {
	case 0:
		return fmt.Sprintf("%s in all.", counted(t.MostAttempts, "attempt"))
	case 1:
		between = "or"
	}
	return fmt.Sprintf("%d %s %d attempts in all, depending on the jitter.", t.FewestAttempts, between, t.MostAttempts)
}
