package ingest

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
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
	g.flush(t.Context(), all)
	reject(2*time.Second, "third")
	written.err = nil
	g.flush(t.Context(), all)
	g.flush(t.Context(), all)
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
	g.flush(t.Context(), all)
	require.Len(t, written.all()[0], gathered)
	require.Contains(t, log.String(), "requests=7")
	for _, rejection := range written.all()[0] {
		require.LessOrEqual(t, len(rejection.Detail), maxDetail)
		require.True(t, utf8.ValidString(rejection.Detail))
	}
}

// A source that turns away for the same reason all day has a row a minute, with
// all that came in it, and what is new is there soon.
func TestGatherer_WritesARowAMinuteForWhatGoesOn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		written := &notes{}
		g := NewGatherer(written, slog.New(slog.DiscardHandler))
		ctx, cancel := context.WithCancel(t.Context())
		stopped := make(chan struct{})
		go func() {
			defer close(stopped)
			g.Run(ctx)
		}()
		id := newID()
		reject := func(reason source.Reason) {
			g.add(Rejection{Source: id, Reason: reason, Count: 1, First: time.Now(), Last: time.Now()})
		}
		for second := range 600 {
			reject(source.WrongSecret)
			if second == 300 {
				reject(source.TooOld)
			}
			time.Sleep(time.Second)
		}
		cancel()
		<-stopped
		total, rows := int64(0), 0
		for _, written := range written.all() {
			for _, r := range written {
				if r.Reason == source.WrongSecret {
					total, rows = total+r.Count, rows+1
				}
			}
		}
		require.EqualValues(t, 600, total)
		require.LessOrEqual(t, rows, 11)
		require.GreaterOrEqual(t, rows, 10)
		require.LessOrEqual(t, len(written.all()), 12, "another reason is a row of its own")
	})
}
