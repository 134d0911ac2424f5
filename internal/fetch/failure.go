package fetch

import "fmt"

// Failure says why there is no content.
type Failure string

// The failures.
const (
	NotAllowed  Failure = "not_allowed" // the address breaks a rule: nothing was sent
	Refused     Failure = "refused"     // the provider's answer says that asking again is of no use
	TooLarge    Failure = "too_large"   // the answer is over its bound
	Unavailable Failure = "unavailable" // no answer, or one that may be another next time
	Busy        Failure = "busy"        // too many at once, or the owner's allowance is used up: nothing was sent
)

// Error is a fetch without content.
type Error struct {
	Failure Failure
	Host    string
	Status  int   // of the answer; 0: there was none
	Err     error // nil when the status says it all
}

func (e *Error) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("%s: %v", e.Summary(), e.Err)
	}
	return e.Summary()
}

// Summary is the error without what this machine's network said of it, for those
// who may not know about that.
func (e *Error) Summary() string {
	if e.Status != 0 {
		return fmt.Sprintf("fetching from %s: %s: the answer was %d", e.Host, e.Failure, e.Status)
	}
	return fmt.Sprintf("fetching from %s: %s", e.Host, e.Failure)
}

func (e *Error) Unwrap() error { return e.Err }

// Final says that the same fetch will fail again: what wanted it cannot be
// verified. Otherwise the sender should come again.
func (e *Error) Final() bool {
	return e.Failure == NotAllowed || e.Failure == Refused || e.Failure == TooLarge
}
