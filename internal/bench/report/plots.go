package report

import (
	"fmt"
	"slices"
)

// section is a table with the plots that show it.
type section struct {
	Table
	Bars  []drawnBars
	Lines []drawnLines
}

func (r Report) sections() []section {
	plots := map[string]func(*section){
		r.throughputTable().Title: r.plotThroughput,
		r.costTable().Title:       r.plotCosts,
		r.limitsTable().Title:     r.plotLimits,
		r.latencyTable().Title:    r.plotLatency,
		r.isolationTable().Title:  r.plotIsolation,
		r.scaleTable().Title:      r.plotScale,
		r.ingestTable().Title:     r.plotIngest,
		r.stormTable().Title:      r.plotStorm,
		r.memoryTable().Title:     r.plotMemory,
	}
	var list []section
	for _, table := range r.Tables() {
		s := section{Table: table}
		plots[table.Title](&s)
		list = append(list, s)
	}
	return list
}

func (s *section) bars(title string, list []bar) {
	s.Bars = append(s.Bars, bars{title, list}.draw())
}

// group gives a system its colour: Malote has the first.
func (r Report) group(of System) int {
	if of == Malote {
		return 0
	}
	var peers []System
	for _, row := range r.Throughput {
		if row.System != Malote && !slices.Contains(peers, row.System) {
			peers = append(peers, row.System)
		}
	}
	return 1 + slices.Index(peers, of)%(groups-1)
}

func (t Throughput) label() string {
	return fmt.Sprintf("%s, %d publishers × %s", t.System, t.Publishers, plural(t.Endpoints, "endpoint"))
}

func (r Report) ofThroughput(s *section, title string, value func(Throughput) float64, text func(float64) string, bad func(Throughput) []string) {
	var list []bar
	for _, row := range r.Throughput {
		list = append(list, bar{row.label(), value(row), text(value(row)), r.group(row.System), len(bad(row)) > 0})
	}
	s.bars(title, list)
}

func (r Report) plotThroughput(s *section) {
	r.ofThroughput(s, "Delivered events a second", func(t Throughput) float64 { return t.Delivered }, whole, r.badThroughput)
}

func (r Report) plotCosts(s *section) {
	r.ofThroughput(s, "WAL bytes of an event", func(t Throughput) float64 { return t.WALPerEvent }, kilobytes, r.badCosts)
	r.ofThroughput(s, "Processor time of an event, system and PostgreSQL, in microseconds",
		func(t Throughput) float64 { return t.ServerTime + t.Postgres }, micros, r.badCosts)
}

func (r Report) plotLimits(s *section) {
	best := 0.0
	for _, row := range r.Throughput {
		if row.System == Malote {
			best = max(best, row.Delivered)
		}
	}
	s.bars("A second", []bar{
		{Label: "bare loopback POSTs", Value: r.Limits.Requests, Text: whole(r.Limits.Requests), Group: 1},
		{Label: "bare batched PostgreSQL cycles", Value: r.Limits.Cycles, Text: whole(r.Limits.Cycles), Group: 1},
		{Label: "both", Value: r.Limits.Both, Text: whole(r.Limits.Both), Group: 1},
		{Label: "Malote's best", Value: best, Text: whole(best)},
	})
}

func quantileBars(label string, group int, q Quantiles) []bar {
	return []bar{
		{Label: label + ", p50", Value: q.P50, Text: millis(q.P50), Group: group},
		{Label: label + ", p99", Value: q.P99, Text: millis(q.P99), Group: group},
	}
}

func (r Report) plotLatency(s *section) {
	var list []bar
	for i, l := range r.Latency {
		list = append(list, quantileBars(l.Processes, i%groups, l.Quantiles)...)
	}
	s.bars("Milliseconds from publish to receipt", list)
}

func (r Report) plotIsolation(s *section) {
	for _, i := range r.Isolation {
		list := append(quantileBars("healthy, before", 0, i.Before), quantileBars("healthy, during", 1, i.During)...)
		known := ""
		if !i.Known {
			known = ", not known before"
		}
		s.bars(fmt.Sprintf("%s endpoints%s, %d slots: milliseconds from publish to receipt", whole(float64(i.Endpoints)), known, i.MaxInFlight), list)
	}
}

func (r Report) plotScale(s *section) {
	chart := lines{Title: "Milliseconds of a claim (p50)", Across: "backlog of one endpoint"}
	for _, row := range r.Scale {
		label := whole(float64(row.Endpoints)) + " endpoints"
		at := slices.IndexFunc(chart.Lines, func(l line) bool { return l.Label == label })
		if at < 0 {
			at, chart.Lines = len(chart.Lines), append(chart.Lines, line{Label: label})
		}
		chart.Lines[at].Points = append(chart.Lines[at].Points, point{float64(row.Backlog), row.P50})
	}
	s.Lines = append(s.Lines, chart.draw())
}

func (r Report) plotIngest(s *section) {
	var list []bar
	for _, i := range r.Ingest {
		list = append(list, bar{plural(i.Senders, "sender"), i.Accepted, whole(i.Accepted), 0, i.Failed > 0})
	}
	s.bars("Webhooks accepted a second", list)
}

func (r Report) plotStorm(s *section) {
	for _, storm := range r.RetryStorm {
		s.bars("What healthy endpoints notice, in milliseconds", slices.Concat(
			quantileBars("before", 0, storm.Before), quantileBars("during the outage", 1, storm.Outage), quantileBars("while the backlog drains", 2, storm.Draining)))
	}
}

func (r Report) plotMemory(s *section) {
	var list []bar
	for _, m := range r.Memory {
		list = append(list, bar{m.Scenario, float64(m.RSSMost) / (1 << 20), megabytes(m.RSSMost), 0, m.RSSMost > muchMemory})
	}
	s.bars("Megabytes at most", list)
}
