package redelivery

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/delivery"
)

// How a window is looked through. Almost all that lies in it may have gone well,
// and no index tells apart what did not. So no statement looks at more than a
// stretch, however long the window is, and no lane is locked meanwhile.
const (
	stretchRows = 10_000

	// countingTime bounds a count, for somebody waits for the answer.
	countingTime = 6 * time.Second
)

//go:embed queries/survey_window.sql
var surveyWindowSQL string

//go:embed queries/recovery_count.sql
var recoveryCountSQL string

// span is what of a window is still to be looked at: behind one id and before
// another, neither included.
type span struct {
	window     Window
	from, till delivery.ID
}

// stretch is what was found at the beginning of a span.
type stretch struct {
	wanted []surveyed  // oldest first
	end    delivery.ID // where the next one begins; zero: none was looked at
	isLast bool        // there is nothing behind it
}

// findWanted looks at up to rows of whatever kind until it has found so many.
func findWanted(ctx context.Context, tx pgx.Tx, at span, rows, most int) (found stretch, _ error) {
	list, _ := tx.Query(ctx, surveyWindowSQL, planned,
		at.window.Endpoint.Shard(), at.window.Endpoint, at.from, at.till, at.window.States, rows, most)
	var one surveyed
	var isWanted bool
	var place int
	given, err := pgx.ForEachRow(list, []any{&one.id, &one.coalesceKey, &isWanted, &place}, func() error {
		found.end = one.id
		if isWanted {
			found.wanted = append(found.wanted, one)
		}
		return nil
	})
	if err != nil {
		return stretch{}, fmt.Errorf("looking for closed deliveries: %w", err)
	}
	found.isLast = given.RowsAffected() < int64(most) && place < rows
	return found, nil
}

// countWanted counts stretch by stretch, each in a transaction of its own; isAll
// is false if the time did not suffice.
func (w *Writer) countWanted(ctx context.Context, window Window) (count int, isAll bool, _ error) {
	at := span{window, floorID(window.Since), floorID(window.Until)}
	for deadline := time.Now().Add(w.countingTime); ; {
		var end delivery.ID
		var seen, wanted int
		err := w.inTx(ctx, nil, func(tx pgx.Tx) error {
			return tx.QueryRow(ctx, recoveryCountSQL, planned, window.Endpoint.Shard(), window.Endpoint,
				at.from, at.till, window.States, w.stretchRows).Scan(&end, &seen, &wanted)
		})
		if errors.Is(err, pgx.ErrNoRows) {
			return count, true, nil
		}
		if err != nil {
			return 0, false, fmt.Errorf("counting deliveries: %w", err)
		}
		count += wanted
		if seen < w.stretchRows {
			return count, true, nil
		}
		at.from = end
		if time.Now().After(deadline) {
			return count, false, nil
		}
	}
}
