// Package overview has the pages about the whole: what goes on now, and who lags
// behind and why.
//
// It must never count anything itself: figures are the API's.
package overview

import (
	"context"
	"net/url"
	"time"

	"github.com/malotehq/malote/internal/dashboard/page"
	"github.com/malotehq/malote/internal/dashboard/records"
	"github.com/malotehq/malote/internal/dashboard/ui"
)

// Group are the pages.
func Group() page.Group {
	return page.Group{
		Name: "overview",
		Nav: []page.NavItem{
			{Section: page.Observe, Label: nowTitle, Path: "/now", Icon: "now", Need: page.Viewer},
			{Section: page.Observe, Label: lagTitle, Path: "/lag", Icon: "lag", Need: page.Viewer, Portal: true},
		},
		Routes: []page.Route{
			{Pattern: "GET /now", Need: page.Viewer, Serve: showNow},
			{Pattern: "GET /now/stream", Need: page.Viewer, Serve: streamNow, Stream: true},
			{Pattern: "GET /lag", Need: page.Viewer, Portal: true, Serve: showLag},
			{Pattern: "GET /lag/stream", Need: page.Viewer, Portal: true, Serve: streamLag, Stream: true},
		},
	}
}

// refreshEvery is how often a page that is open gets new figures.
const refreshEvery = 2 * time.Second

// chartsEvery is how many refreshes lie between two of the charts, which have a
// value an hour.
const chartsEvery = 15

// nowView is what the page about now shows.
type nowView struct {
	Now    records.Now
	Series records.Series
}

func showNow(r *page.Request) error {
	now, err := page.Get[records.Now](r, page.API("stats", "now"), nil)
	if err != nil {
		return err
	}
	series, err := page.Get[records.Series](r, page.API("stats", "series"), nil)
	if err != nil {
		return err
	}
	return r.Show(page.Content{Title: nowTitle.In(r.Context()), Body: nowPage(nowView{now, series})})
}

func streamNow(r *page.Request) error {
	count := 0
	return page.StreamEvery(r, refreshEvery, func(ctx context.Context, s *page.Stream) error {
		now, err := page.GetIn[records.Now](ctx, r, page.API("stats", "now"), nil)
		if err != nil {
			return err
		}
		if err := s.Part(ctx, figures(now)); err != nil {
			return err
		}
		if count++; count%chartsEvery != 0 {
			return nil
		}
		series, err := page.GetIn[records.Series](ctx, r, page.API("stats", "series"), nil)
		if err != nil {
			return err
		}
		for _, chart := range ui.AttemptCharts(series) {
			if err := s.Data(chart.ID, chart.ChartData()); err != nil {
				return err
			}
		}
		return nil
	})
}

func showLag(r *page.Request) error {
	query := url.Values{}
	if tenant := r.Query("tenant"); tenant != "" {
		query.Set("tenant", tenant)
	}
	lag, err := page.Get[records.Lag](r, page.API("stats", "lag"), query)
	if err != nil {
		return err
	}
	return r.Show(page.Content{Title: lagTitle.In(r.Context()), Body: lagPage(lag, page.Link("/lag/stream", "tenant", r.Query("tenant")))})
}

func streamLag(r *page.Request) error {
	query := url.Values{}
	if tenant := r.Query("tenant"); tenant != "" {
		query.Set("tenant", tenant)
	}
	return page.StreamEvery(r, refreshEvery, func(ctx context.Context, s *page.Stream) error {
		lag, err := page.GetIn[records.Lag](ctx, r, page.API("stats", "lag"), query)
		if err != nil {
			return err
		}
		ctx = page.WithTime(ctx, time.Now())
		return s.Part(ctx, lagPart(lag))
	})
}
