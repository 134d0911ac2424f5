// Package dlq has the page of the dead-letter queue: what waits for somebody, why
// it died, and sending it again or taking it off the list, fifty at a time.
//
// It must never decide what may be replayed or resolved: the API says it of each.
package dlq

import (
	"net/url"

	"github.com/malotehq/malote/internal/dashboard/page"
)

// Group are the pages.
func Group() page.Group {
	return page.Group{
		Name: "dlq",
		Nav:  []page.NavItem{{Section: page.Work, Label: title, Path: root, Icon: "dead", Need: page.Viewer, Portal: true}},
		Routes: []page.Route{
			{Pattern: "GET " + root, Need: page.Viewer, Portal: true, Serve: showList},
			{Pattern: "POST " + root, Need: page.Support, Portal: true, Serve: act},
		},
	}
}

const root = "/dlq"

// The orders.
const (
	oldestFirst = "oldest"
	newestFirst = "newest"
)

// filters are the list's, as its address has them.
type filters struct {
	Tenant, Endpoint, Type, Reason, ErrorCode, Order string
}

func filtersOf(r *page.Request) filters {
	f := filters{
		Tenant: r.Query("tenant"), Endpoint: r.Query("endpoint"), Type: r.Query("type"),
		Reason: r.Query("dead_reason"), ErrorCode: r.Query("error_code"), Order: oldestFirst,
	}
	if r.Query("order") == newestFirst {
		f.Order = newestFirst
	}
	return f
}

// what are the filters that say which deliveries are meant.
func (f filters) what() url.Values {
	query := url.Values{}
	for name, value := range map[string]string{
		"tenant": f.Tenant, "endpoint": f.Endpoint, "type": f.Type, "dead_reason": f.Reason, "error_code": f.ErrorCode,
	} {
		if value != "" {
			query.Set(name, value)
		}
	}
	return query
}

// any says whether the list is narrowed at all.
func (f filters) any() bool { return len(f.what()) > 0 }

// alike are the filters without those of one reason.
func (f filters) alike() filters {
	f.Reason, f.ErrorCode = "", ""
	return f
}

// address is the first page of the list with the filters.
func (f filters) address() string {
	query := f.what()
	if f.Order == newestFirst {
		query.Set("order", newestFirst)
	}
	if len(query) == 0 {
		return root
	}
	return root + "?" + query.Encode()
}

// withReason is address for those that died alike.
func (f filters) withReason(reason, errorCode string) string {
	f.Reason, f.ErrorCode = reason, errorCode
	return f.address()
}
