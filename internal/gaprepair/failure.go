package gaprepair

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// Reason says why a provider's API did not do what it was asked.
type Reason string

// The reasons.
const (
	Unreachable  Reason = "unreachable"  // no answer, or none in time
	RateLimited  Reason = "rate_limited" // asked too often: see APIError.Wait
	Unauthorized Reason = "unauthorized" // 401
	Forbidden    Reason = "forbidden"    // 403
	NotFound     Reason = "not_found"    // 404, 410
	Moved        Reason = "moved"        // a redirect, which is not followed: it would take the token along
	Rejected     Reason = "rejected"     // any other 4xx
	Unavailable  Reason = "unavailable"  // 5xx
	Unreadable   Reason = "unreadable"   // an answer of another form than the documented one
	TooLarge     Reason = "too_large"    // an answer over the limit, even with a single event
)

var explanations = map[Reason]string{
	Unreachable:  "it could not be reached, or did not answer in time",
	RateLimited:  "it was asked too often; it is left alone for a while",
	Unauthorized: "it does not accept the token: set a live one",
	Forbidden:    "the token may not do this: Stripe's needs to read events, GitHub's to read and write webhooks",
	NotFound:     "there is no such list: check the hook and what the token may see",
	Moved:        "it has moved: set the new address, or the repository's new name",
	Rejected:     "it rejected the request",
	Unavailable:  "it has trouble of its own",
	Unreadable:   "its answer is not of the documented form",
	TooLarge:     "its answer is too large",
}

// An APIError is a request to a provider that failed. Its text holds nothing
// that the provider wrote.
type APIError struct {
	Provider string
	Reason   Reason
	Status   int           // 0: no answer
	Wait     time.Duration // for how long it asked to be left alone
	err      error         // of the transport, if it is that; for the log
}

func (e *APIError) Error() string {
	text := e.Provider + "'s API: " + explanations[e.Reason]
	if e.Status != 0 {
		text += fmt.Sprintf(" (status %d)", e.Status)
	}
	return text
}

func (e *APIError) Unwrap() error { return e.err }

// cause is what a log may know besides: what the transport said of the request,
// which has its address and not its header.
func cause(err error) string {
	var failure *APIError
	if errors.As(err, &failure) && failure.err != nil {
		return " [" + failure.err.Error() + "]"
	}
	return ""
}

// TooFarBackError says that a span begins before the time from which the events
// that came can still be told from those that did not.
type TooFarBackError struct{ Earliest time.Time }

func (e *TooFarBackError) Error() string {
	return "gaps can be repaired since " + e.Earliest.UTC().Format(time.RFC3339) +
		": of older events nobody knows any more whether they came, or the provider cannot send them again"
}

// ErrEmptySpan says that a span ends before it begins.
var ErrEmptySpan = errors.New("the span must end after it begins")

// ErrTooMuch says that a Repair gave up after repairPages: a provider lists more,
// or goes in circles. What it came to until then, is done.
var ErrTooMuch = errors.New("the provider lists more than can be compared at once")

// A BusyError says that a Repair cannot begin while others go on.
type BusyError struct {
	Same bool // of the same source; otherwise as many of any as there may be
}

func (e *BusyError) Error() string {
	if e.Same {
		return "a repair of this source is under way"
	}
	return "as many repairs are under way as there may be at once"
}

// fault reads what an answer other than a 2xx means. GitHub says 403 to who asked
// too often, too.
func fault(provider string, status int, header http.Header, date time.Time) *APIError {
	e := &APIError{Provider: provider, Status: status, Wait: retryAfter(header, date)}
	limited := status == http.StatusTooManyRequests ||
		status == http.StatusForbidden && (e.Wait > 0 || header.Get("X-RateLimit-Remaining") == "0")
	switch {
	case limited:
		e.Reason = RateLimited
		e.Wait = max(e.Wait, untilReset(header, date), time.Minute)
	case status == http.StatusUnauthorized:
		e.Reason = Unauthorized
	case status == http.StatusForbidden:
		e.Reason = Forbidden
	case status == http.StatusNotFound, status == http.StatusGone:
		e.Reason = NotFound
	case status >= 300 && status < 400:
		e.Reason = Moved
	case status >= 400 && status < 500:
		e.Reason = Rejected
	default:
		e.Reason = Unavailable
	}
	return e
}

// retryAfter reads RFC 9110 section 10.2.3, seconds or a date, at most longestPause.
func retryAfter(header http.Header, date time.Time) time.Duration {
	text := header.Get("Retry-After")
	if seconds, err := strconv.ParseUint(text, 10, 32); err == nil {
		return min(time.Duration(seconds)*time.Second, longestPause)
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	return min(max(at.Sub(date), 0), longestPause)
}

// untilReset is when GitHub counts anew, at most longestPause from now.
func untilReset(header http.Header, date time.Time) time.Duration {
	at, err := strconv.ParseInt(header.Get("X-RateLimit-Reset"), 10, 64)
	if err != nil || header.Get("X-RateLimit-Remaining") != "0" && !isNearlySpent(header) {
		return 0
	}
	return min(max(time.Unix(at, 0).Sub(date), time.Second), longestPause)
}

// isNearlySpent says whether less than a twentieth of the hour's requests is
// left: others use the same token.
func isNearlySpent(header http.Header) bool {
	limit, err := strconv.Atoi(header.Get("X-RateLimit-Limit"))
	if err != nil {
		return false
	}
	remaining, err := strconv.Atoi(header.Get("X-RateLimit-Remaining"))
	return err == nil && remaining < limit/20
}
