package bench

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/malotehq/malote/internal/bench/report"
)

// bench is one run.
type bench struct {
	Options
	report report.Report

	done, total int
	scenario    Scenario           // that runs now
	rss         map[Scenario]int64 // the most of any malote serve, in bytes
}

// scenario says how many measurements it is and how to make them.
type scenario struct {
	steps func(*bench) int
	run   func(*bench, context.Context) error
}

var scenarios = map[Scenario]scenario{
	ScenarioThroughput: {(*bench).throughputSteps, (*bench).throughput},
	ScenarioLatency:    {func(*bench) int { return len(latencyCases) }, (*bench).latency},
	ScenarioIsolation:  {func(b *bench) int { return len(b.isolationCases()) }, (*bench).isolation},
	ScenarioScale:      {(*bench).scaleSteps, (*bench).scale},
	ScenarioIngest:     {func(b *bench) int { return len(b.Publishers) }, (*bench).ingest},
	ScenarioRetryStorm: {func(*bench) int { return 1 }, (*bench).retryStorm},
	ScenarioMemory:     {func(*bench) int { return 1 }, (*bench).memory},
}

// Run measures, one scenario after another. A scenario that cannot be measured is
// in the report, with the reason, and the others run all the same. It returns an
// error when nothing can be measured, or ctx has ended; whatever was started is
// gone by then.
func Run(ctx context.Context, o Options) (report.Report, error) {
	if err := o.check(); err != nil {
		return report.Report{}, err
	}
	b := &bench{Options: o, rss: make(map[Scenario]int64)}
	b.report.StartedAt = time.Now()
	b.report.Settings = report.Settings{
		WarmUpSeconds: o.WarmUp.Seconds(), DurationSeconds: o.Duration.Seconds(), Runs: o.Runs,
		MaxInFlight: o.MaxInFlight, DefaultMaxInFlight: defaultMaxInFlight, Full: o.Full,
	}
	if err := b.describe(ctx); err != nil {
		return report.Report{}, err
	}
	for _, name := range Scenarios {
		if b.wants(name) {
			b.total += scenarios[name].steps(b)
		}
	}
	for _, name := range Scenarios {
		if !b.wants(name) {
			continue
		}
		b.scenario = name
		err := scenarios[name].run(b, ctx)
		if ctx.Err() != nil {
			return report.Report{}, ctx.Err()
		}
		if err != nil {
			b.report.Broken = append(b.report.Broken, report.Broken{Scenario: string(name), Error: err.Error()})
		}
	}
	return b.report, nil
}

func (b *bench) wants(name Scenario) bool { return slices.Contains(b.Scenarios, name) }

// step tells that a measurement begins.
func (b *bench) step(format string, arguments ...any) {
	b.Progress(b.done, b.total, fmt.Sprintf("%s: %s", b.scenario, fmt.Sprintf(format, arguments...)))
	b.done++
}

// pause waits, unless ctx ends first.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// pollEvery is how often a condition is looked at.
const pollEvery = 10 * time.Millisecond

// await says whether the condition came true within the limit.
func await(ctx context.Context, limit time.Duration, holds func() bool) bool {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for !holds() {
		if pause(ctx, pollEvery) != nil {
			return holds()
		}
	}
	return true
}
