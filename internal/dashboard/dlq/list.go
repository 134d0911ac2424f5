package dlq

import (
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/malotehq/malote/internal/dashboard/page"
	"github.com/malotehq/malote/internal/dashboard/records"
)

// pageSize is also how many the API takes at once (D10).
const pageSize = 50

// late is after what time a dead delivery should have been looked at (A07).
const late = 24 * time.Hour

// view is what the page shows.
type view struct {
	Filters filters
	Here    string // the address of this place of the list, for its forms
	Rows    []records.Delivery
	URLs    map[string]string // of the endpoints that are known
	Paging  page.Paging
	Left    records.Dead         // with all filters
	Reasons []records.DeadReason // whatever the filter by reason
	Ticked  map[string]bool
	Refusal *page.Problem

	Preview   *preview
	Resolving *resolving
	Outcome   *outcome
}

func showList(r *page.Request) error {
	v, err := viewOf(r)
	if err != nil {
		return err
	}
	if len(v.Rows) == 0 && r.Cursor() != "" && v.Refusal == nil {
		return r.Redirect(v.Filters.address()) // what was here is worked off
	}
	if r.Query("select") == "all" {
		v.tickAll()
	}
	return show(r, v)
}

func show(r *page.Request, v *view) error {
	status := http.StatusOK
	if v.Refusal != nil {
		status = v.Refusal.Status
	}
	return r.Show(page.Content{Title: title.In(r.Context()), Status: status, Body: listPage(*v)})
}

// viewOf gathers the place of the list that the address names. What the API finds
// wrong with the filters is in it.
func viewOf(r *page.Request) (*view, error) {
	v := &view{Filters: filtersOf(r), Here: hereOf(r), Ticked: map[string]bool{}}
	query := v.Filters.what()
	query.Set("order", v.Filters.Order)
	query.Set("limit", strconv.Itoa(pageSize))
	if cursor := r.Cursor(); cursor != "" {
		query.Set("cursor", cursor)
	}
	list, err := page.Get[page.List[records.Delivery]](r, page.API("dead_letters"), query)
	if problem, refused := page.IsRefusal(err); refused {
		v.Refusal = problem
		return v, nil
	}
	if err != nil {
		return nil, err
	}
	v.Rows, v.Paging = list.Data, r.Pages(list.NextCursor)
	return v, v.count(r)
}

// count asks how many are left, and of what they died.
func (v *view) count(r *page.Request) (err error) {
	if v.Left, err = page.Get[records.Dead](r, page.API("stats", "dead"), v.Filters.what()); err != nil {
		return err
	}
	all := v.Left
	if v.Filters != v.Filters.alike() {
		if all, err = page.Get[records.Dead](r, page.API("stats", "dead"), v.Filters.alike().what()); err != nil {
			return err
		}
	}
	v.Reasons, v.URLs = all.Reasons, map[string]string{}
	for _, group := range all.Groups {
		v.URLs[group.EndpointID] = group.URL
	}
	return nil
}

func (v *view) tickAll() {
	for _, row := range v.Rows {
		v.Ticked[row.ID] = true
	}
}

// hereOf is the place's address without what a page shows once.
func hereOf(r *page.Request) string {
	query := r.URL.Query()
	query.Del("dialog")
	query.Del("select")
	if len(query) == 0 {
		return root
	}
	return root + "?" + query.Encode()
}

// selectAll is the address of this place with all boxes ticked, for who has no
// scripts.
func (v view) selectAll() string {
	here, err := url.Parse(v.Here)
	if err != nil {
		return root
	}
	query := here.Query()
	query.Set("select", "all")
	return root + "?" + query.Encode()
}

func isLate(d records.Delivery, now time.Time) bool {
	return d.ClosedAt != nil && now.Sub(*d.ClosedAt) >= late
}

// current says whether the list is narrowed to those that died so.
func (f filters) current(reason records.DeadReason) bool {
	return f.Reason == reason.DeadReason && f.ErrorCode == reason.LastErrorCode
}
