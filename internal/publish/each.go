package publish

import (
	"context"
	"fmt"

	"github.com/malotehq/malote/internal/delivery"
)

// Each is what became of one of several requests that have nothing to do with
// each other. Err is an InvalidError, a TooLargeError or a RefusedError, with the
// request's index, after which that request was not written.
type Each struct {
	Result
	Err error
}

// PublishEach commits requests independently of each other, in as few
// transactions as Publish would: what one is refused for is no matter of the
// others. Its own error is ErrStopped, the context's or the database's, as of
// Publish: then the outcome of every request may be unknown, and all may be sent
// again with their idempotency keys. The order of requests is kept.
func (s *Service) PublishEach(ctx context.Context, requests []Request) ([]Each, error) {
	outcomes := make([]Each, len(requests))
	var drafts []*delivery.Draft
	var places []int // of the drafts among the requests
	for i, request := range requests {
		draft, err := s.drafter.draft(i, request)
		if err != nil {
			outcomes[i].Err = err
			continue
		}
		drafts, places = append(drafts, draft), append(places, i)
	}
	if len(drafts) == 0 {
		return outcomes, nil
	}
	published, err := s.group.submitLoose(ctx, drafts)
	if err != nil {
		return nil, fmt.Errorf("publishing: %w", err)
	}
	for n, p := range published {
		i := places[n]
		outcomes[i].Result = resultFrom(p)
		if p.Err != nil {
			outcomes[i].Err = &RefusedError{Index: i, Err: p.Err}
		}
	}
	return outcomes, nil
}
