package relay

import (
	"errors"
	"fmt"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/publish"
)

var errUnstorable = errors.New("Malote's database does not take it: the log of the malote that relays says why")

// isRefusal tells what a row itself is refused for from what went wrong.
func isRefusal(err error) bool {
	_, isInvalid := errors.AsType[*publish.InvalidError](err)
	_, isLarge := errors.AsType[*publish.TooLargeError](err)
	return isInvalid || isLarge || errors.Is(err, errUnstorable) || errors.Is(err, delivery.ErrUnknownTenant) ||
		errors.Is(err, delivery.ErrUnknownEndpoint) || errors.Is(err, delivery.ErrKeyReused)
}

// reason is a refusal in words for whoever looks at the outbox: without the
// place in a batch, which nobody knows there.
func reason(err error) string {
	if invalid, ok := errors.AsType[*publish.InvalidError](err); ok {
		return fmt.Sprintf("%s %s", invalid.Field, invalid.Reason)
	}
	if large, ok := errors.AsType[*publish.TooLargeError](err); ok {
		return fmt.Sprintf("its body has %d bytes, the limit of this Malote is %d: raise --max-body-bytes, or send a link", large.Size, large.Limit)
	}
	switch {
	case errors.Is(err, delivery.ErrUnknownTenant):
		return "there is no such tenant: create it, then retry"
	case errors.Is(err, delivery.ErrKeyReused):
		return "its idempotency_key belongs to an event that says something else: give every event a key of its own"
	}
	if refused, ok := errors.AsType[*publish.RefusedError](err); ok {
		return refused.Err.Error()
	}
	return err.Error()
}
