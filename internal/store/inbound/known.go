package inbound

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/store"
)

//go:embed queries/known_keys.sql
var knownKeysSQL string

// RecentIDs says which of the keys by which repetitions are known have come in by
// a source, and still count: they are forgotten after at least 7 days (G01), so
// that what is older can be told by nobody. To publish one that is not known is
// safe even if it comes in at the same moment: whoever commits first, wins.
func (r *Records) RecentIDs(ctx context.Context, source delivery.ID, ids []string) (known map[string]bool, _ error) {
	known = make(map[string]bool)
	rows, _ := r.pool.Query(ctx, knownKeysSQL, source.Shard(), store.SourceScope(source), ids)
	var id string
	var live bool
	_, err := pgx.ForEachRow(rows, []any{&id, &live}, func() error {
		if live {
			known[id] = true
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("looking for events that came in: %w", err)
	}
	return known, nil
}
