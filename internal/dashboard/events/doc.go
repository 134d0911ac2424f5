// Package events has the pages about events: what a customer got and when, one
// event with its deliveries, and the export of both.
//
// It must never show an event's bytes but as text.
package events

import (
	"net/http"
	"net/url"

	"github.com/malotehq/malote/internal/dashboard/page"
	"github.com/malotehq/malote/internal/dashboard/records"
	"github.com/malotehq/malote/internal/delivery"
)

// Group are the pages.
func Group() page.Group {
	return page.Group{
		Name: "events",
		Nav:  []page.NavItem{{Section: page.Observe, Label: title, Path: "/events", Icon: "event", Need: page.Viewer, Portal: true}},
		Routes: []page.Route{
			{Pattern: "GET /events", Need: page.Viewer, Portal: true, Serve: showList},
			{Pattern: "GET /events/export", Need: page.Viewer, Portal: true, Serve: export, Stream: true},
			{Pattern: "GET /events/{id}", Need: page.Viewer, Portal: true, Serve: showOne},
			{Pattern: "GET /events/{id}/body", Need: page.Viewer, Portal: true, Serve: downloadBody},
		},
	}
}

func path(id string) string { return page.Path("events", id) }

// filters are the list's, as its address has them.
type filters struct {
	Tenant, Type, ExternalID, Since, Until string
}

func filtersOf(r *page.Request) filters {
	f := filters{
		Tenant: r.Query("tenant"), Type: r.Query("type"), ExternalID: r.Query("external_id"),
		Since: page.Instant(r.Query("since")), Until: page.Instant(r.Query("until")),
	}
	if !r.Visitor.SeesAll() {
		f.Tenant = r.Visitor.Tenant
	}
	return f
}

func (f filters) query() url.Values {
	query := url.Values{}
	for name, value := range map[string]string{
		"tenant": f.Tenant, "type": f.Type, "external_id": f.ExternalID, "since": f.Since, "until": f.Until,
	} {
		if value != "" {
			query.Set(name, value)
		}
	}
	return query
}

// exportQuery is what an export has of the filters.
func (f filters) exportQuery(format string) url.Values {
	query := f.query()
	query.Del("external_id")
	query.Set("format", format)
	return query
}

// listView is what the list's page shows.
type listView struct {
	Filters filters
	Rows    []records.Event
	Paging  page.Paging
	Refusal *page.Problem
}

// showList lists one tenant's events: all tenants' at once are no customer's
// question, and no list of the API's.
func showList(r *page.Request) error {
	view, status := listView{Filters: filtersOf(r)}, http.StatusOK
	if view.Filters.Tenant != "" {
		query := view.Filters.query()
		if cursor := r.Cursor(); cursor != "" {
			query.Set("cursor", cursor)
		}
		found, err := page.Get[page.List[records.Event]](r, page.API("events"), query)
		problem, _ := page.AsProblem(err)
		switch _, refused := page.IsRefusal(err); {
		case refused, problem != nil && problem.Status == http.StatusNotFound: // there is no such tenant
			view.Refusal, status = problem, problem.Status
		case err != nil:
			return err
		}
		view.Rows, view.Paging = found.Data, r.Pages(found.NextCursor)
	}
	return r.Show(page.Content{Title: title.In(r.Context()), Status: status, Body: listPage(view)})
}

// export is a file of what the filters leave: every event with its deliveries.
func export(r *page.Request) error {
	format := r.Query("format")
	if format != "csv" {
		format = "ndjson"
	}
	f := filtersOf(r)
	name := "events-" + f.Tenant + "." + format
	return page.Download(r, page.API("events", "export"), f.exportQuery(format), name)
}

// oneView is what an event's page shows.
type oneView struct {
	Event      records.Event
	Deliveries []records.Delivery
	More       bool // there are more deliveries than are shown
	Body       page.Readable
}

func showOne(r *page.Request) error {
	id := r.PathValue("id")
	event, err := page.Get[records.Event](r, page.API("events", id), nil)
	if err != nil {
		return err
	}
	view := oneView{Event: event}
	deliveries, err := page.Get[page.List[records.Delivery]](r, page.API("webhook_deliveries"), url.Values{"event": {event.ID}, "limit": {"100"}})
	if err != nil {
		return err
	}
	view.Deliveries, view.More = deliveries.Data, deliveries.NextCursor != nil
	raw, err := page.GetRaw(r, page.API("events", id, "body"), nil)
	if err != nil {
		return err
	}
	view.Body = page.Read(raw.Body)
	return r.Show(page.Content{Title: eventText.In(r.Context()) + " " + event.ID, Body: onePage(view)})
}

func downloadBody(r *page.Request) error {
	id := r.PathValue("id")
	if _, err := delivery.ParseID(delivery.EventPrefix, id); err != nil {
		return page.NotFound()
	}
	return page.Download(r, page.API("events", id, "body"), nil, id+".body")
}
