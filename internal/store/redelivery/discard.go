package redelivery

import (
	"context"
	"errors"

	"github.com/malotehq/malote/internal/delivery"
)

// Discard closes what is pending for an endpoint without sending it, and says
// how many that were. What is being sent just now is not touched. It works in
// transactions of 1,000 rows: after an error, what was counted is done.
func (w *Writer) Discard(ctx context.Context, endpoint delivery.ID) (int, error) {
	return 0, errors.ErrUnsupported
}
