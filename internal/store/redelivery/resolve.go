package redelivery

import (
	"context"
	"errors"

	"github.com/malotehq/malote/internal/delivery"
)

// Why Resolve refuses.
var (
	ErrNotFound   = errors.New("there is no such delivery")
	ErrNotDead    = errors.New("only dead deliveries can be resolved")
	ErrResolution = errors.New("the reason must be 10 to 1,000 characters of text")
)

// Resolve takes a dead delivery off the list of those that wait for somebody,
// and keeps the reason given: 10 to 1,000 characters, white space around it not
// counted (D11). Nothing is sent.
func (w *Writer) Resolve(ctx context.Context, id delivery.ID, reason string) error {
	return errors.ErrUnsupported
}
