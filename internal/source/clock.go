package source

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

// seconds reads a time in whole seconds since 1970, or in milliseconds.
func seconds(name, text string) (time.Time, *refusal) {
	n, err := strconv.ParseUint(text, 10, 63)
	if err != nil || len(text) > 19 {
		return time.Time{}, malformed(TimestampMalformed, name+" must be digits: seconds since 1970")
	}
	if n > 1e11 { // seconds of the year 5138, or milliseconds of 1973
		return time.UnixMilli(int64(n)), nil
	}
	return time.Unix(int64(n), 0), nil
}

// rfc3339 reads a time as RFC 3339 writes it.
func rfc3339(name, text string) (time.Time, *refusal) {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{}, malformed(TimestampMalformed, name+" must be RFC 3339")
	}
	return at, nil
}

// abutting reads a time in digits that is signed right before the body. Nothing
// parts the two, and whoever moved a part of the body into the time, or the
// other way, would have the same signature for another body: so the time is
// digits, whatever the window, and the body begins with none.
func (c *call) abutting(name, text string) (time.Time, *refusal) {
	at, refused := seconds(name, text)
	if refused != nil {
		return time.Time{}, refused
	}
	if len(c.Body) > 0 && c.Body[0] >= '0' && c.Body[0] <= '9' {
		return time.Time{}, malformed(BodyMalformed, "it begins with a digit, which may be the end of "+name)
	}
	return at, nil
}

// window is how far a signed time may be off, or not more than 0 when that is
// not asked.
func (c *call) window() time.Duration {
	switch {
	case c.now.IsZero() || c.options.Window < 0:
		return 0
	case c.options.Window > 0:
		return c.options.Window
	default:
		return c.provider.Window
	}
}

// maxSkew is the longest that a duration can be, in seconds: 292 years.
const maxSkew = int64(math.MaxInt64 / time.Second)

// inTime holds a signed time to the window, in whole seconds. It comes after
// the signature: only a signed time says anything.
func (c *call) inTime(signed time.Time) *refusal {
	window := c.window()
	if window <= 0 {
		return nil
	}
	skew, allowed := c.now.Unix()-signed.Unix(), int64(window/time.Second)
	reason := TooOld
	switch {
	case skew < -allowed:
		reason = FromTheFuture
	case skew <= allowed:
		return nil
	}
	return &refusal{
		result: Stale, reason: reason, skew: time.Duration(min(max(skew, -maxSkew), maxSkew)) * time.Second,
		detail: fmt.Sprintf("%.0f s are allowed", window.Seconds()),
	}
}
