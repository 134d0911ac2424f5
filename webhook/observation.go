package webhook

import (
	"context"
	"fmt"
	"log/slog"
	"time"
)

// Outcome is what became of a request to a [Handler].
type Outcome string

// Every outcome of a request.
const (
	OutcomeHandled   Outcome = "handled"
	OutcomeDuplicate Outcome = "duplicate" // handled on an earlier request
	OutcomeBusy      Outcome = "busy"      // being handled by another request
	OutcomeFailed    Outcome = "failed"    // the handler or the store failed
	OutcomeRefused   Outcome = "refused"   // not a genuine webhook in time
)

// An Observation is one request to a [Handler], for logs and metrics.
type Observation struct {
	Outcome Outcome
	Status  int     // of the answer
	Message Message // zero when the request was refused
	// Err is why: a *VerifyError or *http.MaxBytesError of a refusal, what the
	// handler or the store returned of a failure. With OutcomeHandled it means
	// that the store could not record it, so that a repetition may be handled
	// again.
	Err error
}

// StatusError lets the function given to [Handler] choose the answer: 429 or 503
// with a wait when it cannot keep up, 410 when it wants no more.
type StatusError struct {
	Status     int           // 400 to 599; anything else becomes 500
	RetryAfter time.Duration // rounded up to seconds; none when 0
	Err        error         // why, for the log; not shown to the sender
}

// Error says the status and why.
func (e *StatusError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("webhook: answering %d", e.Status)
	}
	return fmt.Sprintf("webhook: answering %d: %v", e.Status, e.Err)
}

// Unwrap returns Err.
func (e *StatusError) Unwrap() error { return e.Err }

// logObservation is the observer of a Handler that was given none.
func logObservation(ctx context.Context, o Observation) {
	switch {
	case o.Outcome == OutcomeRefused:
		slog.WarnContext(ctx, "webhook refused", "status", o.Status, "error", o.Err)
	case o.Err != nil && o.Outcome != OutcomeBusy:
		slog.ErrorContext(ctx, "webhook "+string(o.Outcome), "id", o.Message.ID, "status", o.Status, "error", o.Err)
	}
}
