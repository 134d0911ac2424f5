// Package notices keeps what people were told of, and are to be told next: which
// signals were put into a notice, when the next may follow, notices that are not
// yet events, and conditions of the whole that hold at present.
//
// It is a part of the store and may contain SQL. It never decides what is told, in
// which words and to whom: whoever calls Tell does, inside the transaction that
// notes it, so that nothing is told twice or forgotten. It must never know HTTP,
// SMTP or policies.
//
// Lock order: windows by (shard, tenant, kind), or one condition; nothing else.
package notices

import (
	"context"
	"crypto/rand"
	_ "embed"
	"fmt"
	"io"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/store"
)

// Store is safe for concurrent use, also by several processes.
type Store struct {
	pool   *pgxpool.Pool
	random io.Reader
	shard  delivery.Shard // Malote's own
}

// New keeps notices in the store's database, which stays the caller's to close.
func New(s *store.Store) *Store {
	return &Store{pool: s.Pool(), random: rand.Reader, shard: delivery.ShardOf(delivery.OwnTenant)}
}

//go:embed queries/pending.sql
var pendingSQL string

//go:embed queries/remove.sql
var removeSQL string

//go:embed queries/old_windows.sql
var oldWindowsSQL string

// Pending gives notices that are no events yet, the oldest first.
func (s *Store) Pending(ctx context.Context, limit int) ([]delivery.Notice, error) {
	rows, _ := s.pool.Query(ctx, pendingSQL, s.shard, limit)
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (n delivery.Notice, err error) {
		err = row.Scan(&n.Key, &n.Kind, &n.Type, &n.Data, &n.To, &n.OccurredAt)
		return n, err
	})
	if err != nil {
		return nil, fmt.Errorf("reading notices: %w", err)
	}
	return list, nil
}

// Remove forgets notices that are events now. Removing one again is nothing.
func (s *Store) Remove(ctx context.Context, keys []string) error {
	if _, err := s.pool.Exec(ctx, removeSQL, s.shard, keys); err != nil {
		return fmt.Errorf("removing notices: %w", err)
	}
	return nil
}

// keepWindows is far beyond any window.
const keepWindows = 90 * 24 * time.Hour

// CleanUp forgets windows that have long been over, and says how many.
func (s *Store) CleanUp(ctx context.Context, now time.Time) (int64, error) {
	tag, err := s.pool.Exec(ctx, oldWindowsSQL, now.Add(-keepWindows))
	if err != nil {
		return 0, fmt.Errorf("removing old windows of notices: %w", err)
	}
	return tag.RowsAffected(), nil
}
