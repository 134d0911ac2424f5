package api

import (
	"context"
	"net/http"
	"time"

	"github.com/malotehq/malote/internal/delivery"
)

// Rejection is requests that one source turned away for one reason, as many as
// came while they were gathered.
type Rejection struct {
	ID          delivery.ID
	SourceID    delivery.ID
	Tenant      string
	Reason      string
	Explanation string // what the reason means, and what to do
	Detail      string // of the last one
	Count       int64
	FirstAt     time.Time
	LastAt      time.Time
}

// RejectionFilter says which rejections to list, newest first.
type RejectionFilter struct {
	Tenant   string      // "": every tenant's
	SourceID delivery.ID // zero: every source's
	Since    time.Time   // whose last request came then or later; zero: no bound
	Before   delivery.ID // the page before ended here; zero: the first page
	Limit    int
}

// RejectionPage is one page of rejections.
type RejectionPage struct {
	Rejections []Rejection
	Next       delivery.ID // Before of the following page; zero: there is none
}

type rejectionJSON struct {
	SourceID    string    `json:"source_id" example:"src_01k9w3zq4xf8ea7m2v6t5c1hbg"`
	Tenant      string    `json:"tenant" example:"acme"`
	Reason      string    `json:"reason" example:"wrong_secret" doc:"A stable word."`
	Explanation string    `json:"explanation" doc:"What it means, and what to do."`
	Detail      *string   `json:"detail" doc:"More about the last one: a header's name, how far a time was off."`
	Count       int64     `json:"count" example:"3" doc:"How many requests; those of a few seconds are one row."`
	FirstAt     timestamp `json:"first_at" nullable:"false"`
	LastAt      timestamp `json:"last_at" nullable:"false"`
}

func showRejection(r Rejection) rejectionJSON {
	return rejectionJSON{
		SourceID: r.SourceID.Format(delivery.SourcePrefix), Tenant: r.Tenant, Reason: r.Reason, Explanation: r.Explanation,
		Detail: optional(r.Detail), Count: r.Count, FirstAt: timestamp{r.FirstAt}, LastAt: timestamp{r.LastAt},
	}
}

type listRejectionsInput struct {
	Paging
	Tenant string    `query:"tenant" maxLength:"64" doc:"Only this tenant's."`
	Since  timestamp `query:"since" doc:"Only those whose last request came then or later."`
}

type sourceRejectionsInput struct {
	Paging
	ID    string    `path:"id" doc:"The source's id."`
	Since timestamp `query:"since" doc:"Only those whose last request came then or later."`
}

func (s *server) registerRejections(r *routes) {
	const about = "Newest first: why, how often, and no body. They are kept for 30 days, and written a few seconds after the request."
	handle(r, route{
		id: "list-rejections", method: http.MethodGet, path: "/v1/rejections", tag: tagSources, need: mayRead,
		summary: "List what sources turned away", description: about, sample: "tenant=acme",
	}, s.listRejections)
	handle(r, route{
		id: "list-source-rejections", method: http.MethodGet, path: "/v1/sources/{id}/rejections", tag: tagSources, need: mayRead,
		summary: "List what a source turned away", description: about,
	}, s.listSourceRejections)
}

func (s *server) listRejections(ctx context.Context, input *listRejectionsInput) (*listAnswer[rejectionJSON], error) {
	owner, err := caller(ctx).ownerNamed(input.Tenant)
	if err != nil {
		return nil, err
	}
	filter := RejectionFilter{Since: input.Since.Time}
	filter.Tenant, _ = owner.Tenant()
	return s.rejections(ctx, filter, input.Paging, listOf("rejections", filter.Tenant, instantFilter(input.Since)))
}

func (s *server) listSourceRejections(ctx context.Context, input *sourceRejectionsInput) (*listAnswer[rejectionJSON], error) {
	id, found, err := s.sourceAt(ctx, input.ID)
	if err != nil {
		return nil, err
	}
	filter := RejectionFilter{Tenant: found.Tenant, SourceID: id, Since: input.Since.Time}
	return s.rejections(ctx, filter, input.Paging, listOf("rejections of", id.String(), instantFilter(input.Since)))
}

func (s *server) rejections(ctx context.Context, filter RejectionFilter, paging Paging, list list) (_ *listAnswer[rejectionJSON], err error) {
	if filter.Before, err = list.afterID(paging.Cursor); err != nil {
		return nil, err
	}
	filter.Limit = paging.Limit
	page, err := s.Rejections.Rejections(ctx, filter)
	if err != nil {
		return nil, err
	}
	return &listAnswer[rejectionJSON]{Body: listJSON[rejectionJSON]{
		Data: shown(page.Rejections, showRejection), NextCursor: list.idCursor(page.Next),
	}}, nil
}
