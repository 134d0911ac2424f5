package relay

import "time"

// settled is how long a position is watched closely: a transaction that is open
// for less is carried as soon as it commits, a longer one at the next sweep.
const settled = 5 * time.Second

// horizon says from which position to look. What was carried leaves dead entries
// at the beginning of the outbox's index, and a transaction that stays open for
// minutes keeps them from being cleaned away: a relay that began there at every
// look would walk over all of them twenty times a second. So it begins where it
// was some seconds ago, and walks the whole way once a second, for rows whose
// transactions took longer.
type horizon struct {
	swept time.Time
	base  int64 // no look but a sweep begins below it
	next0 mark  // what base becomes when it is old enough
	last  mark
}

// mark is the highest position that was carried by an instant.
type mark struct {
	at       time.Time
	position int64
}

// next is the position above which to look now.
func (h *horizon) next(now time.Time) int64 {
	if now.Sub(h.swept) >= sweepEvery {
		h.swept = now
		return 0
	}
	if now.Sub(h.next0.at) >= settled {
		h.base = max(h.base, h.next0.position)
		h.next0 = h.last
	}
	return h.base
}

// saw notes that a position was carried. Where one below the horizon was, there
// may be more: the next look is from the beginning again.
func (h *horizon) saw(now time.Time, position int64) {
	if position <= h.base {
		h.swept = time.Time{}
	}
	h.last = mark{now, max(h.last.position, position)}
	if h.next0.at.IsZero() {
		h.next0 = h.last
	}
}
