package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	measured "github.com/malotehq/malote/internal/bench/report"
	"github.com/malotehq/malote/internal/store/pgtest"
)

// What is counted is what happened; how fast it was, no test can know.
func TestBench_ThroughputEndToEnd(t *testing.T) {
	t.Parallel()
	page := filepath.Join(t.TempDir(), "bench.html")
	dsn := pgtest.EmptyDSN(t)
	got := malote(t, "bench", "throughput", "ingest", "--duration", "1500ms", "--warm-up", "0s", "--runs", "1", "--publishers", "2", "--endpoints", "3",
		"--database-url", dsn, "--json", "--html", page)
	require.Zero(t, got.code, got.stderr)
	require.Contains(t, got.stderr, "4 of 6: throughput: malote, 2 publishers, 3 endpoints, run 1 of 1\n")

	var found measured.Report
	require.NoError(t, json.Unmarshal([]byte(got.stdout), &found))
	require.Empty(t, found.Broken)
	require.Len(t, found.Throughput, 2)
	for i, endpoints := range []int{3, 1} {
		row := found.Throughput[i]
		require.Equal(t, measured.Malote, row.System)
		require.Equal(t, endpoints, row.Endpoints)
		require.Positive(t, row.Published)
		require.Positive(t, row.Delivered)
		require.Zero(t, row.Failed, row.FirstFail)
		require.Positive(t, row.WALPerEvent)
		require.Positive(t, row.RSSMost)
	}
	require.Len(t, found.Ingest, 1)
	require.Positive(t, found.Ingest[0].Accepted)
	require.Zero(t, found.Ingest[0].Failed, found.Ingest[0].FirstFail)
	require.Positive(t, found.Limits.Requests)
	require.Positive(t, found.Limits.Cycles)
	require.Positive(t, found.Limits.Both)
	require.NotEmpty(t, found.Machine.CPU)
	require.Equal(t, 64, found.Settings.DefaultMaxInFlight)
	require.False(t, found.Database.Durable(), "as tests have it")
	written, err := os.ReadFile(page)
	require.NoError(t, err)
	require.Contains(t, string(written), "Delivered events a second")
	require.Empty(t, leftBehind(t, dsn))
}

// leftBehind are the databases of measurements on the tests' server.
func leftBehind(t *testing.T, dsn string) []string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	require.NoError(t, err)
	defer conn.Close(t.Context())
	rows, _ := conn.Query(t.Context(), `SELECT datname FROM pg_database WHERE datname LIKE 'malote_bench_%'`)
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	return names
}

// Not parallel to the other: both look for what is left behind.
func TestBench_InterruptedLeavesNothingBehind(t *testing.T) {
	dsn := pgtest.EmptyDSN(t)
	b := inBackground(t, "bench", "latency", "--duration", "1h", "--warm-up", "0s", "--endpoints", "2", "--database-url", dsn)
	require.Eventually(t, func() bool { return strings.Contains(b.stderr.String(), "1 of 2: latency: one") }, patience, 10*time.Millisecond)
	require.Eventually(t, func() bool { return len(leftBehind(t, dsn)) > 0 }, patience, 10*time.Millisecond)
	b.stop()
	require.Equal(t, exitFailed, <-b.done)
	require.Contains(t, b.stderr.String(), "interrupted")
	require.Empty(t, leftBehind(t, dsn))
}

func TestBench_SaysWhatIsWrongBeforeItBegins(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		arguments []string
		code      int
		says      string
	}{
		"no runs":         {[]string{"--runs", "0"}, exitUsage, "--runs"},
		"no publishers":   {[]string{"--publishers", "4,0"}, exitUsage, "--publishers"},
		"unknown":         {[]string{"luck"}, exitUsage, "throughput"},
		"nameless peer":   {[]string{"--peer", "bench/bin/peer"}, exitUsage, "--peer 'river=bench/bin/peer river'"},
		"peer like us":    {[]string{"--peer", "malote=sh"}, exitUsage, "other than malote"},
		"missing peer":    {[]string{"--peer", "x=/nonexistent/peer"}, exitUsage, "make bench-peers"},
		"page nowhere":    {[]string{"--html", "/nonexistent/x.html"}, exitFailed, "--html"},
		"no such server":  {[]string{"--database-url", "postgres://127.0.0.1:1/x"}, exitFailed, "connecting to PostgreSQL"},
		"no database URL": {[]string{"--database-url", "localhost"}, exitFailed, "PostgreSQL"},
	} {
		require.Contains(t, malote(t, append([]string{"bench"}, test.arguments...)...).fails(t, test.code), test.says, name)
	}
}
