package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strconv"

	"github.com/malotehq/malote/client"
)

// listFlags are shared by the commands that list.
type listFlags struct {
	Limit int  `help:"How many at most; 0: all." default:"50"`
	JSON  bool `name:"json" help:"Print the API's JSON, one object a line."`
}

// largestPage is what the API gives at once.
const largestPage = 250

// list is a list of the API and how its rows are shown.
type list[T any] struct {
	path    string
	query   url.Values
	unpaged bool   // the API gives it whole
	what    string // in the plural: "endpoints"
	head    []string
	row     func(T) []string
}

// print pages through the list and prints it as a table or as JSON lines.
func (l list[T]) print(c *connection, flags listFlags) error {
	if flags.Limit < 0 {
		return &usageError{"--limit must be 0 or more"}
	}
	out := newTable(c.env.stdout)
	count := 0
	progress := c.env.progress("reading " + l.what)
	defer progress.stop()
	more, err := l.each(c, flags.Limit, func(raw json.RawMessage) error {
		count++
		progress.say("reading %s: %d", l.what, count)
		if flags.JSON {
			_, err := fmt.Fprintf(c.env.stdout, "%s\n", raw)
			return err
		}
		var item T
		if err := json.Unmarshal(raw, &item); err != nil {
			return fmt.Errorf("the server's answer is not what this version of malote expects: %w", err)
		}
		if count == 1 {
			out.row(l.head...)
		}
		out.row(l.row(item)...)
		return nil
	})
	progress.stop()
	out.flush()
	switch {
	case err != nil:
		return err
	case count == 0:
		fmt.Fprintf(c.env.stderr, "There are no %s here.\n", l.what)
	case more:
		fmt.Fprintf(c.env.stderr, "There are more than these %d %s: --limit 0 shows all.\n", count, l.what)
	}
	return nil
}

// each visits rows in the API's order until limit (0: none); more: there are others.
func (l list[T]) each(c *connection, limit int, visit func(json.RawMessage) error) (more bool, err error) {
	seen := 0
	for cursor := ""; ; {
		size := largestPage
		if limit > 0 {
			size = min(size, limit-seen)
		}
		page, err := l.page(c, size, cursor)
		if err != nil {
			return false, err
		}
		if l.unpaged && limit > 0 && len(page.Data) > limit {
			page.Data, more = page.Data[:limit], true
		}
		for _, raw := range page.Data {
			if err := visit(raw); err != nil {
				return false, err
			}
		}
		seen += len(page.Data)
		if page.NextCursor == "" || limit > 0 && seen >= limit {
			return more || page.NextCursor != "", nil
		}
		cursor = page.NextCursor
	}
}

// rawPage is one page of any of the API's lists, with its rows as they came.
type rawPage = client.Page[json.RawMessage]

func (l list[T]) page(c *connection, size int, cursor string) (rawPage, error) {
	query := url.Values{}
	maps.Copy(query, l.query)
	if !l.unpaged {
		query.Set("limit", strconv.Itoa(size))
	}
	if cursor != "" {
		query.Set("cursor", cursor)
	}
	page, _, err := fetch[rawPage](c, client.Request{Method: http.MethodGet, Path: l.path, Query: query})
	return page, err
}

// queryOf makes a query of the pairs whose value is not empty.
func queryOf(pairs ...string) url.Values {
	query := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			query.Set(pairs[i], pairs[i+1])
		}
	}
	return query
}
