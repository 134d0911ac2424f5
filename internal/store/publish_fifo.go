package store

import (
	"context"
	_ "embed"
	"fmt"
	"math"
	"slices"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/malotehq/malote/internal/delivery"
)

//go:embed queries/publish_positions.sql
var publishPositionsSQL string

// takePositions gives a place to each draft that goes to a strictly ordered lane,
// in the order of the drafts. The sequence hands them out ascending, so what is
// published after another's answer stands behind it. Two that are published at the
// same time have no order: the later of them may even commit first.
func (p *publication) takePositions(ctx context.Context) error {
	var ordered []int
	for _, i := range p.round.writable() {
		if slices.ContainsFunc(p.round.plans[i].Deliveries, isOrdered) {
			ordered = append(ordered, i)
		}
	}
	if len(ordered) == 0 {
		return nil
	}
	var positions []int64
	if err := p.tx.QueryRow(ctx, publishPositionsSQL, len(ordered)).Scan(&positions); err != nil {
		return fmt.Errorf("taking places in strictly ordered lanes: %w", err)
	}
	p.positions = make(map[int]int64, len(ordered))
	for n, i := range ordered {
		p.positions[i] = positions[n]
	}
	return nil
}

func isOrdered(planned delivery.Planned) bool {
	return planned.FIFO && planned.State == delivery.Pending
}

// positionOf is a delivery's place; a test's is before all others.
func (p *publication) positionOf(draft int, planned delivery.Planned) pgtype.Int8 {
	switch {
	case !isOrdered(planned):
		return pgtype.Int8{}
	case planned.Trigger == delivery.TriggerTest:
		return pgtype.Int8{Int64: math.MinInt64, Valid: true}
	}
	return pgtype.Int8{Int64: p.positions[draft], Valid: true}
}
