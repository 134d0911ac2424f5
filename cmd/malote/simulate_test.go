package main

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/simulate"
)

// short is an incident that is over soon.
func short(more ...string) []string {
	return append([]string{
		"simulate", "incident", "--destinations", "50", "--duration", "90s", "--slow-from", "20s", "--slow-until", "1m",
	}, more...)
}

func TestSimulateIncident_ShowsWhatTheHealthyFeel(t *testing.T) {
	t.Parallel()
	shown := succeeds(t, short()...)
	require.Contains(t, shown, "49 healthy destinations: 40 events/s together, answered in about 80ms.")
	require.Contains(t, shown, "1 slow destination: 12 events/s, answered in 28s from 0:20 to 1:00. 16 workers")
	require.Regexp(t, `(?m)^one queue +healthy +while +[\d,]+ +\d+s `, shown)
	require.Regexp(t, `(?m)^lanes +healthy +while +[\d,]+ +\d+ms +\d+ms +\d+ms +\d+ms$`, shown)
	require.Regexp(t, `(?m)^lanes +slow .* of [\d,]+ `, shown)
	require.NotContains(t, shown, "no quota", "one slow destination cannot hold all workers")
	require.Equal(t, shown, succeeds(t, short()...), "the same seed")
	require.NotEqual(t, shown, succeeds(t, short("--seed", "2")...))
	require.Contains(t, succeeds(t, short("--slow-destinations", "5")...), "lanes, no quota")
}

func TestSimulateIncident_JSON(t *testing.T) {
	t.Parallel()
	printed := succeeds(t, short("--json")...)
	require.Len(t, splitLines(printed), 1)
	var view incidentView
	require.NoError(t, json.Unmarshal([]byte(printed), &view))
	require.Equal(t, 28_000., view.Incident.SlowAnswerMS)
	require.Len(t, view.Systems, 2)
	one, lanes := view.Systems[0], view.Systems[1]
	require.Equal(t, simulate.OneQueue, one.System)
	require.Equal(t, simulate.Lanes, lanes.System)
	require.Equal(t, one.Healthy.While.Published, lanes.Healthy.While.Published)
	require.Greater(t, one.Healthy.While.P50MS, 10_000.)
	require.Less(t, lanes.Healthy.While.P99MS, 1_000.)
	require.Positive(t, lanes.Slow.TimedOut)
	require.Equal(t, 90., lanes.Samples[len(lanes.Samples)-1].UntilSeconds)
}

func TestSimulateIncident_SVG(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "plot.svg")
	succeeds(t, short("--slow-destinations", "5", "--svg", path)...)
	drawn, err := os.ReadFile(path)
	require.NoError(t, err)
	elements := make(map[string]int)
	decoder := xml.NewDecoder(strings.NewReader(string(drawn)))
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			break
		}
		require.NoError(t, err, "well formed")
		if start, ok := token.(xml.StartElement); ok {
			elements[start.Name.Local]++
			require.NotContains(t, []string{"script", "image", "use", "style"}, start.Name.Local, "self-contained")
		}
	}
	require.Equal(t, 1, elements["title"])
	require.Equal(t, 1, elements["desc"])
	require.GreaterOrEqual(t, elements["polyline"], 6, "p50 and p99 of three systems")
	require.Contains(t, string(drawn), "What 45 healthy destinations feel while 5 others are slow")
	require.NotContains(t, string(drawn), "NaN")

	malote(t, short("--svg", filepath.Join(path, "impossible.svg"))...).fails(t, 1)
}

func TestSimulateIncident_RefusesWhatMakesNoSense(t *testing.T) {
	t.Parallel()
	for flags, complaint := range map[string]string{
		"--destinations 1":                   "--destinations",
		"--destinations 3000000":             "--destinations",
		"--slow-destinations 0":              "--slow-destinations",
		"--slow-destinations 1800":           "--slow-destinations",
		"--workers 0":                        "--workers",
		"--workers 1001":                     "--workers",
		"--rate 0":                           "--rate",
		"--rate NaN":                         "--rate",
		"--rate Inf":                         "events",
		"--slow-rate=-1":                     "--slow-rate",
		"--answer 0s":                        "--answer",
		"--slow-answer 2h":                   "--slow-answer",
		"--duration 5m":                      "--slow-until",
		"--duration 1000h":                   "--duration",
		"--slow-from=-1s":                    "--slow-from",
		"--slow-from 8m":                     "--slow-from",
		"--rate 2000 --slow-rate 1":          "1,000,000",
		"--duration 100h --slow-until 7m":    "1,000,000",
		"--duration 500ms --slow-until 40ms": "--duration",
	} {
		arguments := append([]string{"simulate", "incident"}, strings.Fields(flags)...)
		require.Contains(t, malote(t, arguments...).fails(t, 2), complaint, flags)
	}
}

func TestSimulateIncident_CanBeInterrupted(t *testing.T) {
	t.Parallel()
	parser := parsers.Get().(*kong.Kong)
	defer parsers.Put(parser)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stdout, stderr output
	env := &environment{ctx: ctx, stdin: strings.NewReader(""), stdout: &stdout, stderr: &stderr}
	require.Equal(t, 1, env.run(parser, []string{"simulate", "incident"}))
	require.Contains(t, stderr.String(), "interrupted")
	require.Empty(t, stdout.String())
}

func TestSimulate_LogAxis(t *testing.T) {
	t.Parallel()
	axis := newLogAxis(80*time.Millisecond, 5*time.Minute, 100, 500)
	require.Equal(t, 10*time.Millisecond, axis.low)
	require.Equal(t, 10*time.Minute, axis.high)
	require.InDelta(t, 500, axis.y(axis.low), 1e-9)
	require.InDelta(t, 100, axis.y(axis.high), 1e-9)
	require.InDelta(t, axis.y(100*time.Millisecond)-axis.y(time.Second), axis.y(time.Second)-axis.y(10*time.Second), 1e-9, "equal factors, equal distances")
	require.InDelta(t, 500, axis.y(0), 1e-9, "what is outside is drawn at the edge")
	var labels []string
	for _, at := range axis.ticks() {
		labels = append(labels, tickLabel(at))
	}
	require.Equal(t, []string{"10 ms", "100 ms", "1 s", "10 s", "1 min", "10 min"}, labels)
	for _, same := range []time.Duration{0, time.Microsecond, time.Second, 100 * day} {
		axis := newLogAxis(same, same, 0, 1)
		require.Less(t, axis.low, axis.high)
	}
}

func TestSimulate_TimeAxis(t *testing.T) {
	t.Parallel()
	for duration, want := range map[time.Duration]int{
		time.Second: 11, 90 * time.Second: 7, 12 * time.Minute: 13, time.Hour: 13, 7 * day: 8,
	} {
		axis := timeAxis{duration, 0, 100}
		require.Len(t, axis.ticks(), want, "%s", duration)
		require.LessOrEqual(t, axis.x(axis.ticks()[want-1]), 100.)
	}
}

func TestSimulate_Words(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0", 999: "999", 1799: "1,799", 1_000_000: "1,000,000"} {
		require.Equal(t, want, grouped(n))
	}
	for d, want := range map[time.Duration]string{
		0: absent, 80 * time.Millisecond: "80ms", 1500 * time.Millisecond: "1.5s", 28 * time.Second: "28s", 3 * time.Minute: "3m",
	} {
		require.Equal(t, want, latency(d))
	}
	for d, want := range map[time.Duration]string{0: "0:00", 450 * time.Second: "7:30", 26*time.Hour + time.Second: "26:00:01"} {
		require.Equal(t, want, elapsed(d))
	}
}

// Figures of another version would be somebody else's.
func TestSimulateIncident_TheDocumentationIsOfThisVersion(t *testing.T) {
	t.Parallel()
	const again = "make it anew: malote simulate incident --svg docs/images/incident.svg"
	written, err := os.ReadFile("../../docs/simulation.md")
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "plot.svg")
	require.Contains(t, string(written), succeeds(t, "simulate", "incident", "--svg", path), again)
	want, err := os.ReadFile("../../docs/images/incident.svg")
	require.NoError(t, err)
	drawn, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), string(drawn), again)
	for line := range strings.Lines(succeeds(t, "simulate", "incident", "--slow-destinations", "8", "--slow-rate", "3")) {
		if strings.Contains(line, " healthy ") && strings.Contains(line, " while ") {
			require.Contains(t, string(written), line, again)
		}
	}
}
