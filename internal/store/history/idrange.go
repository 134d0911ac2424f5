package history

import (
	"bytes"
	"time"

	"github.com/malotehq/malote/internal/delivery"
)

// firstID and lastID bound all ids. The lowest is not the zero id: that one is
// NULL in the database.
var (
	firstID = delivery.ID{15: 1}
	lastID  = delivery.ID{
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	}
)

// idRange is the ids [from, to). An id carries its event's instant, so a range
// of ids is a span of time.
type idRange struct{ from, to delivery.ID }

// between gives the ids of a span of time; a zero bound is none.
func between(since, until time.Time) idRange {
	span := idRange{firstID, lastID}
	if !since.IsZero() {
		span.from = floorID(since)
	}
	if !until.IsZero() {
		span.to = floorID(until)
	}
	return span
}

// floorID is delivery.FloorID for any instant, even one that no id can carry.
func floorID(at time.Time) delivery.ID {
	switch {
	case at.Unix() <= 0:
		return firstID
	case at.Year() >= 2200:
		return lastID
	default:
		return delivery.FloorID(at)
	}
}

func (r idRange) empty() bool { return compareIDs(r.from, r.to) >= 0 }

// below leaves the ids before one.
func (r idRange) below(id delivery.ID) idRange {
	if compareIDs(id, r.to) < 0 {
		r.to = id
	}
	return r
}

// above leaves the ids after one.
func (r idRange) above(id delivery.ID) idRange { return r.startingAt(successor(id)) }

func (r idRange) startingAt(id delivery.ID) idRange {
	if compareIDs(id, r.from) > 0 {
		r.from = id
	}
	return r
}

// newest is the upper end of the range, as long as the width; ids of the future
// (another clock's) are in it.
func (r idRange) newest(width time.Duration, now time.Time) idRange {
	top := now
	if compareIDs(r.to, floorID(now)) < 0 {
		top = r.to.Time()
	}
	return r.startingAt(floorID(top.Add(-width)))
}

// events are the ids, both included, between which the events of deliveries in
// the range lie: the two share all that tells the time.
func (r idRange) events() (first, last delivery.ID) {
	first, last = firstID, lastID
	copy(first[:8], r.from[:8])
	copy(last[:8], r.to[:8])
	return first, last
}

// successor is the next higher id that can be.
func successor(id delivery.ID) delivery.ID {
	for i := len(id) - 1; i >= 0; i-- {
		if id[i]++; id[i] != 0 {
			break
		}
	}
	return id
}

func compareIDs(a, b delivery.ID) int { return bytes.Compare(a[:], b[:]) }
