package report

import "fmt"

// What counts as bad: people notice a tenth of a second, and whatever doubles.
const (
	noticeable = 100.0 // ms
	slack      = 10.0  // ms that a doubled p99 may lie above the other, unmarked
	generous   = 2.0
)

// worse says whether p99 has more than doubled.
func worse(before, after Quantiles) bool {
	return after.P99 > generous*before.P99 && after.P99-before.P99 > slack
}

func (r Report) latencyTable() Table {
	t := Table{
		Title: "Latency",
		About: "From the beginning of a publish to its receipt, at a gentle rate.",
		Head:  []string{"PROCESSES", "PUBLISHED/S", "EVENTS", "P50", "P95", "P99", "LONGEST", "FAILED"},
	}
	for _, l := range r.Latency {
		var bad []string
		if l.P99 > noticeable {
			bad = append(bad, fmt.Sprintf("p99 over %.0f ms", noticeable))
		}
		t.Rows = append(t.Rows, Row{
			Cells: []string{l.Processes, rate(l.Rate), whole(float64(l.Count)), millis(l.P50), millis(l.P95), millis(l.P99), millis(l.Most), whole(float64(l.Failed))},
			Bad:   missing(failures(bad, l.Failed), l.Quantiles),
		})
	}
	return t
}

// missing tells of events that never came.
func missing(bad []string, q Quantiles) []string {
	if q.Missing > 0 {
		return append(bad, whole(float64(q.Missing))+" never came")
	}
	return bad
}

func failures(bad []string, failed int64) []string {
	if failed > 0 {
		return append(bad, "publishes failed")
	}
	return bad
}

func (r Report) isolationTable() Table {
	t := Table{
		Title: "Isolation",
		About: "One endpoint takes long over every request; what the others feel, before and while it has traffic, from publish to receipt. KNOWN: all others had answered before. OF TENTHS: the median of the p99s of ten equal parts of the time.",
		Head:  []string{"ENDPOINTS", "SLOTS", "HANGS", "RATE TO IT", "TO OTHERS", "KNOWN", "HEALTHY", "EVENTS", "P50", "P99", "OF TENTHS", "LONGEST", "HUNG"},
	}
	for _, i := range r.Isolation {
		row := func(when, hung string, q Quantiles, bad []string) Row {
			return Row{Cells: []string{whole(float64(i.Endpoints)), whole(float64(i.MaxInFlight)), seconds(i.HangSeconds), rate(i.HangingRate), rate(i.HealthyRate), yes(i.Known),
				when, whole(float64(q.Count)), millis(q.P50), millis(q.P99), millis(q.P99OfTenths), millis(q.Most), hung}, Bad: missing(bad, q)}
		}
		var bad []string
		if worse(i.Before, i.During) {
			bad = append(bad, "p99 more than doubled")
		}
		if i.Hung == 0 {
			bad = append(bad, "nothing hung")
		}
		t.Rows = append(t.Rows, row("before", absent, i.Before, nil), row("during", whole(float64(i.Hung)), i.During, failures(bad, i.Failed)))
	}
	return t
}

func (r Report) scaleTable() Table {
	t := Table{
		Title: "Claims over endpoints and backlog",
		About: "One call of a claim, from Go. Every endpoint is ready and has three deliveries due; one of them has the backlog, and is among those claimed from.",
		Head:  []string{"ENDPOINTS", "BACKLOG OF ONE", "AT ONCE", "CALLS", "P50", "P99", "OF THE LEAST"},
	}
	least := 0.0
	for _, s := range r.Scale {
		if least == 0 || s.P50 < least {
			least = s.P50
		}
	}
	for _, s := range r.Scale {
		var bad []string
		if Ratio(s.P50, least) > generous {
			bad = append(bad, "more than twice the least")
		}
		t.Rows = append(t.Rows, Row{Cells: []string{whole(float64(s.Endpoints)), whole(float64(s.Backlog)), whole(float64(s.Batch)), whole(float64(s.Calls)),
			millis(s.P50), millis(s.P99), fmt.Sprintf("%.2f ×", Ratio(s.P50, least))}, Bad: bad})
	}
	return t
}

func (r Report) ingestTable() Table {
	t := Table{
		Title: "Ingest",
		About: "Stripe-signed webhooks through the inbound door: verified, deduplicated, committed, then answered. Every tenth is a repetition. They match no endpoint.",
		Head:  []string{"SENDERS", "EVENTS/S", "DUPLICATES/S", "ANSWER P50", "P99", "WAL", "COMMITS", "CPU MALOTE", "RSS AT MOST", "FAILED"},
	}
	for _, i := range r.Ingest {
		var bad []string
		if i.Failed > 0 {
			bad = append(bad, "webhooks were turned away: "+i.FirstFail)
		}
		t.Rows = append(t.Rows, Row{Cells: []string{whole(float64(i.Senders)), whole(i.Accepted), whole(i.Duplicates), millis(i.P50), millis(i.P99),
			kilobytes(i.WALPerEvent), fmt.Sprintf("%.3f", i.Commits), micros(i.ServerTime), megabytes(i.RSSMost), whole(float64(i.Failed))}, Bad: bad})
	}
	return t
}

func (r Report) stormTable() Table {
	t := Table{
		Title: "Retry storm",
		About: "Ten of a hundred endpoints answer 500 for a while, then recover: how long until their backlog is through, and what the healthy ones notice. Retries and pauses are seconds here, so that a run ends.",
		Head:  []string{"HEALTHY", "EVENTS", "P50", "P99", "LONGEST", "OUTAGE", "REFUSED", "BACKLOG", "THROUGH AFTER", "FAILED"},
	}
	for _, s := range r.RetryStorm {
		through := seconds(s.DrainSeconds)
		var late []string
		if !s.Drained {
			through, late = "not after "+through, []string{"the backlog was not through"}
		}
		for _, phase := range []struct {
			name string
			q    Quantiles
			bad  []string
		}{{"before", s.Before, nil}, {"during the outage", s.Outage, nil}, {"while it drains", s.Draining, late}} {
			if worse(s.Before, phase.q) {
				phase.bad = append(phase.bad, "p99 more than doubled")
			}
			t.Rows = append(t.Rows, Row{Cells: []string{phase.name, whole(float64(phase.q.Count)), millis(phase.q.P50), millis(phase.q.P99), millis(phase.q.Most),
				seconds(s.OutageSeconds), whole(float64(s.Refused)), whole(float64(s.Backlog)), through, whole(float64(s.Failed))},
				Bad: missing(failures(phase.bad, s.Failed), phase.q)})
		}
	}
	return t
}

// muchMemory is more than a process should ever need, in bytes.
const muchMemory = 256 << 20

func (r Report) memoryTable() Table {
	t := Table{
		Title: "Memory",
		About: "The most that any malote serve was resident with in each scenario.",
		Head:  []string{"SCENARIO", "BACKLOG", "RSS AT MOST"},
	}
	for _, m := range r.Memory {
		var bad []string
		if m.RSSMost > muchMemory {
			bad = append(bad, "over "+megabytes(muchMemory))
		}
		t.Rows = append(t.Rows, Row{Cells: []string{m.Scenario, whole(float64(m.Backlog)), megabytes(m.RSSMost)}, Bad: bad})
	}
	return t
}
