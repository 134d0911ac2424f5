package metrics

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const root = "../.."

var documentedRow = regexp.MustCompile("(?m)^\\| `(malote_[a-z_]+)` \\| (\\w+)[^|]*\\|([^|]*)\\|[^|]*[^| ]+[^|]*\\|$")

// documented maps names to the labels that docs/metrics.md gives them, sorted.
func documented(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "docs/metrics.md"))
	require.NoError(t, err)
	found := map[string]string{}
	for _, row := range documentedRow.FindAllStringSubmatch(string(text), -1) {
		labels := strings.FieldsFunc(row[3], func(r rune) bool { return strings.ContainsRune("`, ", r) })
		slices.Sort(labels)
		found[row[1]] = row[2] + " " + strings.Join(labels, ",")
	}
	require.Len(t, found, strings.Count(string(text), "\n| `malote_"), "a row of the table has another form")
	return found
}

var metricName = regexp.MustCompile(`malote_[a-z_]+`)

// What is deployed with Malote asks for nothing that Malote does not have.
func TestDeployedFilesUseDocumentedMetrics(t *testing.T) {
	t.Parallel()
	known := documented(t)
	files, err := filepath.Glob(filepath.Join(root, "deploy/*/*"))
	require.NoError(t, err)
	used := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, name := range metricName.FindAllString(string(text), -1) {
			for _, suffix := range []string{"_bucket", "_count", "_sum"} {
				if base, found := strings.CutSuffix(name, suffix); found && strings.HasPrefix(known[base], "histogram") {
					name = base
				}
			}
			require.Contains(t, known, name, file)
			used[name] = true
		}
	}
	require.Greater(t, len(used), 15, "the files are not there, or hardly use anything")
}

func TestRequests_AreMeasuredByPartMethodAndStatus(t *testing.T) {
	t.Parallel()
	m := New("test")
	handler := m.Requests("api", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/early":
			w.WriteHeader(http.StatusEarlyHints)
			w.WriteHeader(http.StatusTeapot)
			w.WriteHeader(http.StatusOK) // too late
		case "/panic":
			panic(http.ErrAbortHandler)
		case "/flush":
			require.NoError(t, http.NewResponseController(w).Flush())
			_, ok := w.(http.Flusher)
			require.True(t, ok)
		case "/nothing":
		default:
			_, _ = w.Write([]byte("x"))
		}
	}))
	for _, request := range [][2]string{{"GET", "/"}, {"GET", "/nothing"}, {"POST", "/early"}, {"BREW", "/"}, {"GET", "/flush"}} {
		handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(request[0], request[1], nil))
	}
	require.Panics(t, func() {
		handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/panic", nil))
	})
	counted := map[string]uint64{}
	families, err := m.registry.Gather()
	require.NoError(t, err)
	for _, family := range families {
		if family.GetName() == "malote_http_request_seconds" {
			for _, series := range family.GetMetric() {
				var labels []string
				for _, label := range series.GetLabel() {
					labels = append(labels, label.GetValue())
				}
				counted[strings.Join(labels, " ")] = series.GetHistogram().GetSampleCount()
			}
		}
	}
	require.Equal(t, map[string]uint64{"GET api 2xx": 3, "POST api 4xx": 1, "other api 2xx": 1, "GET api 5xx": 1}, counted)
}

// partless is a Storage whose partitions cannot be read.
type partless struct{ gauge }

func (*partless) PartitionsUntil(context.Context) (time.Time, error) {
	return time.Time{}, errors.New("there are none for today")
}

func TestStorage_WhatCannotBeReadIsMissing(t *testing.T) {
	t.Parallel()
	m := New("test")
	m.WatchStorage(&partless{}, slog.New(slog.DiscardHandler))
	families, err := m.registry.Gather()
	require.NoError(t, err)
	var names []string
	for _, family := range families {
		names = append(names, family.GetName())
	}
	require.NotContains(t, names, "malote_partitions_until_timestamp_seconds")
	require.Contains(t, names, "malote_database_connections")
}
