package registry

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/delivery"
)

// resealBatch is how many rows are sealed anew in one transaction, all of one shard.
const resealBatch = 200

// KeysInUse counts what is stored by the id of the key that it is sealed under;
// "" is what is not sealed.
func (r *Registry) KeysInUse(ctx context.Context) (map[string]int, error) {
	inUse := make(map[string]int)
	for _, column := range sealedColumns {
		rows, _ := r.pool.Query(ctx, column.count)
		var keyID string
		var n int
		_, err := pgx.ForEachRow(rows, []any{&keyID, &n}, func() error {
			inUse[keyID] += n
			return nil
		})
		if err != nil {
			return nil, explain("counting sealed values", err)
		}
	}
	return inUse, nil
}

// Reseal seals everything anew that is not under the current key, and opens it
// for good where there is none. It can be stopped and called again at any time,
// while all is being served: each row changes together with its key's id, and
// nobody who holds a secret in memory has to learn of it. Every process must
// have been given the current key before, if only as an older one.
//
// Progress may be nil; done counts rows that were looked at. A value that cannot
// be opened stays as it is and keeps no other from being sealed: the error, which
// wraps those of Sealer.Open, says how many there were, and which was the first.
func (r *Registry) Reseal(ctx context.Context, progress func(done, total int)) (changed int, _ error) {
	work := resealing{Registry: r, progress: progress, behind: make([][]sealedRow, len(sealedColumns))}
	for i, column := range sealedColumns {
		rows, _ := r.pool.Query(ctx, column.behind, r.sealer.CurrentKey())
		found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[sealedRow])
		if err != nil {
			return 0, explain("looking for values to seal", err)
		}
		work.behind[i] = found
		work.total += len(found)
	}
	err := work.run(ctx)
	if err == nil && work.unopened > 0 {
		err = fmt.Errorf("%d values could not be opened and stay as they are; the first: %w", work.unopened, work.firstUnopened)
	}
	return work.changed, explain("sealing values", err)
}

type resealing struct {
	*Registry
	progress func(done, total int)
	behind   [][]sealedRow // by column
	total    int
	done     int
	changed  int

	unopened      int
	firstUnopened error
}

type sealedRow struct {
	Shard delivery.Shard
	ID    delivery.ID
}

func (w *resealing) run(ctx context.Context) error {
	w.report()
	for i, column := range sealedColumns {
		for rows := w.behind[i]; len(rows) > 0; {
			n := sameShard(rows, resealBatch)
			if err := w.batch(ctx, column, rows[:n]); err != nil {
				return err
			}
			w.done += n
			w.report()
			rows = rows[n:]
		}
	}
	return nil
}

func (w *resealing) report() {
	if w.progress != nil {
		w.progress(w.done, w.total)
	}
}

// sameShard is how many of the first rows are of one shard, at most limit.
func sameShard(rows []sealedRow, limit int) int {
	other := slices.IndexFunc(rows, func(row sealedRow) bool { return row.Shard != rows[0].Shard })
	if other < 0 {
		other = len(rows)
	}
	return min(other, limit)
}

// batch seals rows of one shard anew. Those that were changed or deleted
// meanwhile are not there any more, or are under the current key.
func (w *resealing) batch(ctx context.Context, column sealedColumn, rows []sealedRow) error {
	shard, ids := rows[0].Shard, make([]delivery.ID, len(rows))
	for i, row := range rows {
		ids[i] = row.ID
	}
	var fresh resealed
	err := w.inTx(ctx, "a batch of them", func(tx pgx.Tx) error {
		fresh = resealed{}
		found, _ := tx.Query(ctx, column.lock, shard, ids, w.sealer.CurrentKey())
		var id delivery.ID
		var value []byte
		var keyID string
		_, err := pgx.ForEachRow(found, []any{&id, &value, &keyID}, func() error {
			fresh.add(w.Registry, column, id, value, keyID)
			return nil
		})
		if err != nil || len(fresh.ids) == 0 {
			return err
		}
		_, err = tx.Exec(ctx, column.write, shard, fresh.ids, fresh.values, fresh.keys)
		return err
	})
	if err != nil {
		return err
	}
	w.changed += len(fresh.ids)
	w.unopened += len(fresh.failures)
	if w.firstUnopened == nil && len(fresh.failures) > 0 {
		w.firstUnopened = fresh.failures[0]
	}
	return nil
}

// resealed is what a batch writes.
type resealed struct {
	ids      []delivery.ID
	values   [][]byte
	keys     []string
	failures []error
}

func (f *resealed) add(r *Registry, column sealedColumn, id delivery.ID, value []byte, keyID string) {
	plain, err := r.sealer.Open(value, column.context(id), keyID)
	if err != nil {
		f.failures = append(f.failures, fmt.Errorf("%s %s: %w", column.name, id.Format(column.prefix), err))
		return
	}
	sealed, keyID := r.sealer.Seal(plain, column.context(id), r.random)
	f.ids, f.values, f.keys = append(f.ids, id), append(f.values, sealed), append(f.keys, keyID)
}
