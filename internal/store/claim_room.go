package store

import (
	"slices"

	"github.com/malotehq/malote/internal/delivery"
)

// standings are all that lanes can have.
var standings = []delivery.Standing{delivery.Trusted, delivery.Unheard, delivery.Slow}

// wantedLanes says which lanes a claim locks: those that have waited longest of
// each standing, up to a limit.
type wantedLanes struct {
	standings []delivery.Standing
	limits    []int32
	except    []delivery.ID
}

func lanesWanted(n int, room delivery.Room) wantedLanes {
	wanted := wantedLanes{standings: withRoom(room), except: hopeless(room)}
	for _, standing := range wanted.standings {
		limit := room.For(standing, n)
		if len(wanted.except) == 0 && standing != delivery.Slow {
			limit += len(room.Hanging) // they may stand before those that it is about
		}
		wanted.limits = append(wanted.limits, int32(limit))
	}
	return wanted
}

// withRoom are the standings that something may be claimed of.
func withRoom(room delivery.Room) []delivery.Standing {
	return slices.DeleteFunc(slices.Clone(standings), func(s delivery.Standing) bool { return room.For(s, 1) == 0 })
}

// hopeless are the lanes of which nothing may be claimed whatever their standing.
// Never NULL, which would exclude every lane.
func hopeless(room delivery.Room) []delivery.ID {
	if room.For(delivery.Slow, 1) == 0 && len(room.Hanging) > 0 {
		return room.Hanging
	}
	return []delivery.ID{}
}

// reached are the standings of which as many lanes came as were asked for: there
// may be more.
func (w wantedLanes) reached(locked []claimLane) map[delivery.Standing]bool {
	reached := make(map[delivery.Standing]bool)
	for i, standing := range w.standings {
		n := 0
		for _, lane := range locked {
			if lane.standing == standing && !lane.handed {
				n++
			}
		}
		reached[standing] = n >= int(w.limits[i])
	}
	return reached
}

// admit chooses at most n of the locked lanes, those that have waited longest and
// may have something claimed of them, and bounds what that may be: what all of
// them take together never exceeds the room. Of which standing it leaves some out,
// it notes.
func admit(locked []claimLane, n int, room delivery.Room, leftOut map[delivery.Standing]bool) []claimLane {
	slices.SortStableFunc(locked, func(a, b claimLane) int { return a.since.Compare(b.since) })
	isBounded := room.For(delivery.Slow, n) < n
	var admitted []claimLane
	left := room
	for _, lane := range locked {
		standing := room.StandingOf(lane.EndpointID, lane.standing)
		if len(admitted) == n || left.For(standing, 1) == 0 {
			leftOut[standing] = true
			continue
		}
		left = left.Take(standing)
		if lane.standing == delivery.Unheard {
			lane.limit = min(lane.limit, delivery.UnheardInFlight)
		}
		admitted = append(admitted, lane)
	}
	if isBounded {
		share(admitted, room, left)
	}
	return admitted
}

// share gives each admitted lane that is not trusted one of the room, and what is
// left of it to the slow ones in turn: unheard ones have no use for a second.
func share(lanes []claimLane, room, left delivery.Room) {
	shares := make([]int32, len(lanes))
	for i := range shares {
		shares[i] = 1
	}
	isSlow := func(lane claimLane) bool { return room.StandingOf(lane.EndpointID, lane.standing) == delivery.Slow }
	for given := true; given; {
		given = false
		for i, lane := range lanes {
			if isSlow(lane) && shares[i] < min(lane.limit, lane.allowance) && left.For(delivery.Slow, 1) > 0 {
				shares[i]++
				left = left.Take(delivery.Slow)
				given = true
			}
		}
	}
	for i := range lanes {
		if room.StandingOf(lanes[i].EndpointID, lanes[i].standing) != delivery.Trusted {
			lanes[i].allowance = min(lanes[i].allowance, shares[i])
		}
	}
}

// left is the room after the claim.
func (c *claiming) left() delivery.Room {
	left := c.room
	for _, row := range c.rows {
		left = left.Take(c.room.StandingOf(row.endpointID, row.claim.Standing))
	}
	return left
}

// isMore says whether lanes were not looked at that something might be claimed of.
func (c *claiming) isMore() bool {
	left := c.left()
	return len(c.rows) < c.n && slices.ContainsFunc(standings, func(s delivery.Standing) bool {
		return c.unseen[s] && left.For(s, 1) > 0
	})
}
