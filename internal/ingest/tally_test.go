package ingest

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

type arrivalBook struct {
	rows []Arrivals
	err  error
}

func (b *arrivalBook) AddArrivals(_ context.Context, arrivals []Arrivals) error {
	if b.err == nil {
		b.rows = append(b.rows, arrivals...)
	}
	return b.err
}

func TestTally_AddsUpByTheHourAndLosesNothingToAFailedWriting(t *testing.T) {
	t.Parallel()
	book := &arrivalBook{err: errors.New("the database is away")}
	tally := NewTally(book, slog.New(slog.DiscardHandler))
	hour := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	one, other := delivery.FloorID(hour), delivery.FloorID(hour.Add(time.Hour))
	tally.add(Arrivals{Source: other, Hour: hour, Accepted: 1})
	tally.add(Arrivals{Source: one, Hour: hour.Add(59 * time.Minute), Accepted: 2, Duplicates: 1})
	tally.add(Arrivals{Source: one, Hour: hour.Add(time.Minute), Filtered: 3, Rejected: 1})
	tally.flush(t.Context())
	require.Empty(t, book.rows)

	book.err = nil
	tally.add(Arrivals{Source: one, Hour: hour.Add(time.Hour), Rejected: 5})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	tally.Run(ctx) // writes the rest
	require.Equal(t, []Arrivals{
		{Source: one, Hour: hour, Accepted: 2, Duplicates: 1, Filtered: 3, Rejected: 1},
		{Source: one, Hour: hour.Add(time.Hour), Rejected: 5},
		{Source: other, Hour: hour, Accepted: 1},
	}, book.rows)
	tally.flush(t.Context())
	require.Len(t, book.rows, 3, "what is written is not written again")
	(*Tally)(nil).add(Arrivals{})
}
