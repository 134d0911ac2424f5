// Package sources has the pages about where providers' webhooks come in: what came,
// what was turned away and why, their secrets and settings, and the repair of gaps.
//
// It must never know how a provider signs, or what a setting may be: the API says
// both, and finds the faults.
package sources

import (
	"net/http"
	"slices"

	"github.com/malotehq/malote/internal/dashboard/page"
	"github.com/malotehq/malote/internal/dashboard/records"
)

const root = "/sources"

// Group are the pages. They are the operator's: customers have none.
func Group() page.Group {
	return page.Group{
		Name: "sources",
		Nav:  []page.NavItem{{Section: page.SetUp, Label: title, Path: root, Icon: "source", Need: page.Viewer}},
		Routes: []page.Route{
			{Pattern: "GET " + root, Need: page.Viewer, Serve: showList},
			{Pattern: "GET " + root + "/new", Need: page.Admin, Serve: showNew},
			{Pattern: "POST " + root + "/new", Need: page.Admin, Serve: create},
			{Pattern: "GET " + root + "/{id}", Need: page.Viewer, Serve: showOne},
			{Pattern: "GET " + root + "/{id}/edit", Need: page.Admin, Serve: showEdit},
			{Pattern: "POST " + root + "/{id}/edit", Need: page.Admin, Serve: edit},
			{Pattern: "POST " + root + "/{id}/pause", Need: page.Admin, Serve: acting("pause", pausedText)},
			{Pattern: "POST " + root + "/{id}/resume", Need: page.Admin, Serve: acting("resume", resumedText)},
			{Pattern: "POST " + root + "/{id}/delete", Need: page.Admin, Serve: remove},
			{Pattern: "POST " + root + "/{id}/secrets", Need: page.Admin, Serve: addSecret},
			{Pattern: "POST " + root + "/{id}/secrets/{secret}/revoke", Need: page.Admin, Serve: revokeSecret},
			{Pattern: "POST " + root + "/{id}/repair", Need: page.Admin, Serve: repair},
		},
	}
}

// path is the page of a source.
func path(id string) string { return page.Path("sources", id) }

// row is a source with what came in by it lately.
type row struct {
	records.Source
	records.Arrivals
	ProviderTitle string
}

// listView is what the list's page shows.
type listView struct {
	Tenant  string
	Rows    []row
	Paging  page.Paging
	Refusal *page.Problem
}

func showList(r *page.Request) error {
	view := listView{Tenant: r.Query("tenant")}
	query := queryOf("tenant", view.Tenant, "cursor", r.Cursor())
	found, err := page.Get[page.List[records.Source]](r, page.API("sources"), query)
	if problem, refused := refusedFilter(err); refused {
		view.Refusal = problem
		return r.Show(page.Content{Title: title.In(r.Context()), Status: http.StatusUnprocessableEntity, Body: listPage(view)})
	}
	if err != nil {
		return err
	}
	sums, err := page.Get[records.SourceSums](r, page.API("stats", "sources"), queryOf("tenant", view.Tenant))
	if err != nil {
		return err
	}
	providers, err := providersOf(r)
	if err != nil {
		return err
	}
	for _, s := range found.Data {
		one := row{Source: s, ProviderTitle: titleOf(providers, s.Provider)}
		for _, sum := range sums.Data {
			if sum.SourceID == s.ID {
				one.Arrivals = sum.Arrivals
			}
		}
		view.Rows = append(view.Rows, one)
	}
	view.Paging = r.Pages(found.NextCursor)
	return r.Show(page.Content{Title: title.In(r.Context()), Body: listPage(view)})
}

// refusedFilter is IsRefusal for lists, where a tenant that is not there is a fault
// of the filter.
func refusedFilter(err error) (*page.Problem, bool) {
	if p, ok := page.AsProblem(err); ok && p.Code == "unknown_tenant" {
		return p, true
	}
	return page.IsRefusal(err)
}

func providersOf(r *page.Request) ([]records.Provider, error) {
	list, err := page.Get[page.List[records.Provider]](r, page.API("source_providers"), nil)
	return list.Data, err
}

func providerNamed(providers []records.Provider, name string) (records.Provider, bool) {
	i := slices.IndexFunc(providers, func(p records.Provider) bool { return p.Name == name })
	if i < 0 {
		return records.Provider{Name: name, Title: name}, false
	}
	return providers[i], true
}

func titleOf(providers []records.Provider, name string) string {
	p, _ := providerNamed(providers, name)
	return p.Title
}
