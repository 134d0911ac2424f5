package main

import (
	"fmt"
	"io"
	"time"

	"github.com/malotehq/malote/internal/simulate"
)

// printIncident shows first what destinations felt, then what it came to.
func printIncident(out io.Writer, incident simulate.Incident, results []simulate.Result) error {
	fmt.Fprintf(out, "%s\n\n", incidentSentence(incident))
	felt := newTable(out, "SYSTEM", "DESTINATIONS", "PUBLISHED", "EVENTS", "P50", "P95", "P99", "LONGEST")
	each(results, func(system, whose string, group simulate.Group) {
		for _, period := range periodsOf(group) {
			l := period.latency
			felt.row(system, whose, period.name, grouped(l.Published), latency(l.P50), latency(l.P95), latency(l.P99), latency(l.Max))
		}
	})
	felt.flush()
	fmt.Fprintln(out)
	came := newTable(out, "SYSTEM", "DESTINATIONS", "DELIVERED BY "+exact(incident.Duration), "ATTEMPTS", "TIMED OUT", "MOST WAITING", "OLDEST", "LAST CLOSED")
	each(results, func(system, whose string, group simulate.Group) {
		inTime, published := inTime(group)
		came.row(system, whose, fmt.Sprintf("%s of %s", grouped(inTime), grouped(published)), grouped(group.Attempts),
			grouped(group.TimedOut), grouped(group.MostWaiting), latency(group.Oldest), brief(group.DrainedAt))
	})
	came.flush()
	_, err := fmt.Fprintln(out, "\n"+incidentNote)
	return err
}

const incidentNote = `Times are from publish to the answer, by when the event was published: before, while or after destinations were slow.
OLDEST is the highest age of what was not delivered yet, as long as events were published.`

func incidentSentence(i simulate.Incident) string { return healthySentence(i) + " " + slowSentence(i) }

func healthySentence(i simulate.Incident) string {
	healthy := i.Destinations - i.SlowDestinations
	return fmt.Sprintf("%s healthy %s: %g events/s together, answered in about %s.",
		grouped(healthy), noun(healthy, "destination"), i.Rate, exact(i.Answer))
}

func slowSentence(i simulate.Incident) string {
	each := ""
	if i.SlowDestinations > 1 {
		each = " each"
	}
	return fmt.Sprintf("%s slow %s: %g events/s%s, answered in %s from %s to %s. %s %s for all of them.",
		grouped(i.SlowDestinations), noun(i.SlowDestinations, "destination"), i.SlowRate, each,
		exact(i.SlowAnswer), elapsed(i.SlowFrom), elapsed(i.SlowUntil), grouped(i.Workers), noun(i.Workers, "worker"))
}

func noun(n int, what string) string {
	if n == 1 {
		return what
	}
	return what + "s"
}

// each visits the healthy and the slow destinations of every system.
func each(results []simulate.Result, visit func(system, whose string, group simulate.Group)) {
	for _, r := range results {
		visit(systemNames[r.System], "healthy", r.Healthy)
		visit(systemNames[r.System], "slow", r.Slow)
	}
}

type period struct {
	name    string
	latency simulate.Latency
}

func periodsOf(group simulate.Group) []period {
	return []period{{"before", group.Before}, {"while", group.During}, {"after", group.After}}
}

func inTime(group simulate.Group) (inTime, published int) {
	for _, period := range periodsOf(group) {
		inTime += period.latency.InTime
		published += period.latency.Published
	}
	return inTime, published
}

// latency is a time with two or three digits; none is shown for none.
func latency(d time.Duration) string {
	switch {
	case d <= 0:
		return absent
	case d < 10*time.Second && d >= time.Second:
		return fmt.Sprintf("%.1fs", d.Seconds())
	default:
		return brief(d)
	}
}

// elapsed is a time since the beginning, such as 7:30.
func elapsed(d time.Duration) string {
	if d >= time.Hour {
		return fmt.Sprintf("%d:%02d:%02d", d/time.Hour, d%time.Hour/time.Minute, d%time.Minute/time.Second)
	}
	return fmt.Sprintf("%d:%02d", d/time.Minute, d%time.Minute/time.Second)
}
