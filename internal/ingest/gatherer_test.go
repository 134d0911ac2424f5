package ingest

import (
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/source"
)

func TestGatherer_MergesAndKeepsWhatCouldNotBeWritten(t *testing.T) {
	t.Parallel()
	written := &notes{err: errors.New("the database is away")}
	g := NewGatherer(written, slog.New(slog.DiscardHandler))
	id, at := newID(), time.Now()
	reject := func(after time.Duration, detail string) {
		g.add(Rejection{Source: id, Reason: source.WrongSecret, Detail: detail, Count: 1, First: at.Add(after), Last: at.Add(after)})
	}
	reject(time.Second, "second")
	reject(0, "first")
	g.flush(t.Context())
	reject(2*time.Second, "third")
	written.err = nil
	g.flush(t.Context())
	g.flush(t.Context())
	require.Equal(t, [][]Rejection{{{
		Source: id, Reason: source.WrongSecret, Detail: "third", Count: 3, First: at, Last: at.Add(2 * time.Second),
	}}}, written.all())
}

func TestGatherer_IsBounded(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	written := &notes{}
	g := NewGatherer(written, slog.New(slog.NewTextHandler(&log, nil)))
	long := strings.Repeat("é", 1000)
	for range gathered + 7 {
		g.add(Rejection{Source: newID(), Reason: source.WrongSecret, Detail: "x" + long, Count: 1})
	}
	g.flush(t.Context())
	require.Len(t, written.all()[0], gathered)
	require.Contains(t, log.String(), "requests=7")
	for _, rejection := range written.all()[0] {
		require.LessOrEqual(t, len(rejection.Detail), maxDetail)
		require.True(t, utf8.ValidString(rejection.Detail))
	}
}
