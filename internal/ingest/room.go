package ingest

import "sync/atomic"

// room bounds what is under way in this process. What finds none is told so at
// once: waiting would only move the queue into memory.
type room struct {
	places, bytes counter
}

// counter counts up to a limit.
type counter struct {
	taken atomic.Int64
	limit int64
}

func (c *counter) take(n int64) bool {
	if c.taken.Add(n) <= c.limit {
		return true
	}
	c.taken.Add(-n)
	return false
}

func (c *counter) give(n int64) { c.taken.Add(-n) }
