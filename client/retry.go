package client

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"
)

// RetryPolicy says when a request is sent again. It is asked only about requests
// that do no harm when they arrive twice, and may be asked concurrently.
type RetryPolicy interface {
	// Pause says how long to wait before the next try, and whether there is one.
	// tries is how many were made, and err, an *Error or a *ConnectionError, what
	// came of the last. Where the context of the call would end during the pause,
	// there is no next try whatever the policy says.
	Pause(tries int, err error) (pause time.Duration, again bool)
}

// NoRetry sends every request once.
var NoRetry RetryPolicy = Backoff{Tries: 1}

// Backoff is the RetryPolicy of clients that are given no other: pauses that
// double, with jitter, so that clients that failed together do not come back
// together. It repeats what got no answer, and answers that are
// [Error.Temporary]; no try is made before Retry-After.
type Backoff struct {
	Tries   int           // in all, the first included; 0: 5
	First   time.Duration // the first pause at most; half as long at least; 0: 250 ms
	Longest time.Duration // the longest pause; an answer that asks for more is not waited for; 0: 30 s
}

// Pause implements [RetryPolicy].
func (b Backoff) Pause(tries int, err error) (pause time.Duration, again bool) {
	longest := cmp.Or(b.Longest, 30*time.Second)
	var asked time.Duration
	if failed, ok := errors.AsType[*Error](err); ok {
		if !failed.Temporary() {
			return 0, false
		}
		asked = failed.RetryAfter
	}
	if tries >= cmp.Or(b.Tries, 5) || asked > longest {
		return 0, false
	}
	pause = min(cmp.Or(b.First, 250*time.Millisecond), longest)
	for range tries - 1 {
		if pause > longest/2 {
			pause = longest
			break // before it overflows
		}
		pause *= 2
	}
	half := max(pause/2, 0)
	return max(half, asked) + rand.N(half+1), true
}

// pauseAfter says whether, and after which pause, to try again.
func (c *Client) pauseAfter(ctx context.Context, request *Request, tries int, err error) (time.Duration, bool) {
	if !request.repeatable() || ctx.Err() != nil || !mayPass(err) {
		return 0, false
	}
	pause, again := c.retry.Pause(tries, err)
	if deadline, bounded := ctx.Deadline(); bounded && time.Until(deadline) <= pause {
		return 0, false // what is known now says more than that the time is over
	}
	return pause, again
}

// mayPass leaves out what the next try would meet again.
func mayPass(err error) bool {
	_, answered := errors.AsType[*Error](err)
	_, broken := errors.AsType[*ConnectionError](err)
	return answered || broken
}

// mostRetryAfter bounds what is believed of a Retry-After.
const mostRetryAfter = 24 * time.Hour

// retryAfter reads the header, in seconds or as a date (RFC 9110 section
// 10.2.3); 0: there is none.
func retryAfter(header string, now time.Time) time.Duration {
	seconds, err := strconv.ParseUint(header, 10, 32)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return mostRetryAfter
	case err == nil:
		return min(time.Duration(seconds)*time.Second, mostRetryAfter)
	}
	if at, err := http.ParseTime(header); err == nil {
		return min(max(at.Sub(now), 0), mostRetryAfter)
	}
	return 0
}
