package api

import (
	"context"
	"net/http"
	"time"

	"github.com/malotehq/malote/internal/delivery"
)

// SourceHour is what came in by one source in one hour, or in several. All but
// Rejected are events; those are requests.
type SourceHour struct {
	Source delivery.ID
	Hour   time.Time // its beginning

	Accepted, Duplicates, Filtered, Rejected int64
}

// ArrivalsJSON is how much came in; exported like LatencyJSON.
type ArrivalsJSON struct {
	Accepted   int64 `json:"accepted" example:"118" doc:"Events that were stored."`
	Duplicates int64 `json:"duplicates" example:"2" doc:"Events that had come in before."`
	Filtered   int64 `json:"filtered" example:"0" doc:"Events that the source's filter left out."`
	Rejected   int64 `json:"rejected" example:"1" doc:"Requests that were turned away: see GET /v1/sources/{id}/rejections."`
}

func showArrivals(h SourceHour) ArrivalsJSON {
	return ArrivalsJSON{h.Accepted, h.Duplicates, h.Filtered, h.Rejected}
}

type sourceHourJSON struct {
	Hour timestamp `json:"hour" nullable:"false" doc:"Its beginning."`
	ArrivalsJSON
}

type sourceSeriesJSON struct {
	Since timestamp        `json:"since" nullable:"false" doc:"As asked, rounded down to the hour."`
	Until timestamp        `json:"until" nullable:"false"`
	Data  []sourceHourJSON `json:"data" doc:"One for every hour, oldest first, zeros included. The last may still be going on."`
}

type sourceSumJSON struct {
	SourceID string `json:"source_id" example:"src_01k9w3zq4xf8ea7m2v6t5c1hbg"`
	ArrivalsJSON
}

type sourceSumsJSON struct {
	Since timestamp       `json:"since" nullable:"false" doc:"As asked, rounded down to the hour."`
	Until timestamp       `json:"until" nullable:"false"`
	Data  []sourceSumJSON `json:"data" doc:"Sources by which nothing came are left out."`
}

// Hours are the bounds of whatever is counted by the hour; exported like Paging.
type Hours struct {
	Since timestamp `query:"since" nullable:"false" doc:"Left out: a day before until."`
	Until timestamp `query:"until" nullable:"false" doc:"Left out: now. At most 92 days after since."`
}

type sourceSeriesInput struct {
	Hours
	ID string `path:"id" doc:"The source's id."`
}

type sourceSumsInput struct {
	Hours
	Tenant string `query:"tenant" maxLength:"64" doc:"Only this tenant's sources."`
}

type (
	sourceSeriesAnswer struct{ Body sourceSeriesJSON }
	sourceSumsAnswer   struct{ Body sourceSumsJSON }
)

func (s *server) registerSourceSeries(r *routes) {
	const about = "Written a few seconds after the request; what waits when a process is killed is not counted. Hours are kept for 400 days."
	handle(r, route{
		id: "get-source-series", method: http.MethodGet, path: "/v1/sources/{id}/series", tag: tagSources, need: mayRead,
		summary: "What came in by a source, by the hour", description: about,
	}, s.getSourceSeries)
	handle(r, route{
		id: "get-source-sums", method: http.MethodGet, path: "/v1/stats/sources", tag: tagHealth, need: mayRead,
		summary: "What came in by each source", description: about, sample: "tenant=acme",
	}, s.getSourceSums)
}

func (s *server) getSourceSeries(ctx context.Context, input *sourceSeriesInput) (*sourceSeriesAnswer, error) {
	id, _, err := s.sourceAt(ctx, input.ID)
	if err != nil {
		return nil, err
	}
	since, until, err := input.span(time.Now())
	if err != nil {
		return nil, err
	}
	known, err := s.Arrivals.SourceHours(ctx, id, since, until)
	if err != nil {
		return nil, err
	}
	byHour := make(map[int64]SourceHour, len(known))
	for _, hour := range known {
		byHour[hour.Hour.Unix()] = hour
	}
	body := sourceSeriesJSON{Since: timestamp{since}, Until: timestamp{until}, Data: []sourceHourJSON{}}
	for at := since; at.Before(until); at = at.Add(time.Hour) {
		body.Data = append(body.Data, sourceHourJSON{timestamp{at}, showArrivals(byHour[at.Unix()])})
	}
	return &sourceSeriesAnswer{body}, nil
}

func (s *server) getSourceSums(ctx context.Context, input *sourceSumsInput) (*sourceSumsAnswer, error) {
	owner, err := caller(ctx).ownerNamed(input.Tenant)
	if err != nil {
		return nil, err
	}
	since, until, err := input.span(time.Now())
	if err != nil {
		return nil, err
	}
	tenant, _ := owner.Tenant()
	sums, err := s.Arrivals.SourceSums(ctx, tenant, since, until)
	if err != nil {
		return nil, err
	}
	return &sourceSumsAnswer{sourceSumsJSON{
		Since: timestamp{since}, Until: timestamp{until},
		Data: shown(sums, func(sum SourceHour) sourceSumJSON {
			return sourceSumJSON{sum.Source.Format(delivery.SourcePrefix), showArrivals(sum)}
		}),
	}}, nil
}

// span is the bounds, with what was left out.
func (h Hours) span(now time.Time) (since, until time.Time, err error) {
	filter, err := (&seriesInput{Since: h.Since, Until: h.Until}).filter(now)
	return filter.Since, filter.Until, err
}
