package api

import (
	"context"
	"net/http"
	"slices"

	"github.com/malotehq/malote/internal/delivery"
)

// deadGroups is how many groups are shown.
const deadGroups = 100

type deadGroupJSON struct {
	Tenant             string    `json:"tenant" example:"acme"`
	EndpointID         *string   `json:"endpoint_id" example:"whe_01k9w3zq4xf8ea7m2v6t5c1hbg"`
	URL                *string   `json:"url" example:"https://example.com/webhooks" doc:"The endpoint's, also if it was deleted since."`
	DeadReason         string    `json:"dead_reason" example:"attempts_exhausted"`
	LastErrorCode      *string   `json:"last_error_code" example:"http_status" doc:"Why the last attempt failed; null: there was none."`
	LastResponseStatus *int      `json:"last_response_status" example:"503" doc:"null: no answer was read."`
	Count              int       `json:"count" example:"12"`
	Over24h            int       `json:"over_24h" example:"3" doc:"How many of them have been dead for over 24 hours."`
	OldestAt           timestamp `json:"oldest_at" nullable:"false" doc:"When the first of them died."`
	NewestAt           timestamp `json:"newest_at" nullable:"false" doc:"When the last of them died."`
}

func showDeadGroup(g DeadGroup) deadGroupJSON {
	return deadGroupJSON{
		Tenant: g.Tenant, EndpointID: optionalID(delivery.EndpointPrefix, g.EndpointID), URL: optional(g.URL),
		DeadReason: string(g.Reason), LastErrorCode: optional(string(g.LastError)), LastResponseStatus: optional(g.LastStatus),
		Count: g.Count, Over24h: g.Late, OldestAt: timestamp{g.Oldest}, NewestAt: timestamp{g.Newest},
	}
}

type deadJSON struct {
	Total      int              `json:"total" example:"12"`
	AtLeast    bool             `json:"at_least" doc:"Whether there are more: 20,000 are looked at, of a tenant the newest."`
	Over24h    int              `json:"over_24h" example:"3" doc:"How many have been dead for over 24 hours, and nobody replayed or resolved them."`
	OldestAt   timestamp        `json:"oldest_at" doc:"When the first of all died; null: none is dead."`
	Reasons    []deadReasonJSON `json:"reasons" doc:"All of them by reason and last error, the most frequent first."`
	GroupCount int              `json:"group_count" example:"1"`
	Groups     []deadGroupJSON  `json:"groups" doc:"The 100 largest."`
}

type deadReasonJSON struct {
	DeadReason    string  `json:"dead_reason" example:"attempts_exhausted"`
	LastErrorCode *string `json:"last_error_code" example:"http_status" doc:"null: there was no attempt."`
	Count         int     `json:"count" example:"12"`
	Over24h       int     `json:"over_24h" example:"3" doc:"How many of them have been dead for over 24 hours."`
}

// DeadFilters are what the worklist and its figures have; exported like Paging.
type DeadFilters struct {
	Tenant     string `query:"tenant" maxLength:"64" doc:"Only this tenant's."`
	Endpoint   string `query:"endpoint" maxLength:"50" doc:"Only this endpoint's."`
	Type       string `query:"type" maxLength:"256" doc:"Only those of events of this type."`
	DeadReason string `query:"dead_reason" enum:"attempts_exhausted,too_old,rejected,gone,too_large,interrupted,endpoint_deleted" doc:"Only those that are dead for this reason."`
	ErrorCode  string `query:"error_code" enum:"timeout,dns,connect_refused,connect,tls,reset,protocol,blocked_address,url_not_allowed,no_secret,http_status,response_truncated,interrupted" doc:"Only those whose last attempt failed in this way."`
}

type deadInput struct{ DeadFilters }

func (f DeadFilters) filter(ctx context.Context) (filter DeadFilter, err error) {
	owner, err := caller(ctx).ownerNamed(f.Tenant)
	if err != nil {
		return DeadFilter{}, err
	}
	if err := checkFilters(f.Type, timestamp{}, timestamp{}); err != nil {
		return DeadFilter{}, err
	}
	filter = DeadFilter{EventType: f.Type, Reason: delivery.Reason(f.DeadReason), ErrorCode: delivery.ErrorCode(f.ErrorCode)}
	filter.Tenant, _ = owner.Tenant()
	if f.Endpoint != "" {
		filter.EndpointID, err = idIn("endpoint", delivery.EndpointPrefix, f.Endpoint)
	}
	return filter, err
}

type deadAnswer struct{ Body deadJSON }

func (s *server) registerDeadLetters(r *routes) {
	handle(r, route{
		id: "get-dead-letters", method: http.MethodGet, path: "/v1/stats/dead", tag: tagHealth, need: mayRead,
		summary: "What is dead, and why",
		description: "Dead deliveries by endpoint, reason and last error. Tests that failed are left out. " +
			"The deliveries themselves: `GET /v1/dead_letters` with the same filters.",
		sample: "tenant=acme",
	}, s.getDeadLetters)
	s.registerWorklist(r)
}

func (s *server) getDeadLetters(ctx context.Context, input *deadInput) (*deadAnswer, error) {
	filter, err := input.filter(ctx)
	if err != nil {
		return nil, err
	}
	dead, err := s.Stats.DeadLetters(ctx, filter)
	if err != nil {
		return nil, err
	}
	return &deadAnswer{showDeadLetters(dead)}, nil
}

func showDeadLetters(dead DeadLetters) deadJSON {
	view := deadJSON{AtLeast: dead.Capped, GroupCount: len(dead.Groups)}
	for _, g := range dead.Groups {
		view.Total += g.Count
		view.Over24h += g.Late
		if view.OldestAt.IsZero() || g.Oldest.Before(view.OldestAt.Time) {
			view.OldestAt = timestamp{g.Oldest}
		}
	}
	view.Reasons = deadReasons(dead.Groups)
	view.Groups = shown(dead.Groups[:min(deadGroups, len(dead.Groups))], showDeadGroup)
	return view
}

// deadReasons adds up the groups that ended alike, whatever the endpoint.
func deadReasons(groups []DeadGroup) []deadReasonJSON {
	type kind struct {
		reason delivery.Reason
		last   delivery.ErrorCode
	}
	place := map[kind]int{}
	reasons := []deadReasonJSON{}
	for _, g := range groups {
		i, known := place[kind{g.Reason, g.LastError}]
		if !known {
			i = len(reasons)
			place[kind{g.Reason, g.LastError}] = i
			reasons = append(reasons, deadReasonJSON{DeadReason: string(g.Reason), LastErrorCode: optional(string(g.LastError))})
		}
		reasons[i].Count += g.Count
		reasons[i].Over24h += g.Late
	}
	slices.SortStableFunc(reasons, func(a, b deadReasonJSON) int { return b.Count - a.Count })
	return reasons
}
