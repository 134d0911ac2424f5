package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/malotehq/malote/client"
)

// eventFollower gives every event of a tenant once, from its start on.
type eventFollower struct {
	c      *connection
	tenant string
	raw    bool

	since time.Time            // every event accepted before it was given
	seen  map[string]time.Time // given already, though not before since
}

// eventPage is a page of events.
type eventPage struct {
	rawPage
	CompleteUntil time.Time `json:"complete_until"`
}

func followEvents(c *connection, tenant string, raw bool) (*eventFollower, error) {
	f := &eventFollower{c: c, tenant: tenant, raw: raw, seen: map[string]time.Time{}}
	_, got, err := fetch[eventPage](c, client.Request{Method: http.MethodGet, Path: eventsPath, Query: queryOf("tenant", tenant, "limit", "1")})
	if err != nil {
		return nil, err
	}
	f.since = serverTime(got).Add(-overlap)
	_, err = f.poll() // what is there already is not shown
	return f, err
}

func (f *eventFollower) poll() ([]string, error) {
	var lines []string
	query := queryOf("tenant", f.tenant, "since", f.since.UTC().Format(time.RFC3339Nano), "limit", strconv.Itoa(largestPage))
	for {
		page, _, err := fetch[eventPage](f.c, client.Request{Method: http.MethodGet, Path: eventsPath, Query: query})
		if err != nil {
			return lines, err
		}
		for _, raw := range page.Data {
			line, err := f.take(raw)
			if err != nil {
				return lines, err
			}
			if line != "" {
				lines = append(lines, line)
			}
		}
		if page.NextCursor == "" {
			f.advance(page.CompleteUntil)
			return lines, nil
		}
		query = url.Values{"cursor": {page.NextCursor}, "since": query["since"], "limit": query["limit"], "tenant": query["tenant"]}
	}
}

// take gives the line of an event that is new.
func (f *eventFollower) take(raw json.RawMessage) (string, error) {
	var event eventView
	if err := json.Unmarshal(raw, &event); err != nil || event.AcceptedAt == nil {
		return "", fmt.Errorf("the server's answer is not what this version of malote expects: %w", err)
	}
	if _, known := f.seen[event.ID]; known {
		return "", nil
	}
	f.seen[event.ID] = *event.AcceptedAt
	if f.raw {
		return string(raw), nil
	}
	return clean(fmt.Sprintf("%s  %-30s  %-24s  %s", clock(*event.AcceptedAt), event.ID, event.Type, event.Tenant)), nil
}

func (f *eventFollower) advance(until time.Time) {
	if until.After(f.since) {
		f.since = until
	}
	for id, at := range f.seen {
		if at.Before(f.since) {
			delete(f.seen, id)
		}
	}
}

// clock is a moment of today, in UTC.
func clock(at time.Time) string { return at.UTC().Format("15:04:05.000Z") }
