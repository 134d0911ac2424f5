package webhook

import (
	"context"
	"errors"
)

// What [Seen.Claim] answers when the caller is not to handle the id; test with
// errors.Is. Any other error means that the store could not tell.
var (
	// ErrAlreadyHandled: the id was handled before.
	ErrAlreadyHandled = errors.New("webhook: the id was handled before")
	// ErrBeingHandled: another caller has claimed the id and has not finished.
	ErrBeingHandled = errors.New("webhook: the id is being handled")
)

// ErrNotCommitted is what [Claim.Keep] answers when the id was to be kept by a
// transaction of the receiver's own, and that transaction has not committed: the
// work is known not to be done. [Handler] answers 500 then, so that the sender
// comes again.
var ErrNotCommitted = errors.New("webhook: the transaction that keeps the id was not committed: commit it before returning nil")

// Seen remembers which webhook-ids were handled. Of any number of callers that
// claim an id at once, over all processes that share the store, exactly one gets
// a [Claim]; the others get [ErrAlreadyHandled] or [ErrBeingHandled].
//
// A store keeps ids for 7 days (D12), so that a late retry or a resend is still
// recognised. A store that outlives the process must let go of a claim that
// nobody settled for some minutes, or a crash would lock its id for ever. Ids
// are unique within one sender only: give every sender a store, or a key space,
// of its own.
type Seen interface {
	// Claim asks to be the one who handles id. It does not wait for others.
	Claim(ctx context.Context, id string) (Claim, error)
}

// A Claim is the right to handle one id. Its holder settles it once, by either
// method; settling it again, or after it was let go of, changes nothing.
type Claim interface {
	// Keep records that the id was handled.
	Keep(ctx context.Context) error
	// Release gives the id back as if it had never been seen.
	Release(ctx context.Context) error
}

type claimKey struct{}

// ContextWithClaim returns a context that carries a claim, for [ClaimFrom].
// [Handler] does this; a receiver that claims ids itself does it for its own
// function.
func ContextWithClaim(ctx context.Context, claim Claim) context.Context {
	return context.WithValue(ctx, claimKey{}, claim)
}

// ClaimFrom returns the claim under which the webhook is being handled. Within
// the function given to [Handler] there always is one. It is for packages whose
// claims can do more than Keep and Release, such as being kept by the receiver's
// own transaction; whoever handles a webhook leaves it to Handler to settle it.
func ClaimFrom(ctx context.Context) (Claim, bool) {
	claim, ok := ctx.Value(claimKey{}).(Claim)
	return claim, ok
}
