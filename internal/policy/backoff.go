package policy

import (
	"math"
	"time"
)

// Wait is the pause after failed attempt n (1…), before jitter. Past a table's
// end it is the last one again: whether there is an attempt at all is
// MostAttempts' to say.
func (b Backoff) Wait(n int) time.Duration {
	n = max(n, 1)
	if b.Kind == Exponential {
		return time.Duration(min(float64(b.Cap), float64(b.Base)*math.Pow(b.Factor, float64(n-1))))
	}
	return b.Waits[min(n, len(b.Waits))-1]
}

// spread is a wait after jitter; u is uniform in [0,1).
func (j Jitter) spread(wait time.Duration, u float64) time.Duration {
	w := float64(wait)
	switch j.Kind {
	case EqualJitter:
		return rounded(w/2 + w/2*u)
	case FullJitter:
		return rounded(w * u)
	case PercentJitter:
		return rounded(w + w*j.Percent/100*(2*u-1))
	case AdditiveJitter:
		most := math.Floor(wait.Seconds() * j.Percent / 100)
		return wait + time.Duration(math.Floor(u*(most+1)))*time.Second
	default:
		return wait
	}
}

func rounded(nanos float64) time.Duration { return time.Duration(math.Round(nanos)) }

// next is when the attempt after failed attempt n is due, and what decided it.
// The floors come after the jitter, which therefore cannot undercut them.
func (p *Policy) next(n int, scheduledAt, now time.Time, retryAfter time.Duration, random Random) (time.Time, Cause) {
	from := now
	if p.Schedule.Anchor == Scheduled {
		from = scheduledAt
	}
	due, cause := from.Add(p.Schedule.Jitter.spread(p.Schedule.Wait(n), random())), BySchedule
	if floor := now.Add(p.Schedule.MinimumWait); p.Schedule.MinimumWait > 0 && due.Before(floor) {
		due, cause = floor, ByMinimumWait
	}
	if floor := now.Add(retryAfter); retryAfter > 0 && due.Before(floor) {
		due, cause = floor, ByRetryAfter
	}
	return due, cause
}

// MostAttempts is how many attempts a delivery can have, or 0 if only its age
// limits them.
func (p *Policy) MostAttempts() int {
	most := p.GiveUp.Attempts
	if p.Schedule.Kind == Table && !p.Schedule.Repeat {
		end := len(p.Schedule.Waits) + 1
		if most == 0 || end < most {
			most = end
		}
	}
	return most
}
