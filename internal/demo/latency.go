package demo

import (
	"math"
	"slices"
	"time"
)

// quantile is the smallest latency that at least the share q of a sorted list
// does not exceed (nearest rank); -1: the list is empty.
func quantile(sorted []time.Duration, q float64) time.Duration {
	if len(sorted) == 0 {
		return -1
	}
	rank := int(math.Ceil(q * float64(len(sorted))))
	return sorted[max(rank, 1)-1]
}

// latencies are those from just before the publisher's first request to the end
// of the first request that the receiver saw, sorted.
func (w *witness) latencies(entries map[string]entry) []time.Duration {
	var all []time.Duration
	for id, record := range w.records {
		if published, known := entries[id]; known {
			all = append(all, record.FirstAt.Sub(published.sentAt))
		}
	}
	slices.Sort(all)
	return all
}

// milliseconds is a duration in JSON; -1: there is none.
func milliseconds(d time.Duration) float64 {
	if d < 0 {
		return -1
	}
	return math.Round(float64(d)/float64(time.Microsecond)) / 1000
}
