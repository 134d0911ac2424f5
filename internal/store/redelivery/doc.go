// Package redelivery is what people do to deliveries that did not go well:
// replay closed ones, resolve dead ones, discard pending ones. Each call is one
// decision, made under the locks of the rows that it rests on.
//
// It never sends, and never wakes a lane: the caller does that with the lanes
// it gets back, after the commit. Which states may be replayed is the policy's
// to say; the caller passes that in.
//
// Lock order: lanes by (shard, endpoint_id), then queue rows by (shard, id),
// then deliveries by (shard, id).
package redelivery

import "github.com/malotehq/malote/internal/store"

// Writer changes deliveries through the store's ordinary pool.
type Writer struct {
	store *store.Store
}

// New makes a writer on the store, which stays the caller's to close.
func New(s *store.Store) *Writer { return &Writer{store: s} }
