package report

import (
	"fmt"
	"strings"
	"time"
)

// Table is for people. Every row has a cell for each column.
type Table struct {
	Title string
	About string // what was done, in a sentence or two
	Head  []string
	Rows  []Row
}

// Row is a row of a table. What looks bad about it is not hidden: it stands beside it.
type Row struct {
	Cells []string
	Bad   []string
}

// Mark is what a row's last cell says of what looks bad; "": nothing does.
func (r Row) Mark() string {
	if len(r.Bad) == 0 {
		return ""
	}
	return "! " + strings.Join(r.Bad, "; ")
}

// Tables gives one for each scenario that ran, in the order of a report.
func (r Report) Tables() []Table {
	var tables []Table
	for _, t := range []Table{
		r.throughputTable(), r.costTable(), r.limitsTable(), r.latencyTable(), r.isolationTable(),
		r.scaleTable(), r.ingestTable(), r.stormTable(), r.memoryTable(),
	} {
		if len(t.Rows) > 0 {
			tables = append(tables, t)
		}
	}
	return tables
}

// Facts are what has to be known to read the figures, by name.
func (r Report) Facts() [][2]string {
	program := []string{r.Malote.Version}
	if r.Malote.Commit != "" {
		program = append(program, "commit "+r.Malote.Commit)
	}
	if r.Malote.Modified {
		program = append(program, "with changes")
	}
	settings := make([]string, 0, len(r.Database.Settings))
	for _, s := range r.Database.Settings {
		settings = append(settings, s.Name+" "+s.Value)
	}
	place := "everything on one machine: PostgreSQL, Malote, load and receivers"
	if !r.Machine.Private {
		place = "PostgreSQL as given, everything else on one machine"
	}
	return [][2]string{
		{"machine", fmt.Sprintf("%s, %d cores, %s of memory, %s; load average before %.1f", r.Machine.CPU, r.Machine.Cores, gigabytes(r.Machine.Memory), r.Machine.System, r.Machine.Load)},
		{"placed", place},
		{"malote", strings.Join(append(program, r.Malote.Go), ", ")},
		{"postgresql", r.Database.Version + ": " + strings.Join(settings, ", ")},
		{"in flight", fmt.Sprintf("at most %d in a process (the default of malote serve is %d, F05)", r.Settings.MaxInFlight, r.Settings.DefaultMaxInFlight)},
		{"measured", fmt.Sprintf("%s after %s of warming up; medians of %s; %s", seconds(r.Settings.DurationSeconds), seconds(r.Settings.WarmUpSeconds),
			plural(r.Settings.Runs, "run"), r.StartedAt.UTC().Format(time.RFC3339))},
	}
}

// Warnings are what makes all figures of the run doubtful.
func (r Report) Warnings() []string {
	var warnings []string
	if len(r.Database.Settings) > 0 && !r.Database.Durable() {
		warnings = append(warnings, "fsync or synchronous_commit is not on: what was acknowledged could be lost, and no figure counts")
	}
	if r.Machine.Load > float64(r.Machine.Cores)/2 {
		warnings = append(warnings, fmt.Sprintf("the machine was busy before the run (load average %.1f on %d cores): figures are too low", r.Machine.Load, r.Machine.Cores))
	}
	for _, b := range r.Broken {
		warnings = append(warnings, fmt.Sprintf("%s could not be measured: %s", b.Scenario, b.Error))
	}
	return warnings
}
