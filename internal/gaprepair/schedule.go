package gaprepair

import (
	"slices"
	"time"
)

// askedAt are the ages at which a delivery that has not come is asked for.
// They follow from its own time alone, so that nobody has to remember what was
// asked for, and no pass that was killed makes another one hammer.
var askedAt = []time.Duration{
	settle, 10 * time.Minute, 30 * time.Minute, 90 * time.Minute, 4 * time.Hour, 12 * time.Hour, 24 * time.Hour, 48 * time.Hour,
}

// givenUpAt is before GitHub's three days end.
const givenUpAt = 66 * time.Hour

// An asking says what a pass has to do about a delivery that has not come.
type asking struct {
	now     bool // ask
	first   bool // for the first time
	await   bool // it may be asked for later
	givenUp bool // it will not be, and this pass is the first to see it
}

// plan compares a delivery's age when the last whole pass began (zero: there was
// none) with its age at the beginning of this one.
func plan(at, last, began time.Time) asking {
	passed := func(age time.Duration) bool {
		due := at.Add(age)
		return due.After(last) && !due.After(began)
	}
	return asking{
		now:     slices.ContainsFunc(askedAt, passed),
		first:   passed(askedAt[0]),
		await:   at.Add(givenUpAt).After(began),
		givenUp: passed(givenUpAt),
	}
}

const (
	shortestPause = 30 * time.Second
	// longestPause bounds every pause, a provider's Retry-After included: one
	// request an hour hammers nobody.
	longestPause = time.Hour
	// hopelessPause is for what only people can put right.
	hopelessPause = 30 * time.Minute
)

// pauseAfter is how long a source rests after the n-th failure in a row. Random
// is in [0,1).
func pauseAfter(failures int, failure *APIError, random float64) time.Duration {
	pause := shortestPause << min(max(failures-1, 0), 6)
	pause = min(pause, hopelessPause)
	wait := time.Duration(0)
	if failure != nil {
		wait = failure.Wait
		switch failure.Reason {
		case Unauthorized, Forbidden, NotFound, Moved, TooLarge:
			pause = hopelessPause
		case Unreachable, RateLimited, Rejected, Unavailable, Unreadable:
		}
	}
	// Chance is added, so that sources that failed together do not come together.
	return min(max(pause, wait)+time.Duration(random*float64(pause)/4), longestPause)
}
