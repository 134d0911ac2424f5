package endpoints

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/malotehq/malote/internal/dashboard/lang"
	"github.com/malotehq/malote/internal/dashboard/page"
	"github.com/malotehq/malote/internal/dashboard/records"
	"github.com/malotehq/malote/internal/dashboard/ui"
)

// pageSize keeps the counts of what waits, one for each row, cheap.
const pageSize = 25

// filters are the list's, as its address has them.
type filters struct{ Tenant, Status, Circuit, Text string }

func filtersOf(r *page.Request) filters {
	return filters{Tenant: r.Query("tenant"), Status: r.Query("status"), Circuit: r.Query("circuit"), Text: r.Query("text")}
}

func (f filters) query() url.Values {
	query := url.Values{}
	for name, value := range map[string]string{"tenant": f.Tenant, "status": f.Status, "circuit": f.Circuit, "text": f.Text} {
		if value != "" {
			query.Set(name, value)
		}
	}
	return query
}

// any says whether the list is narrowed at all.
func (f filters) any() bool { return f != filters{} }

// listView is what the list's page shows.
type listView struct {
	Filters filters
	Rows    []records.Endpoint
	Paging  page.Paging
	Refusal *page.Problem
}

func showList(r *page.Request) error {
	view := listView{Filters: filtersOf(r)}
	query := view.Filters.query()
	query.Set("counts", strconv.FormatBool(true))
	query.Set("limit", strconv.Itoa(pageSize))
	if cursor := r.Cursor(); cursor != "" {
		query.Set("cursor", cursor)
	}
	found, err := page.Get[page.List[records.Endpoint]](r, page.API("webhook_endpoints"), query)
	status := http.StatusOK
	if problem, refused := page.IsRefusal(err); refused {
		view.Refusal, status = problem, problem.Status
	} else if err != nil {
		return err
	}
	view.Rows, view.Paging = found.Data, r.Pages(found.NextCursor)
	return r.Show(page.Content{Title: title.In(r.Context()), Status: status, Body: listPage(view)})
}

// columns are the list's; customers need not be told that all is theirs.
func columns(ctx context.Context) []lang.Text {
	list := []lang.Text{stateText, endpointText}
	if page.From(ctx).Visitor.SeesAll() {
		list = append(list, tenantText)
	}
	return append(list, policyText, waitingText, inFlightText, successText)
}

func statusOptions(ctx context.Context) []ui.Option {
	options := []ui.Option{{Label: anyText.In(ctx)}}
	for _, status := range []string{"active", "paused", "disabled_by_user", "disabled_by_system"} {
		options = append(options, ui.Option{Value: status, Label: ui.StatusWords.In(ctx, status)})
	}
	return options
}

func circuitOptions(ctx context.Context) []ui.Option {
	options := []ui.Option{{Label: anyText.In(ctx)}}
	for _, circuit := range []string{"closed", "open", "half_open"} {
		options = append(options, ui.Option{Value: circuit, Label: circuitWords.In(ctx, circuit)})
	}
	return options
}
