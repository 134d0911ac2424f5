package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/malotehq/malote/client"
	"github.com/malotehq/malote/internal/delivery"
)

// deliveryFollower gives a line for every delivery that is new and for every
// change of one that it has seen. New ones are in the list of the last seconds;
// older ones that are still open are asked for one by one, when something may
// have happened to them.
type deliveryFollower struct {
	c      *connection
	tenant string
	raw    bool

	now   time.Time // by the server's clock, at the last look
	known map[string]*followed
	urls  map[string]string // of endpoints, by id
}

// followed is a delivery as it was last shown.
type followed struct {
	state    string
	attempts int
	created  time.Time
	lookAt   time.Time // when it may have changed
}

const (
	looksOneByOne = 20 // bounds the questions about single deliveries
	lookAnyway    = 30 * time.Second
	mostFollowed  = 20_000
)

func followDeliveries(c *connection, tenant string, raw bool) (*deliveryFollower, error) {
	f := &deliveryFollower{c: c, tenant: tenant, raw: raw, known: map[string]*followed{}, urls: map[string]string{}}
	_, got, err := fetch[rawPage](c, client.Request{Method: http.MethodGet, Path: deliveriesPath, Query: queryOf("tenant", tenant, "limit", "1")})
	if err != nil {
		return nil, err
	}
	f.now = serverTime(got)
	// What is there already is not shown, only what becomes of it.
	for _, state := range []delivery.State{delivery.Sending, delivery.Pending} {
		query := queryOf("tenant", tenant, "state", string(state), "limit", strconv.Itoa(largestPage))
		page, _, err := fetch[rawPage](c, client.Request{Method: http.MethodGet, Path: deliveriesPath, Query: query})
		if err != nil {
			return nil, err
		}
		f.changes(page.Data)
	}
	_, err = f.poll()
	return f, err
}

func (f *deliveryFollower) poll() ([]string, error) {
	rows, now, err := recent(f.c, deliveriesPath, f.tenant, f.now.Add(-overlap))
	if err != nil {
		return nil, err
	}
	f.now = now
	slices.Reverse(rows) // to oldest first
	lines, seen := f.changes(rows)
	older, err := f.older(seen)
	changed, _ := f.changes(older)
	f.forget()
	return append(lines, changed...), err
}

// older asks for deliveries that are still open but no longer in the list.
func (f *deliveryFollower) older(seen map[string]bool) ([]json.RawMessage, error) {
	var due []string
	for id, one := range f.known {
		if !seen[id] && one.isOpen() && !one.lookAt.After(f.now) {
			due = append(due, id)
		}
	}
	slices.SortFunc(due, func(a, b string) int { return f.known[a].lookAt.Compare(f.known[b].lookAt) })
	var rows []json.RawMessage
	for _, id := range due[:min(len(due), looksOneByOne)] {
		got, err := f.c.do(client.Request{Method: http.MethodGet, Path: deliveriesPath + client.Path(id)})
		if isNotFound(err) {
			delete(f.known, id)
			continue
		}
		if err != nil {
			return rows, err
		}
		rows = append(rows, got.Body)
	}
	return rows, nil
}

func (one *followed) isOpen() bool { return delivery.State(one.state).Open() }

// changes remembers what it is given and makes a line of what is new in it.
func (f *deliveryFollower) changes(rows []json.RawMessage) (lines []string, seen map[string]bool) {
	seen = map[string]bool{}
	for _, raw := range rows {
		var d deliveryView
		if err := json.Unmarshal(raw, &d); err != nil || d.CreatedAt == nil {
			continue // by a later version of Malote
		}
		seen[d.ID] = true
		before := f.known[d.ID]
		after := &followed{state: d.State, attempts: d.AttemptCount, created: *d.CreatedAt, lookAt: f.now}
		if d.State == string(delivery.Pending) && d.NextAttemptAt != nil && d.NextAttemptAt.After(f.now) {
			after.lookAt = *d.NextAttemptAt
			if anyway := f.now.Add(lookAnyway); after.lookAt.After(anyway) {
				after.lookAt = anyway
			}
		}
		f.known[d.ID] = after
		if before != nil && before.state == after.state && before.attempts == after.attempts {
			continue
		}
		if f.raw {
			lines = append(lines, string(raw))
		} else {
			lines = append(lines, f.line(d))
		}
	}
	return lines, seen
}

// forget drops what cannot change any more, and what is too much.
func (f *deliveryFollower) forget() {
	for id, one := range f.known {
		if !one.isOpen() && one.created.Before(f.now.Add(-2*overlap)) {
			delete(f.known, id)
		}
	}
	for id := range f.known {
		if len(f.known) <= mostFollowed {
			return
		}
		delete(f.known, id)
	}
}

func (f *deliveryFollower) line(d deliveryView) string {
	at := f.now
	if d.ClosedAt != nil {
		at = *d.ClosedAt
	}
	return clean(fmt.Sprintf("%s  %-30s  %-24s  %-12s  %-44s  → %s", clock(at), d.ID, d.EventType, d.Tenant, f.happened(d), f.urlOf(d.EndpointID)))
}

// happened says in a few words where the delivery stands.
func (f *deliveryFollower) happened(d deliveryView) string {
	switch delivery.State(d.State) {
	case delivery.Pending:
		if d.AttemptCount == 0 {
			return d.State
		}
		text := fmt.Sprintf("%s: %s failed attempt %d", d.State, d.last(), d.AttemptCount)
		if d.NextAttemptAt != nil {
			text += ", next in " + brief(max(d.NextAttemptAt.Sub(f.now), 0))
		}
		return text
	case delivery.Sending:
		return fmt.Sprintf("%s: attempt %d", d.State, d.AttemptCount)
	case delivery.Delivered:
		return fmt.Sprintf("%s: %s on attempt %d", d.State, d.last(), d.AttemptCount)
	default:
		return d.because()
	}
}

// urlOf asks for an endpoint's URL once.
func (f *deliveryFollower) urlOf(id *string) string {
	if id == nil {
		return "no endpoint"
	}
	if known := f.urls[*id]; known != "" {
		return known
	}
	endpoint, _, err := fetch[endpointView](f.c, client.Request{Method: http.MethodGet, Path: endpointsPath + client.Path(*id)})
	if err != nil {
		return *id
	}
	f.urls[*id] = cmp.Or(endpoint.URL, *id)
	return f.urls[*id]
}
