package webhook

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"
)

// DefaultMaxBody is the largest body that a [Handler] reads, in bytes.
const DefaultMaxBody = 1 << 20

// settleTimeout bounds the recording of what became of a webhook; it runs on
// although the sender may have hung up.
const settleTimeout = 5 * time.Second

// HandlerOption changes a default of [Handler].
type HandlerOption func(*receiver)

// WithMaxBody sets the largest body that is read, in bytes; the default is
// [DefaultMaxBody]. Larger ones are answered with 413.
func WithMaxBody(limit int64) HandlerOption {
	return func(rc *receiver) { rc.maxBody = limit }
}

// WithSeen sets the store that repetitions are recognised by; the default is a
// [Memory] of the handler's own with its default bounds.
func WithSeen(seen Seen) HandlerOption {
	return func(rc *receiver) { rc.seen = seen }
}

// WithObserver has observe called for every request, just before it is answered.
// Without it refusals are logged as warnings and failures as errors to
// slog.Default.
func WithObserver(observe func(context.Context, Observation)) HandlerOption {
	return func(rc *receiver) { rc.observe = observe }
}

// receiver is the http.Handler behind Handler.
type receiver struct {
	verifier *Verifier
	handle   func(context.Context, Message) error
	maxBody  int64
	seen     Seen
	observe  func(context.Context, Observation)
}

// Handler returns a receiver that calls handle with every webhook the verifier
// accepts, once per webhook-id unless handle fails, and answers
//
//   - 200 {"id", "duplicate"} when handle returned nil, now or on an earlier
//     request with the same id;
//   - 500 when handle returned an error, or what a [*StatusError] in it asks for.
//     The id is free again, so that the sender's next attempt is handled anew.
//     After a panic it is too, and the connection is closed. The same after
//     [ErrNotCommitted];
//   - 503 with Retry-After while another request with the same id is being
//     handled, or when the store cannot tell. Not 409, which many senders take
//     for final. And no waiting: a handler that takes long is why the sender
//     asks again, and a waiting request would keep one more connection busy
//     without being answered any sooner;
//   - 401 for a signature that does not hold or a timestamp out of tolerance,
//     400 for missing or unreadable headers or a broken-off body, 405 for
//     anything but POST, 413 for a body over the limit.
//
// Errors are application/problem+json (RFC 9457) with the reason as "code". What
// handle's error says stays on this side.
//
// The headers are checked before the body is read, and the body is never decoded,
// even when it has a Content-Encoding: it was signed as it is. handle gets the
// request's context with the claim in it ([ClaimFrom]), which ends when the sender
// hangs up; work that outlasts the sender's patience (often 5 to 15 s) belongs in
// a queue of the receiver's own.
// How slowly a body may arrive is for http.Server.ReadTimeout to say.
func Handler(verifier *Verifier, handle func(context.Context, Message) error, options ...HandlerOption) http.Handler {
	rc := &receiver{
		verifier: verifier,
		handle:   handle,
		maxBody:  DefaultMaxBody,
		seen:     NewMemory(0, 0),
		observe:  logObservation,
	}
	for _, option := range options {
		option(rc)
	}
	return rc
}

// ServeHTTP implements http.Handler.
func (rc *receiver) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	message, a := rc.receive(w, r)
	if message.ID != "" {
		a = rc.handleOnce(r.Context(), message)
	}
	rc.observe(r.Context(), Observation{Outcome: a.outcome, Status: a.status, Message: message, Err: a.err})
	a.write(w, message.ID)
}

// receive returns the verified message, or the answer that refuses the request.
func (rc *receiver) receive(w http.ResponseWriter, r *http.Request) (Message, answer) {
	if r.Method != http.MethodPost {
		return Message{}, answer{outcome: OutcomeRefused, status: http.StatusMethodNotAllowed, code: codeMethod, err: errMethod}
	}
	envelope, err := rc.verifier.open(r.Header)
	if err != nil {
		return Message{}, refuseVerify(err)
	}
	if r.ContentLength > rc.maxBody {
		return Message{}, refuseBody(&http.MaxBytesError{Limit: rc.maxBody})
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, rc.maxBody))
	if err != nil {
		return Message{}, refuseBody(err)
	}
	message, err := rc.verifier.check(envelope, r.Header, body)
	if err != nil {
		return Message{}, refuseVerify(err)
	}
	return message, answer{}
}

// handleOnce claims the id, handles the message and settles the claim.
func (rc *receiver) handleOnce(ctx context.Context, message Message) answer {
	claim, err := rc.seen.Claim(ctx, message.ID)
	switch {
	case errors.Is(err, ErrAlreadyHandled):
		return answer{outcome: OutcomeDuplicate, status: http.StatusOK}
	case errors.Is(err, ErrBeingHandled):
		return answer{outcome: OutcomeBusy, status: http.StatusServiceUnavailable, code: codeBusy, retryAfter: retrySoon, err: err}
	case err != nil:
		return answer{outcome: OutcomeFailed, status: http.StatusServiceUnavailable, code: codeStore, retryAfter: retrySoon, err: err}
	}
	finished := false
	defer func() {
		if !finished { // handle panicked; nobody hears of an error any more
			_ = settle(ctx, claim.Release)
		}
	}()
	err = rc.handle(ContextWithClaim(ctx, claim), message)
	finished = true
	if err == nil {
		// The work is done: asking the sender for another attempt because it could
		// not be recorded would make certain that it is done twice.
		kept := settle(ctx, claim.Keep)
		if !errors.Is(kept, ErrNotCommitted) {
			return answer{outcome: OutcomeHandled, status: http.StatusOK, err: kept}
		}
		err = kept
	}
	return failed(errors.Join(err, settle(ctx, claim.Release)))
}

func settle(ctx context.Context, how func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTimeout)
	defer cancel()
	return how(ctx)
}
