package receiver

import (
	"fmt"
	"net/http"
	"time"
)

// Told makes the manner that the options of `malote listen` ask for: every
// answer after a delay and with a status (0: 200), or, with failFirst, the first
// so many requests with the status (500 unless it is a failure) and the others
// with 200. Its errors say what to change.
func Told(status int, delay time.Duration, failFirst int) (Manner, error) {
	switch {
	case status != 0 && (status < 200 || status > 599):
		return nil, fmt.Errorf("the status %d cannot be answered: give one from 200 to 599", status)
	case delay < 0:
		return nil, fmt.Errorf("the delay %s is negative: give one such as 2s", delay)
	case failFirst < 0:
		return nil, fmt.Errorf("the number %d of requests to fail first is negative", failFirst)
	}
	if status == 0 {
		status = http.StatusOK
	}
	manner := Status(status)
	if failFirst > 0 {
		if status < 300 {
			status = http.StatusInternalServerError
		}
		manner = First(failFirst, Status(status), Polite())
	}
	return Delayed(delay, manner), nil
}
