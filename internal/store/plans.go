package store

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

//go:embed queries/table_sizes.sql
var tableSizesSQL string

const discardPlansSQL = `DISCARD PLANS`

// plansTime is how long plans are used before the tables' sizes are looked at. In
// that time a table grows by some thousand rows, which a wrong plan would read for
// each statement: milliseconds.
const plansTime = 250 * time.Millisecond

// plans says when the plans of hot statements are to be made again. A plan is
// kept for all values and for as long as the server likes; one that was made
// while a table was nearly empty may read all of it, and must not be used when it
// has grown. The planner goes by the size that a table has when it plans.
type plans struct {
	generation atomic.Int64
	looked     atomic.Int64 // when somebody last began to look, in Unix nanoseconds

	mu       sync.Mutex
	smallest []int64 // of each table, since the last generation, in bytes
}

// slack is how little a table may grow without being looked at anew.
const slack = 64 << 10

// observe notes the tables' sizes and begins a new generation if one has doubled
// since it was smallest. Tables that shrink do no harm to plans made for large
// ones, but the server may make new plans for them at any time.
func (p *plans) observe(sizes []int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.smallest) != len(sizes) {
		p.smallest = slices.Clone(sizes)
		p.generation.Add(1)
		return
	}
	grown := false
	for i, size := range sizes {
		p.smallest[i] = min(p.smallest[i], size)
		grown = grown || size > 2*p.smallest[i]+slack
	}
	if grown {
		copy(p.smallest, sizes)
		p.generation.Add(1)
	}
}

// plansKey is where a connection remembers the generation of its plans.
const plansKey = "malote plans"

// renew forgets a connection's plans if they are of an earlier generation.
func (p *plans) renew(ctx context.Context, conn *pgx.Conn) error {
	now := p.generation.Load()
	data := conn.PgConn().CustomData()
	if made, ok := data[plansKey].(int64); ok && made == now {
		return nil
	}
	if _, err := conn.Exec(ctx, discardPlansSQL, pgx.QueryExecModeSimpleProtocol); err != nil {
		return fmt.Errorf("forgetting plans: %w", err)
	}
	data[plansKey] = now
	return nil
}

// acquireHot takes a connection whose plans are right.
func (s *Store) acquireHot(ctx context.Context, do func(*pgxpool.Conn) error) error {
	return s.hot.AcquireFunc(ctx, func(conn *pgxpool.Conn) error {
		if err := s.plans.prepare(ctx, conn.Conn()); err != nil {
			return err
		}
		return do(conn)
	})
}

// prepare looks at the tables, if it is time to, and gets the connection ready.
func (p *plans) prepare(ctx context.Context, conn *pgx.Conn) error {
	if p.isDue(time.Now()) {
		if err := p.look(ctx, conn); err != nil {
			return err
		}
	}
	return p.renew(ctx, conn)
}

// isDue lets one of those who ask have the look.
func (p *plans) isDue(now time.Time) bool {
	last := p.looked.Load()
	return now.UnixNano()-last >= int64(plansTime) && p.looked.CompareAndSwap(last, now.UnixNano())
}

func (p *plans) look(ctx context.Context, conn *pgx.Conn) error {
	rows, _ := conn.Query(ctx, tableSizesSQL)
	sizes, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		return fmt.Errorf("looking at the tables' sizes: %w", err)
	}
	p.observe(sizes)
	return nil
}
