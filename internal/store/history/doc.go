// Package history reads what happened: events, deliveries with their attempts,
// and how the lanes are doing. It never writes, and never decides who may see
// what it finds: whoever asks for a tenant's things names the tenant in the
// filter, or compares the tenant of what comes back.
//
// Every list is a keyset over ids, so that a page costs the same however long
// the history or the backlog is, and every statement names the shard of each
// table it reads. An open delivery's row is in the queue and moves to
// deliveries when it closes; a statement therefore reads both at once, under
// one snapshot, and sees every delivery exactly once.
package history

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/store"
)

// ErrNotFound is returned, wrapped, for ids that nothing has.
var ErrNotFound = errors.New("there is no such thing in the history")

// MaxLimit is the longest page; longer ones are cut to it, and a limit of zero
// or less is DefaultLimit (api.md).
const (
	MaxLimit     = 250
	DefaultLimit = 50
)

// Reader reads the history from the store's ordinary pool.
type Reader struct {
	store *store.Store

	// patience is how long a list that must look through rows that its filter
	// leaves out goes on before it answers with a short page.
	patience time.Duration
}

// New makes a reader on the store, which stays the caller's to close.
func New(s *store.Store) *Reader {
	return &Reader{store: s, patience: 2 * time.Second}
}

func pageLimit(asked int) int {
	if asked <= 0 {
		return DefaultLimit
	}
	return min(asked, MaxLimit)
}

// snapshot begins what every call reads in. One call sees one state of the
// database, however many statements it takes. Compiling a statement that looks
// into many partitions takes far longer than running it: no JIT.
var snapshot = pgx.TxOptions{BeginQuery: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL jit = off"}

func (r *Reader) inSnapshot(ctx context.Context, do func(pgx.Tx) error) error {
	return pgx.BeginTxFunc(ctx, r.store.Pool(), snapshot, do)
}

// planned makes every statement be planned for its parameters: the optional
// conditions fold away, and only the partitions of the range are looked at. A
// plan kept for all parameters would have to be prepared for any.
const planned = pgx.QueryExecModeCacheDescribe
