// Package deliveries has the pages about deliveries: the list with its filters,
// and one delivery with every attempt, what was sent, and what happens next by
// which clause of the policy.
//
// It must never decide anything: what happens next is told by package policy, of
// what the API says that happened.
package deliveries

import (
	"net/http"
	"net/url"

	"github.com/malotehq/malote/internal/dashboard/page"
	"github.com/malotehq/malote/internal/dashboard/records"
)

// Group are the pages.
func Group() page.Group {
	return page.Group{
		Name: "deliveries",
		Nav:  []page.NavItem{{Section: page.Observe, Label: title, Path: "/deliveries", Icon: "delivery", Need: page.Viewer, Portal: true}},
		Routes: []page.Route{
			{Pattern: "GET /deliveries", Need: page.Viewer, Portal: true, Serve: showList},
			{Pattern: "GET /deliveries/{id}", Need: page.Viewer, Portal: true, Serve: showOne},
			{Pattern: "GET /deliveries/{id}/body", Need: page.Viewer, Portal: true, Serve: downloadBody},
			{Pattern: "POST /deliveries/{id}/signature", Need: page.Viewer, Portal: true, Serve: checkSignature},
			{Pattern: "POST /deliveries/{id}/replay", Need: page.Support, Portal: true, Serve: replay},
			{Pattern: "POST /deliveries/{id}/resolve", Need: page.Support, Portal: true, Serve: resolve},
		},
	}
}

// path is the page of a delivery.
func path(id string) string { return page.Path("deliveries", id) }

// filters are the list's, as its address has them.
type filters struct {
	ID, Tenant, Endpoint, Event, Type, State, Since, Until, DeadReason, ErrorCode string
}

func filtersOf(r *page.Request) filters {
	return filters{
		ID: r.Query("id"), Tenant: r.Query("tenant"), Endpoint: r.Query("endpoint"), Event: r.Query("event"), Type: r.Query("type"),
		State: r.Query("state"), Since: page.Instant(r.Query("since")), Until: page.Instant(r.Query("until")),
		DeadReason: r.Query("dead_reason"), ErrorCode: r.Query("error_code"),
	}
}

func (f filters) query() url.Values {
	query := url.Values{}
	for name, value := range map[string]string{
		"tenant": f.Tenant, "endpoint": f.Endpoint, "event": f.Event, "type": f.Type, "state": f.State,
		"since": f.Since, "until": f.Until, "dead_reason": f.DeadReason, "error_code": f.ErrorCode,
	} {
		if value != "" {
			query.Set(name, value)
		}
	}
	return query
}

// any says whether the list is narrowed at all.
func (f filters) any() bool { return len(f.query()) > 0 }

// listView is what the list's page shows.
type listView struct {
	Filters filters
	Rows    []records.Delivery
	Paging  page.Paging
	Refusal *page.Problem
}

func showList(r *page.Request) error {
	view := listView{Filters: filtersOf(r)}
	if view.Filters.ID != "" {
		// An id is one delivery's, or an event's, whose deliveries are meant; the
		// search knows all others.
		return r.Redirect("/search?" + url.Values{"q": {view.Filters.ID}}.Encode())
	}
	query := view.Filters.query()
	if cursor := r.Cursor(); cursor != "" {
		query.Set("cursor", cursor)
	}
	found, err := page.Get[page.List[records.Delivery]](r, page.API("webhook_deliveries"), query)
	status := http.StatusOK
	if problem, refused := page.IsRefusal(err); refused {
		view.Refusal, status = problem, problem.Status
	} else if err != nil {
		return err
	}
	view.Rows, view.Paging = found.Data, r.Pages(found.NextCursor)
	return r.Show(page.Content{Title: title.In(r.Context()), Status: status, Body: listPage(view)})
}

func replay(r *page.Request) error {
	id := r.PathValue("id")
	if _, err := page.Send[page.Nothing](r, http.MethodPost, page.API("webhook_deliveries", id, "replay"), nil); err != nil {
		return err
	}
	r.Tell(page.Done, replayedText)
	return r.Redirect(path(id))
}

func resolve(r *page.Request) error {
	id := r.PathValue("id")
	reason := map[string]string{"reason": r.Field("reason")}
	if _, err := page.Send[page.Nothing](r, http.MethodPost, page.API("webhook_deliveries", id, "resolve"), reason); err != nil {
		return err
	}
	r.Tell(page.Done, resolvedText)
	return r.Redirect(path(id))
}
