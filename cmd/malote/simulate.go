package main

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/malotehq/malote/internal/simulate"
)

type simulateCommands struct {
	Incident simulateIncidentCommand `cmd:"" help:"One slow destination among many: what the others feel, with one queue and with lanes."`
}

// Help implements kong.HelpProvider.
func (simulateCommands) Help() string {
	return `Runs the code that decides about deliveries on a time of its own: hours pass in less than a second.
Nothing is sent, and no database is needed.

Example:
  malote simulate incident`
}

type simulateIncidentCommand struct {
	Destinations     int           `help:"How many destinations there are." default:"1800" placeholder:"N" own:"" env:"MALOTE_SIMULATE_DESTINATIONS"`
	SlowDestinations int           `help:"How many of them become slow." default:"1" placeholder:"N" own:"" env:"MALOTE_SIMULATE_SLOW_DESTINATIONS"`
	Workers          int           `help:"How many requests may be under way at once." default:"16" placeholder:"N" own:"" env:"MALOTE_SIMULATE_WORKERS"`
	Rate             float64       `help:"Events a second for all healthy destinations together." default:"40" placeholder:"N" own:"" env:"MALOTE_SIMULATE_RATE"`
	SlowRate         float64       `help:"Events a second for each slow destination." default:"12" placeholder:"N" own:"" env:"MALOTE_SIMULATE_SLOW_RATE"`
	Answer           time.Duration `help:"How long a healthy answer takes; half of them take longer." default:"80ms" placeholder:"TIME" own:"" env:"MALOTE_SIMULATE_ANSWER"`
	SlowAnswer       time.Duration `help:"How long an answer takes while the destination is slow." default:"28s" placeholder:"TIME" own:"" env:"MALOTE_SIMULATE_SLOW_ANSWER"`
	SlowFrom         time.Duration `help:"When they become slow." default:"2m" placeholder:"TIME" own:"" env:"MALOTE_SIMULATE_SLOW_FROM"`
	SlowUntil        time.Duration `help:"When they are well again." default:"7m" placeholder:"TIME" own:"" env:"MALOTE_SIMULATE_SLOW_UNTIL"`
	Duration         time.Duration `help:"How long events are published." default:"12m" placeholder:"TIME" own:"" env:"MALOTE_SIMULATE_DURATION"`
	Seed             uint64        `help:"Other seeds give other events." default:"1" placeholder:"N" own:"" env:"MALOTE_SIMULATE_SEED"`
	JSON             bool          `name:"json" help:"Print one JSON object, with what was felt over time."`
	SVG              string        `name:"svg" help:"Draw what the healthy destinations feel into this file." type:"path" placeholder:"FILE" own:"" env:"-"`
}

// Help implements kong.HelpProvider.
func (simulateIncidentCommand) Help() string {
	return `Plays the same events through a single queue whose workers wait up to 30 seconds for an answer, and through Malote's
lanes under the fair-queue contract: four in flight for each destination, five seconds for an answer, pauses after twenty
failures, and half of the workers kept for destinations that answer in good time. With several slow destinations also
through lanes that keep no workers for anybody. The same seed gives the same figures.

Example:
  malote simulate incident
  malote simulate incident --slow-destinations 8 --svg incident.svg`
}

// mostSimulatedEvents keeps a simulation within a few seconds and a few hundred
// megabytes.
const mostSimulatedEvents = 1_000_000

// Run implements the command.
func (f *simulateIncidentCommand) Run(env *environment) error {
	incident, err := f.incident()
	if err != nil {
		return err
	}
	results, err := playThrough(env, incident)
	if err != nil {
		return err
	}
	if f.SVG != "" {
		if err := os.WriteFile(f.SVG, incidentPlot(incident, results), 0o600); err != nil {
			return err
		}
	}
	if f.JSON {
		_, err := fmt.Fprintf(env.stdout, "%s\n", encoded(incidentViewOf(incident, results)))
		return err
	}
	return printIncident(env.stdout, incident, results)
}

// incident checks the flags: the simulation takes them as they are.
func (f *simulateIncidentCommand) incident() (simulate.Incident, error) {
	incident := simulate.Incident{
		Destinations: f.Destinations, SlowDestinations: f.SlowDestinations, Workers: f.Workers,
		Rate: f.Rate, SlowRate: f.SlowRate, Answer: f.Answer, SlowAnswer: f.SlowAnswer,
		Duration: f.Duration, SlowFrom: f.SlowFrom, SlowUntil: f.SlowUntil, Seed: f.Seed,
	}
	var wrong string
	switch {
	case f.SlowDestinations < 1 || f.Destinations <= f.SlowDestinations || f.Destinations > 100_000:
		wrong = "--destinations must be more than --slow-destinations, which must be at least 1, and at most 100000"
	case f.Workers < 1 || f.Workers > 1000:
		wrong = "--workers must be between 1 and 1000"
	case !(f.Rate > 0) || !(f.SlowRate > 0): // not even NaN
		wrong = "--rate and --slow-rate must be more than 0"
	case !within(f.Answer, time.Millisecond, time.Hour) || !within(f.SlowAnswer, time.Millisecond, time.Hour):
		wrong = "--answer and --slow-answer must be between 1ms and 1h"
	case !within(f.Duration, time.Second, 7*day):
		wrong = "--duration must be between 1s and 168h"
	case f.SlowFrom < 0 || f.SlowUntil <= f.SlowFrom || f.SlowUntil > f.Duration:
		wrong = "--slow-from must come before --slow-until, and that no later than --duration"
	case !(incident.Events() <= mostSimulatedEvents):
		wrong = fmt.Sprintf("that would be %.3g events; at most %s are simulated: choose lower rates or a shorter --duration",
			incident.Events(), grouped(mostSimulatedEvents))
	default:
		return incident, nil
	}
	return simulate.Incident{}, &usageError{wrong}
}

func within(d, least, most time.Duration) bool { return least <= d && d <= most }

// playThrough runs the incident in every system that has something to show.
func playThrough(env *environment, incident simulate.Incident) ([]simulate.Result, error) {
	systems := []simulate.System{simulate.OneQueue}
	if incident.SlowDestinations > 1 { // a single one holds four workers: no quota is needed
		systems = append(systems, simulate.LanesWithoutQuota)
	}
	systems = append(systems, simulate.Lanes) // last, so that it is drawn on top
	progress := env.progress("simulating")
	defer progress.stop()
	var results []simulate.Result
	for _, system := range systems {
		progress.say("simulating %s", systemNames[system])
		result, completed := incident.Run(system, func() bool { return env.ctx.Err() == nil })
		if !completed {
			return nil, errInterrupted
		}
		results = append(results, result)
	}
	return results, nil
}

var systemNames = map[simulate.System]string{
	simulate.OneQueue:          "one queue",
	simulate.Lanes:             "lanes",
	simulate.LanesWithoutQuota: "lanes, no quota",
}

// grouped is a number with its thousands apart.
func grouped(n int) string {
	digits := fmt.Sprint(n)
	var text strings.Builder
	for i, digit := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			text.WriteByte(',')
		}
		text.WriteRune(digit)
	}
	return text.String()
}
