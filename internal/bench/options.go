package bench

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/malotehq/malote/internal/bench/report"
)

// Scenario is something to measure.
type Scenario string

// The scenarios, in the order in which they run.
const (
	ScenarioThroughput Scenario = "throughput"
	ScenarioLatency    Scenario = "latency"
	ScenarioIsolation  Scenario = "isolation"
	ScenarioScale      Scenario = "scale"
	ScenarioIngest     Scenario = "ingest"
	ScenarioRetryStorm Scenario = "retry-storm"
	ScenarioMemory     Scenario = "memory"
)

// Scenarios are all of them.
var Scenarios = []Scenario{
	ScenarioThroughput, ScenarioLatency, ScenarioIsolation, ScenarioScale, ScenarioIngest, ScenarioRetryStorm, ScenarioMemory,
}

// Peer is another pipeline: a program that finds an empty database in
// DATABASE_URL, says "… is ready at URL" on standard output, and takes POSTs of
// /v1/tenants, /v1/webhook_endpoints and /v1/events as Malote does. It ends at
// SIGTERM.
type Peer struct {
	Name    report.System
	Command []string
}

// Options of Run. All but Peers, DatabaseURL and Progress must be given.
type Options struct {
	Program     string     // malote
	Scenarios   []Scenario // in any order
	Duration    time.Duration
	WarmUp      time.Duration // not counted
	Runs        int           // of each case of throughput
	Publishers  []int
	Endpoints   int
	MaxInFlight int // of each process
	Backlog     int // open deliveries of the memory scenario
	Full        bool
	Peers       []Peer

	// DatabaseURL is a server on which databases may be made; empty: one is started
	// for every measurement, and removed.
	DatabaseURL string

	// Progress is told what begins now; done of total measurements are through. It
	// is called from one goroutine at a time.
	Progress func(done, total int, what string)
}

// defaultMaxInFlight is that of malote serve (F05).
const defaultMaxInFlight = 64

func (o *Options) check() error {
	for _, s := range o.Scenarios {
		if !slices.Contains(Scenarios, s) {
			return fmt.Errorf("there is no scenario %q; the scenarios are %q", s, Scenarios)
		}
	}
	if o.Duration <= 0 || o.WarmUp < 0 || o.Runs <= 0 || o.Endpoints <= 0 || o.MaxInFlight <= 0 || o.Backlog < 0 ||
		len(o.Publishers) == 0 || slices.Min(o.Publishers) <= 0 {
		return errors.New("durations, runs, publishers, endpoints and what is in flight must be more than 0")
	}
	if o.Progress == nil {
		o.Progress = func(int, int, string) {}
	}
	return nil
}
