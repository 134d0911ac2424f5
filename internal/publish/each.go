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
	return s.publishEach(ctx, requests, s.drafter.foreign)
}

// PublishOwn is PublishEach for the events of Malote itself, whose tenant is
// delivery.OwnTenant whatever the requests say. They may have DefaultMaxBody,
// however little others may.
func (s *Service) PublishOwn(ctx context.Context, requests []Request) ([]Each, error) {
	own := drafter{maxBody: max(s.drafter.maxBody, DefaultMaxBody)}
	return s.publishEach(ctx, requests, func(i int, request Request) (*delivery.Draft, error) {
		request.Tenant = delivery.OwnTenant
		return own.draft(i, request)
	})
}

func (s *Service) publishEach(ctx context.Context, requests []Request, draftOf func(int, Request) (*delivery.Draft, error)) ([]Each, error) {
	outcomes := make([]Each, len(requests))
	var drafts []*delivery.Draft
	var places []int // of the drafts among the requests
	for i, request := range requests {
		draft, err := draftOf(i, request)
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
