package sources

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/malotehq/malote/internal/dashboard/lang"
	"github.com/malotehq/malote/internal/dashboard/page"
	"github.com/malotehq/malote/internal/dashboard/records"
	"github.com/malotehq/malote/internal/dashboard/ui"
)

// oneView is what a source's page shows.
type oneView struct {
	Source     records.Source
	Provider   records.Provider
	Days       int // that the chart shows
	Series     records.SourceSeries
	Rejections []records.Rejection
	Paging     page.Paging // of the rejections
	Secrets    []records.SourceSecret

	Refusal *page.Problem // of what somebody asked for
	Secret  secretForm
	Repair  repairForm
}

// secretForm is what somebody typed besides the secret itself.
type secretForm struct {
	Name, Role, Overlap string
	Refusal             *page.Problem
}

// repairForm is a span of time that somebody asks to be compared, and what came of
// it.
type repairForm struct {
	Since, Until string
	Report       *records.GapReport
	Refusal      *page.Problem
}

// The spans that the chart offers, in days.
var spans = []int{1, 7, 30}

func showOne(r *page.Request) error {
	view, err := viewOf(r)
	if err != nil {
		return err
	}
	return show(r, view, http.StatusOK)
}

func show(r *page.Request, view *oneView, status int) error {
	return r.Show(page.Content{Title: view.Source.Name, Status: status, Body: onePage(*view)})
}

func viewOf(r *page.Request) (*oneView, error) {
	view := &oneView{Days: spans[0]}
	id := r.PathValue("id")
	for _, days := range spans {
		if r.Query("days") == strconv.Itoa(days) {
			view.Days = days
		}
	}
	var err error
	if view.Source, err = page.Get[records.Source](r, page.API("sources", id), nil); err != nil {
		return nil, err
	}
	providers, err := providersOf(r)
	if err != nil {
		return nil, err
	}
	view.Provider, _ = providerNamed(providers, view.Source.Provider)
	since := page.From(r.Context()).Now.Add(-time.Duration(view.Days) * 24 * time.Hour)
	view.Series, err = page.Get[records.SourceSeries](r, page.API("sources", id, "series"), queryOf("since", since.UTC().Format(time.RFC3339)))
	if err != nil {
		return nil, err
	}
	rejections, err := page.Get[page.List[records.Rejection]](r, page.API("sources", id, "rejections"), queryOf("limit", "20", "cursor", r.Cursor()))
	if err != nil {
		return nil, err
	}
	view.Rejections, view.Paging = rejections.Data, r.Pages(rejections.NextCursor)
	secrets, err := page.Get[page.List[records.SourceSecret]](r, page.API("sources", id, "secrets"), nil)
	view.Secrets = secrets.Data
	return view, err
}

// queryOf is parameters given as names and values, without empty ones.
func queryOf(parameters ...string) url.Values {
	query := url.Values{}
	for i := 0; i+1 < len(parameters); i += 2 {
		if parameters[i+1] != "" {
			query.Set(parameters[i], parameters[i+1])
		}
	}
	return query
}

// acting makes the handler of an action without a form of its own.
func acting(action string, done lang.Text) page.Handler {
	return func(r *page.Request) error {
		id := r.PathValue("id")
		if _, err := page.Send[page.Nothing](r, http.MethodPost, page.API("sources", id, action), nil); err != nil {
			return err
		}
		r.Tell(page.Done, done)
		return r.Redirect(path(id))
	}
}

func remove(r *page.Request) error {
	if _, err := page.Send[page.Nothing](r, http.MethodDelete, page.API("sources", r.PathValue("id")), nil); err != nil {
		return err
	}
	r.Tell(page.Done, deletedText)
	return r.Redirect(root)
}

// address is what the provider is to be given.
func (v oneView) address() string {
	if v.Source.ReceiveURL != nil {
		return *v.Source.ReceiveURL
	}
	return v.Source.ReceivePath
}

// chart is what came in by the hour.
func (v oneView) chart() ui.ChartView {
	c := ui.ChartView{ID: "chart-arrivals", Title: chartTitle, Series: []ui.Series{
		{Label: receivedText, Tone: ui.Good, Bars: true}, {Label: duplicatesText, Tone: ui.Busy}, {Label: rejectedText, Tone: ui.Bad},
	}}
	for _, hour := range v.Series.Data {
		c.Times = append(c.Times, hour.Hour)
		for i, n := range []int{hour.Accepted, hour.Duplicates, hour.Rejected} {
			c.Series[i].Values = append(c.Series[i].Values, float64(n))
		}
	}
	return c
}

// hasSecretFor says whether some secret verifies, or repairs.
func (v oneView) hasSecretFor(repair bool) bool {
	for _, s := range v.Secrets {
		if (s.Role == roleRepair) == repair {
			return true
		}
	}
	return false
}

func rejectedTone(n int) ui.Tone {
	if n > 0 {
		return ui.Warn
	}
	return ui.Neutral
}

// reasonName names a reason shortly, if it comes often.
func reasonName(ctx context.Context, rejection records.Rejection) string {
	return reasonNames.In(ctx, rejection.Reason)
}

// explain is what a reason means, and what to do; in the API's own words where this
// version has none.
func explain(ctx context.Context, rejection records.Rejection) string {
	if _, known := reasonWords[rejection.Reason]; known {
		return reasonWords.In(ctx, rejection.Reason)
	}
	return rejection.Explanation
}
