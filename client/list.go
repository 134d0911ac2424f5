package client

import (
	"context"
	"errors"
	"iter"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Page is one page of a list.
type Page[T any] struct {
	Data       []T    `json:"data"`
	NextCursor string `json:"next_cursor"` // "": this is the last page, for now
}

func (p Page[T]) next() string { return p.NextCursor }

// Paging says where in a list to begin, and how much to get at once.
type Paging struct {
	Limit  int    // how many at most on a page, up to 250; 0: 250
	Cursor string // NextCursor of the page before, with the same filter; "": the beginning
}

// largestPage is what the API gives at once.
const largestPage = 250

func (p Paging) into(query url.Values) url.Values {
	limit := p.Limit
	if limit == 0 {
		limit = largestPage
	}
	query.Set("limit", strconv.Itoa(limit))
	set(query, "cursor", p.Cursor)
	return query
}

// set leaves out what is empty.
func set(query url.Values, name, value string) {
	if value != "" {
		query.Set(name, value)
	}
}

func setInstant(query url.Values, name string, at time.Time) { set(query, name, instant(at)) }

// instant is what the API takes; "" for the zero time.
func instant(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format(time.RFC3339Nano)
}

// List goes through all rows of a list of the API, page by page as they are
// needed, for lists that have no method of their own:
//
//	for source, err := range client.List[Source](ctx, c, "/v1/sources", url.Values{"tenant": {"acme"}}) { … }
//
// The query is sent as it is with every page, but for the cursor: limit=250 makes
// for fewer requests, where the list takes a limit. An error comes last, with the
// zero value. Every range over the result begins anew.
func List[T any](ctx context.Context, c *Client, path string, query url.Values) iter.Seq2[T, error] {
	return rows(pages[Page[T]](ctx, c, path, query))
}

// rows flattens pages.
func rows[T any](pages iter.Seq2[Page[T], error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for page, err := range pages {
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, row := range page.Data {
				if !yield(row, nil) {
					return
				}
			}
		}
	}
}

// pages follows cursors to the end.
func pages[P interface{ next() string }](ctx context.Context, c *Client, path string, query url.Values) iter.Seq2[P, error] {
	return func(yield func(P, error) bool) {
		asked := url.Values{}
		maps.Copy(asked, query)
		for {
			page, err := Do[P](ctx, c, Request{Method: http.MethodGet, Path: path, Query: asked})
			if err == nil && page.next() != "" && page.next() == asked.Get("cursor") {
				err = &AnswerError{Method: http.MethodGet, Path: path, Status: http.StatusOK, Err: errStandsStill}
			}
			if err != nil {
				var none P
				yield(none, err)
				return
			}
			if !yield(page, nil) || page.next() == "" {
				return
			}
			asked.Set("cursor", page.next())
		}
	}
}

var errStandsStill = errors.New("its next_cursor is the one that was asked with, so that the list would have no end")
