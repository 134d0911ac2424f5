package store

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/delivery"
)

//go:embed queries/wake_lanes.sql
var wakeLanesSQL string

// wakeAndNoteSQL leaves in the session how many lanes were woken, for the notification
// that goes out with it.
var wakeAndNoteSQL = strings.Replace(wakeLanesSQL,
	"SELECT count(*)::integer FROM woken",
	"SELECT count(*)::integer, set_config('malote.woken', count(*)::text, false) FROM woken", 1)

//go:embed queries/wake_stranded.sql
var wakeStrandedSQL string

//go:embed queries/sweep_lanes.sql
var sweepLanesSQL string

//go:embed queries/sweep_fifo.sql
var sweepFIFOSQL string

// WakeLanes is the publisher's half of I4: called after its commit, it makes
// those lanes ready that look parked, tells the other processes if there were any, and
// returns how many. A lane that is
// full is left alone, because its next completion wakes it; one whose circuit is
// open becomes ready when the pause ends.
//
// If the caller dies before it comes here, the sweep finds the lanes.
func (s *Store) WakeLanes(ctx context.Context, lanes []delivery.LaneRef) (woken int, err error) {
	if len(lanes) == 0 {
		return 0, nil
	}
	shards, endpoints := splitRefs(lanes)
	var committed bool
	err = s.inHotTx(ctx, "waking lanes", func(tx *hotTx) error {
		batch := &pgx.Batch{}
		batch.Queue(asyncCommit) // lost in a crash of the server, the sweep finds it
		batch.Queue(wakeAndNoteSQL, shards, endpoints).QueryRow(func(row pgx.Row) error { return row.Scan(&woken, nil) })
		err := tx.finishAnd(ctx, batch, func(batch *pgx.Batch) { batch.Queue(notifyOfWokenSQL, wakeChannel, s.name) })
		committed = tx.ended
		return err
	})
	if err != nil && committed {
		s.logUntold(err)
		err = nil
	}
	return woken, err
}

// Sweep looks for lanes that should be ready and are not, makes them ready and
// returns how many there were. While every process lives, there are none: a
// publisher or completer that was killed between its commit and the wake-up is
// the only way. It visits each lane with pending work once. It also gives a place
// to what was published without one while its lane became strictly ordered.
func (s *Store) Sweep(ctx context.Context) (stranded int, err error) {
	err = s.inHotTx(ctx, "sweeping for stranded deliveries", func(tx *hotTx) error {
		batch := &pgx.Batch{}
		batch.Queue(planAnew)
		if err := tx.run(ctx, batch); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, sweepFIFOSQL); err != nil {
			return fmt.Errorf("placing deliveries in strictly ordered lanes: %w", err)
		}
		tag, err := tx.Exec(ctx, sweepLanesSQL, delivery.UnheardInFlight)
		stranded = int(tag.RowsAffected())
		return err
	})
	return stranded, err
}
