package report

import "fmt"

// behind is the share of what is published that may stay undelivered in the
// measured time before a row counts as falling behind.
const behind = 0.05

func (r Report) throughputTable() Table {
	t := Table{
		Title: "Throughput",
		About: "HTTP publishers publish as fast as they are answered, one event of about 480 bytes to one endpoint each, in turn; receivers answer at once.",
		Head:  []string{"SYSTEM", "PUBLISHERS", "ENDPOINTS", "PUBLISHED/S", "DELIVERED/S", "BACKLOG", "FAILED", "MALOTE IS", "OF LIMIT", "ALL RUNS"},
	}
	for _, row := range r.Throughput {
		ours, found := r.ours(row)
		times, share := absent, absent
		if found && row.System != Malote {
			times = fmt.Sprintf("%.2f ×", Ratio(ours.Delivered, row.Delivered))
		}
		if r.Limits != nil {
			share = fmt.Sprintf("%.0f %%", 100*Ratio(row.Delivered, r.Limits.Both))
		}
		t.Rows = append(t.Rows, Row{
			Cells: []string{string(row.System), whole(float64(row.Publishers)), row.endpoints(), whole(row.Published), whole(row.Delivered),
				whole(float64(row.Backlog)), whole(float64(row.Failed)), times, share, rates(row.AllRuns)},
			Bad: r.badThroughput(row),
		})
	}
	return t
}

// endpoints tells also how many may be in flight for each, where that was chosen.
func (t Throughput) endpoints() string {
	if t.MaxInFlight > 0 {
		return fmt.Sprintf("%s (%d in flight)", whole(float64(t.Endpoints)), t.MaxInFlight)
	}
	return whole(float64(t.Endpoints))
}

// ours is Malote's row of the same case.
func (r Report) ours(row Throughput) (Throughput, bool) {
	for _, other := range r.Throughput {
		if other.System == Malote && other.Publishers == row.Publishers && other.Endpoints == row.Endpoints {
			return other, true
		}
	}
	return Throughput{}, false
}

// peers are the others' rows of the same case as one of Malote's; none for another.
func (r Report) peers(row Throughput) []Throughput {
	var peers []Throughput
	for _, other := range r.Throughput {
		if row.System == Malote && other.System != Malote && other.Publishers == row.Publishers && other.Endpoints == row.Endpoints {
			peers = append(peers, other)
		}
	}
	return peers
}

func (r Report) badCosts(row Throughput) []string {
	var bad []string
	for _, peer := range r.peers(row) {
		if row.WALPerEvent > peer.WALPerEvent {
			bad = append(bad, fmt.Sprintf("more WAL than %s", peer.System))
		}
		if row.ServerTime+row.Postgres > peer.ServerTime+peer.Postgres {
			bad = append(bad, fmt.Sprintf("more processor time than %s", peer.System))
		}
	}
	return bad
}

func (r Report) badThroughput(row Throughput) []string {
	var bad []string
	if row.Failed > 0 {
		bad = append(bad, "publishes failed: "+row.FirstFail)
	}
	if row.Delivered == 0 {
		bad = append(bad, "nothing was delivered")
	}
	if row.Published-row.Delivered > behind*row.Published {
		bad = append(bad, "delivers less than it takes")
	}
	for _, peer := range r.peers(row) {
		if peer.Delivered > row.Delivered {
			bad = append(bad, fmt.Sprintf("slower than %s", peer.System))
		}
	}
	return bad
}

func (r Report) costTable() Table {
	t := Table{
		Title: "What an event costs",
		About: "Of each delivered event, in the same runs. Processor time of the system itself, of PostgreSQL, and of load and receivers together.",
		Head:  []string{"SYSTEM", "PUBLISHERS", "ENDPOINTS", "WAL", "COMMITS", "ROWS", "CPU SYSTEM", "CPU POSTGRESQL", "CPU LOAD", "RSS AT MOST"},
	}
	for _, row := range r.Throughput {
		postgres := absent
		if row.Postgres > 0 {
			postgres = micros(row.Postgres)
		}
		t.Rows = append(t.Rows, Row{
			Cells: []string{string(row.System), whole(float64(row.Publishers)), row.endpoints(), kilobytes(row.WALPerEvent),
				fmt.Sprintf("%.3f", row.Commits), fmt.Sprintf("%.1f", row.Rows), micros(row.ServerTime), postgres, micros(row.LoadTime), megabytes(row.RSSMost)},
			Bad: r.badCosts(row),
		})
	}
	return t
}

func (r Report) limitsTable() Table {
	t := Table{Title: "Limits of this machine", Head: []string{"LIMIT", "PER SECOND", "MALOTE'S BEST"}}
	if r.Limits == nil {
		return t
	}
	best := 0.0
	for _, row := range r.Throughput {
		if row.System == Malote {
			best = max(best, row.Delivered)
		}
	}
	t.About = fmt.Sprintf("Measured in the same run. A cycle is the least that PostgreSQL must do for a delivery that is not lost, in Malote's tables: event and queue row in, claimed, out, history and attempt in; %d a transaction.", r.Limits.Batch)
	for _, limit := range []struct {
		name string
		rate float64
	}{
		{"bare loopback POSTs", r.Limits.Requests},
		{"bare batched PostgreSQL cycles", r.Limits.Cycles},
		{"both: POST in, cycle, POST out", r.Limits.Both},
	} {
		t.Rows = append(t.Rows, Row{Cells: []string{limit.name, whole(limit.rate), fmt.Sprintf("%.0f %%", 100*Ratio(best, limit.rate))}})
	}
	return t
}
