package api

import (
	"context"
	"net/http"
	"time"

	"github.com/malotehq/malote/internal/delivery"
)

// A series has a row for every hour, whether or not anything happened: so many at
// most, and without since those of one day.
const (
	longestSeries = 92 * 24 * time.Hour
	usualSeries   = 24 * time.Hour
)

type hourJSON struct {
	Hour   timestamp `json:"hour" nullable:"false" doc:"Its beginning."`
	Sent   int64     `json:"sent" example:"120" doc:"Attempts, failed ones included."`
	OK     int64     `json:"ok" example:"118"`
	Failed int64     `json:"failed" example:"2"`
	LatencyJSON
}

type seriesJSON struct {
	Since timestamp  `json:"since" nullable:"false" doc:"As asked, rounded down to the hour."`
	Until timestamp  `json:"until" nullable:"false"`
	Data  []hourJSON `json:"data" doc:"One for every hour, oldest first, zeros included. The last may still be going on."`
}

type seriesInput struct {
	Tenant   string    `query:"tenant" maxLength:"64" doc:"Only this tenant's endpoints."`
	Endpoint string    `query:"endpoint" maxLength:"50" doc:"Only this endpoint."`
	Since    timestamp `query:"since" nullable:"false" doc:"Left out: a day before until."`
	Until    timestamp `query:"until" nullable:"false" doc:"Left out: now. At most 92 days after since."`
}

type seriesAnswer struct{ Body seriesJSON }

func (s *server) registerSeries(r *routes) {
	handle(r, route{
		id: "get-series", method: http.MethodGet, path: "/v1/stats/series", tag: tagHealth, need: mayRead,
		summary:     "Attempts by the hour",
		description: "With how long they took, over all endpoints, a tenant's, or of one. Hours are kept for 400 days.",
		sample:      "tenant=acme&since=2026-03-01T00:00:00Z&until=2026-03-02T00:00:00Z",
	}, s.getSeries)
}

func (s *server) getSeries(ctx context.Context, input *seriesInput) (*seriesAnswer, error) {
	owner, err := caller(ctx).ownerNamed(input.Tenant)
	if err != nil {
		return nil, err
	}
	filter, err := input.filter(time.Now())
	if err != nil {
		return nil, err
	}
	filter.Tenant, _ = owner.Tenant()
	hours, err := s.Stats.Hours(ctx, filter)
	if err != nil {
		return nil, err
	}
	return &seriesAnswer{seriesJSON{
		Since: timestamp{filter.Since}, Until: timestamp{filter.Until}, Data: everyHour(filter.Since, filter.Until, hours),
	}}, nil
}

func (input *seriesInput) filter(now time.Time) (filter HourFilter, err error) {
	filter.Since, filter.Until = input.Since.Time, input.Until.Time
	if filter.Until.IsZero() {
		filter.Until = now.UTC()
	}
	if filter.Since.IsZero() {
		filter.Since = filter.Until.Add(-usualSeries)
	}
	filter.Since = filter.Since.UTC().Truncate(time.Hour)
	switch {
	case !filter.Since.Before(filter.Until):
		return HourFilter{}, fault("until", "must be later than since")
	case filter.Until.Sub(filter.Since) > longestSeries+time.Hour:
		return HourFilter{}, fault("until", "must be at most %d days after since", longestSeries/(24*time.Hour))
	case input.Endpoint != "":
		filter.EndpointID, err = idIn("endpoint", delivery.EndpointPrefix, input.Endpoint)
	}
	return filter, err
}

// everyHour puts the hours in order, and those without attempts between them.
func everyHour(since, until time.Time, known []Hour) []hourJSON {
	byHour := make(map[int64]Hour, len(known))
	for _, hour := range known {
		byHour[hour.Hour.Unix()] = hour
	}
	data := make([]hourJSON, 0, until.Sub(since)/time.Hour+1)
	for at := since; at.Before(until); at = at.Add(time.Hour) {
		hour := byHour[at.Unix()]
		data = append(data, hourJSON{
			Hour: timestamp{at}, Sent: hour.OK + hour.Failed, OK: hour.OK, Failed: hour.Failed, LatencyJSON: showLatency(hour.Latency),
		})
	}
	return data
}
