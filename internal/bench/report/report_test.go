package report_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/bench/report"
)

func TestQuantile(t *testing.T) {
	t.Parallel()
	ten := []time.Duration{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	for _, c := range []struct {
		sorted []time.Duration
		q      float64
		want   time.Duration
	}{
		{nil, .5, 0},
		{ten[:1], .01, 1},
		{ten[:1], .99, 1},
		{ten, 0, 1},
		{ten, .1, 1},
		{ten, .5, 5},
		{ten, .51, 6},
		{ten, .9, 9},
		{ten, .99, 10},
		{ten, 1, 10},
	} {
		require.Equal(t, c.want, report.Quantile(c.sorted, c.q), "%v of %v", c.q, c.sorted)
	}
}

// One bad moment is a p99 of the whole, and of one part only; what is bad all the time
// is bad in every part.
func TestQuantilesOf_PartsOfTheTime(t *testing.T) {
	t.Parallel()
	inOrder := make([]time.Duration, 1000)
	for i := range inOrder {
		inOrder[i] = time.Duration(i%10) * time.Millisecond
	}
	for i := range 30 {
		inOrder[500+i] = time.Second
	}
	q := report.QuantilesOf(inOrder)
	require.Equal(t, 1000, q.Count)
	require.EqualValues(t, 1000, q.P99)
	require.EqualValues(t, 9, q.P99OfTenths)
	require.EqualValues(t, time.Second, inOrder[500], "the list is left as it is")

	for i := 0; i < len(inOrder); i += 50 {
		inOrder[i] = time.Second
	}
	require.EqualValues(t, 1000, report.QuantilesOf(inOrder).P99OfTenths)
	require.EqualValues(t, 3, report.QuantilesOf([]time.Duration{3e6}).P99OfTenths)
	require.Zero(t, report.QuantilesOf(nil))
}

func TestMedianRun(t *testing.T) {
	t.Parallel()
	run := func(delivered float64, failed int64) report.Throughput {
		return report.Throughput{Delivered: delivered, WALPerEvent: delivered * 10, Failed: failed}
	}
	got := report.MedianRun([]report.Throughput{run(30, 0), run(10, 2), run(20, 0)})
	require.EqualValues(t, 20, got.Delivered)
	require.EqualValues(t, 200, got.WALPerEvent, "one run's figures, not those of several")
	require.EqualValues(t, 2, got.Failed, "failures are not averaged away")
	require.Equal(t, []float64{30, 10, 20}, got.AllRuns)
	require.EqualValues(t, 10, report.MedianRun([]report.Throughput{run(20, 0), run(10, 0)}).Delivered, "of two the lower")
}

// whole has every scenario, with good rows and bad ones.
func whole() report.Report {
	calm := report.Quantiles{Count: 100, P50: 5, P95: 8, P99: 10, Most: 12}
	slow := report.Quantiles{Count: 99, P50: 50, P95: 150, P99: 300, Most: 900, Missing: 1}
	r := report.Report{
		StartedAt: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC),
		Malote:    report.Build{Version: "v1.2.3", Commit: "abcdef", Go: "go1.26"},
		Machine:   report.Machine{CPU: "A <CPU>", Cores: 2, Memory: 4 << 30, System: "Linux", Private: true},
		Settings:  report.Settings{WarmUpSeconds: 3, DurationSeconds: 10, Runs: 3, MaxInFlight: 256, DefaultMaxInFlight: 64},
		Throughput: []report.Throughput{
			{System: report.Malote, Publishers: 32, Endpoints: 100, Published: 2000, Delivered: 1000, WALPerEvent: 3000, Backlog: 10000, Failed: 1, FirstFail: "503", AllRuns: []float64{1000}},
			{System: "river", Publishers: 32, Endpoints: 100, Published: 1500, Delivered: 1500, WALPerEvent: 2000, AllRuns: []float64{1500}},
			{System: report.Malote, Publishers: 128, Endpoints: 1, Published: 3000, Delivered: 3000, WALPerEvent: 1000, AllRuns: []float64{3000}},
			{System: "river", Publishers: 128, Endpoints: 1, Published: 1000, Delivered: 1000, WALPerEvent: 2000, AllRuns: []float64{1000}},
		},
		Limits:     &report.Limits{Requests: 20000, Cycles: 10000, Both: 6000, Batch: 256},
		Latency:    []report.Latency{{Processes: "one", Rate: 50, Quantiles: calm}, {Processes: "two", Rate: 50, Quantiles: slow}},
		Isolation:  []report.Isolation{{Endpoints: 100, MaxInFlight: 16, Before: calm, During: slow, Hung: 3}},
		Scale:      []report.Scale{{Endpoints: 1000, Backlog: 1000, Batch: 64, P50: 5, P99: 9}, {Endpoints: 1000, Backlog: 1_000_000, Batch: 64, P50: 11, P99: 19}},
		Ingest:     []report.Ingest{{Senders: 32, Accepted: 1000, Failed: 1, FirstFail: "503"}},
		RetryStorm: []report.RetryStorm{{OutageSeconds: 10, Backlog: 3000, Before: calm, Outage: calm, Draining: slow, DrainSeconds: 180}},
		Memory:     []report.Memory{{Scenario: "latency", RSSMost: 60 << 20}, {Scenario: "backlog", RSSMost: 300 << 20}},
		Broken:     []report.Broken{{Scenario: "scale", Error: "no space"}},
	}
	r.Database = report.Database{Version: "15", Settings: []report.Setting{{Name: "fsync", Value: "on"}, {Name: "synchronous_commit", Value: "off"}}}
	return r
}

func table(t *testing.T, r report.Report, title string) report.Table {
	t.Helper()
	for _, found := range r.Tables() {
		if found.Title == title {
			return found
		}
	}
	t.Fatalf("there is no table %q", title)
	return report.Table{}
}

// G11: bad rows are there, and say so.
func TestGateway_G11_BadRowsAreMarkedAndKept(t *testing.T) {
	t.Parallel()
	for title, marks := range map[string][]string{
		"Throughput":                        {"! publishes failed: 503; delivers less than it takes; slower than river", "", "", ""},
		"What an event costs":               {"! more WAL than river", "", "", ""},
		"Limits of this machine":            {"", "", ""},
		"Latency":                           {"", "! p99 over 100 ms; 1 never came"},
		"Isolation":                         {"", "! p99 more than doubled; 1 never came"},
		"Claims over endpoints and backlog": {"", "! more than twice the least"},
		"Ingest":                            {"! webhooks were turned away: 503"},
		"Retry storm":                       {"", "", "! the backlog was not through; p99 more than doubled; 1 never came"},
		"Memory":                            {"", "! over 256 MB"},
	} {
		found := table(t, whole(), title)
		require.Len(t, found.Rows, len(marks), title)
		for i, row := range found.Rows {
			require.Equal(t, marks[i], row.Mark(), "%s, row %d", title, i)
			require.Len(t, row.Cells, len(found.Head), title)
		}
	}
}

func TestTables_CompareWithinOneRun(t *testing.T) {
	t.Parallel()
	rows := table(t, whole(), "Throughput").Rows
	require.Equal(t, []string{"malote", "32", "100", "2,000", "1,000", "10,000", "1", "–", "17 %", "1,000"}, rows[0].Cells)
	require.Contains(t, rows[1].Cells, "0.67 ×")
	require.Contains(t, rows[3].Cells, "3.00 ×")
	require.Equal(t, []string{"both: POST in, cycle, POST out", "6,000", "50 %"}, table(t, whole(), "Limits of this machine").Rows[2].Cells)
}

func TestTables_OnlyOfWhatRan(t *testing.T) {
	t.Parallel()
	require.Empty(t, report.Report{}.Tables())
	require.Len(t, report.Report{Latency: whole().Latency}.Tables(), 1)
}

func TestFactsAndWarnings(t *testing.T) {
	t.Parallel()
	facts := ""
	for _, fact := range whole().Facts() {
		facts += fact[0] + ": " + fact[1] + "\n"
	}
	for _, part := range []string{"A <CPU>, 2 cores, 4 GB", "v1.2.3, commit abcdef, go1.26", "synchronous_commit off", "at most 256 in a process (the default of malote serve is 64, F05)", "medians of 3 runs", "2026-03-01T12:00:00Z"} {
		require.Contains(t, facts, part)
	}
	require.Len(t, whole().Warnings(), 2, "not durable, and a scenario that is missing")
	busy := whole()
	busy.Machine.Load, busy.Broken, busy.Database.Settings[1].Value = 1.5, nil, "on"
	require.Len(t, busy.Warnings(), 1)
	require.Contains(t, busy.Warnings()[0], "busy")
}

// The names are for programs: they do not change.
func TestReport_JSON(t *testing.T) {
	t.Parallel()
	encoded, err := json.Marshal(whole())
	require.NoError(t, err)
	var got map[string]any
	require.NoError(t, json.Unmarshal(encoded, &got))
	for _, name := range []string{"started_at", "malote", "machine", "database", "settings", "throughput", "limits", "latency", "isolation", "scale", "ingest", "retry_storm", "memory", "broken"} {
		require.Contains(t, got, name)
	}
	first := got["throughput"].([]any)[0].(map[string]any)
	for _, name := range []string{"system", "publishers", "endpoints", "published_per_second", "delivered_per_second", "backlog_at_the_end", "failed_publishes",
		"wal_bytes_per_event", "commits_per_event", "rows_written_per_event", "server_us_per_event", "load_us_per_event", "rss_bytes_at_most"} {
		require.Contains(t, first, name)
	}
	latency := got["latency"].([]any)[1].(map[string]any)
	require.EqualValues(t, 300, latency["p99_ms"], "quantiles are members of the row")
	empty, err := json.Marshal(report.Report{})
	require.NoError(t, err)
	require.NotContains(t, string(empty), "throughput")
}

func TestWritePage(t *testing.T) {
	t.Parallel()
	var page bytes.Buffer
	require.NoError(t, whole().WritePage(&page))
	text := page.String()
	require.Contains(t, text, "A &lt;CPU&gt;")
	require.Contains(t, text, "prefers-color-scheme: dark")
	require.Contains(t, text, "! more than twice the least")
	require.GreaterOrEqual(t, strings.Count(text, "<svg"), 9, "a plot for every table")
	require.NotRegexp(t, `(?i)<script|https?://|url\(|@import|\ssrc=`, text, "it needs nothing else")
	require.NotContains(t, text, "ZgotmplZ")
	require.NotContains(t, text, "NaN")
}
