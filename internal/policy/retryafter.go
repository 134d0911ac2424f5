package policy

import (
	"strings"
	"time"

	"github.com/malotehq/malote/internal/delivery"
)

// longestRetryAfter bounds what is read at all, so that no arithmetic with it
// can overflow; a policy's cap is far below.
const longestRetryAfter = 10 * 365 * 24 * time.Hour

// parseRetryAfter reads a Retry-After header (RFC 9110 §10.2.3: seconds or an
// HTTP-date). What is negative, past or unreadable is 0: no wait asked for.
func parseRetryAfter(header string, now time.Time) time.Duration {
	header = strings.Trim(header, " \t")
	if header == "" {
		return 0
	}
	if seconds, ok := parseSeconds(header); ok {
		return seconds
	}
	date, ok := parseDate(header)
	if !ok || !date.After(now) {
		return 0
	}
	return min(date.Sub(now), longestRetryAfter)
}

// dateLayouts are the three forms of an HTTP-date (RFC 9110 §5.6.7), the
// preferred one first.
var dateLayouts = []string{"Mon, 02 Jan 2006 15:04:05 GMT", time.RFC850, time.ANSIC}

func parseDate(header string) (time.Time, bool) {
	for _, layout := range dateLayouts {
		if date, err := time.Parse(layout, header); err == nil {
			return date, true
		}
	}
	return time.Time{}, false
}

// parseSeconds reads digits only; a number too large to hold is the longest.
func parseSeconds(digits string) (time.Duration, bool) {
	seconds := int64(0)
	for _, c := range []byte(digits) {
		if c < '0' || c > '9' {
			return 0, false
		}
		seconds = min(seconds*10+int64(c-'0'), int64(longestRetryAfter/time.Second))
	}
	return time.Duration(seconds) * time.Second, true
}

// floor is how long the answer asks to be left alone, as far as the policy
// obeys it.
func (r RetryAfter) floor(outcome delivery.Outcome, failure delivery.ErrorCode, now time.Time) time.Duration {
	if outcome.RetryAfter == "" || !anyMatches(r.On, outcome.Status, failure) {
		return 0
	}
	return min(parseRetryAfter(outcome.RetryAfter, now), r.Cap)
}
