package recovery

import (
	"context"
	"errors"
	"fmt"

	"github.com/malotehq/malote/internal/delivery"
)

// Storage is what the driver needs of the database.
type Storage interface {
	// RunningRecoveries lists the jobs, of which the one that got nothing for the
	// longest time comes first.
	RunningRecoveries(ctx context.Context) ([]delivery.ID, error)
	// RecoverBatch does a job's next batch, in one transaction; moved is false if
	// there was nothing to be done now. lanes have new work then, or, with an error,
	// may have: nobody knows whether it was committed.
	RecoverBatch(ctx context.Context, job delivery.ID) (moved bool, lanes []delivery.LaneRef, err error)
}

// Runner gives jobs their turns.
type Runner struct {
	storage Storage
	wake    func([]delivery.LaneRef)
}

// New makes a runner. wake looks at lanes after their new work is committed; it
// must not block.
func New(storage Storage, wake func([]delivery.LaneRef)) *Runner {
	return &Runner{storage: storage, wake: wake}
}

// Step gives every running job one batch, and says whether another step may find
// something to do at once: it does not if all jobs wait for their lanes. A job
// that fails keeps no other from its turn; its error is returned, and its next
// step tries again.
func (r *Runner) Step(ctx context.Context) (more bool, _ error) {
	jobs, err := r.storage.RunningRecoveries(ctx)
	if err != nil {
		return false, fmt.Errorf("recovering: %w", err)
	}
	var failures []error
	for _, job := range jobs {
		if err := ctx.Err(); err != nil {
			failures = append(failures, err)
			break
		}
		moved, lanes, err := r.storage.RecoverBatch(ctx, job)
		if len(lanes) > 0 {
			r.wake(lanes)
		}
		if err != nil {
			failures = append(failures, err)
			continue
		}
		more = more || moved
	}
	return more, errors.Join(failures...)
}
