package api

import (
	"context"
	"net/http"

	"github.com/malotehq/malote/internal/delivery"
)

// Worklist asks for a page of the dead deliveries that wait for somebody, by when
// their events were accepted.
type Worklist struct {
	DeadFilter
	NewestFirst bool
	After       delivery.ID
	Limit       int
}

type worklistInput struct {
	Paging
	DeadFilters
	Order string `query:"order" enum:"oldest,newest" default:"oldest" doc:"Which comes first, by when its event was accepted."`
}

func (s *server) registerWorklist(r *routes) {
	handle(r, route{
		id: "list-dead-letters", method: http.MethodGet, path: "/v1/dead_letters", tag: tagDeliveries, need: mayRead,
		summary: "List dead deliveries to be worked off",
		description: "Oldest first. Tests that failed are left out. What is replayed or resolved leaves the list, and the cursor of a page holds all the same. " +
			"How many there are, and why: `GET /v1/stats/dead`.",
		sample: "tenant=acme&order=oldest",
	}, s.listDeadLetters)
}

func (s *server) listDeadLetters(ctx context.Context, input *worklistInput) (*listAnswer[deliveryJSON], error) {
	filter, err := input.filter(ctx)
	if err != nil {
		return nil, err
	}
	asked := Worklist{DeadFilter: filter, NewestFirst: input.Order == "newest", Limit: input.Limit}
	list := listOf("dead letters", filter.Tenant, filter.EndpointID.String(), input.Type, input.DeadReason, input.ErrorCode, input.Order)
	if asked.After, err = list.afterID(input.Cursor); err != nil {
		return nil, err
	}
	page, err := s.History.Worklist(ctx, asked)
	if err != nil {
		return nil, err
	}
	return &listAnswer[deliveryJSON]{Body: listJSON[deliveryJSON]{
		Data: shown(page.Deliveries, showDelivery), NextCursor: list.idCursor(page.Next),
	}}, nil
}
