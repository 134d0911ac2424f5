package page

import (
	"net/url"
	"strings"
)

// Paging are the addresses of a list's pages beside the one shown, "" where
// there is none.
type Paging struct {
	First    string
	Previous string
	Next     string
}

// Parameters of a page's address. The API's cursors lead forward only, so the
// address carries those of the pages before.
const (
	cursorParameter = "cursor"
	trailParameter  = "back"
	trailSeparator  = "."
	longestTrail    = 40 // pages; who goes further begins again at the first
)

// Cursor is the list's place that the address names, for the API.
func (r *Request) Cursor() string { return r.URL.Query().Get(cursorParameter) }

// Pages are the pages beside the one that the API answered with.
func (r *Request) Pages(nextCursor *string) Paging {
	query := r.URL.Query()
	current := query.Get(cursorParameter)
	trail := []string{}
	if text := query.Get(trailParameter); text != "" {
		trail = strings.Split(text, trailSeparator)
	}
	var paging Paging
	if current != "" {
		paging.First = r.at(query, "", nil)
		paging.Previous = paging.First
		if n := len(trail); n > 0 {
			paging.Previous = r.at(query, trail[n-1], trail[:n-1])
		}
		trail = append(trail, current)
	}
	if nextCursor != nil {
		paging.Next = r.at(query, *nextCursor, trail[max(0, len(trail)-longestTrail):])
	}
	return paging
}

// at is this page's address at another place of its list.
func (r *Request) at(query url.Values, cursor string, trail []string) string {
	target := url.Values{}
	for name, values := range query {
		if name != cursorParameter && name != trailParameter {
			target[name] = values
		}
	}
	if cursor != "" {
		target.Set(cursorParameter, cursor)
	}
	if len(trail) > 0 {
		target.Set(trailParameter, strings.Join(trail, trailSeparator))
	}
	if len(target) == 0 {
		return r.URL.Path
	}
	return r.URL.Path + "?" + target.Encode()
}
