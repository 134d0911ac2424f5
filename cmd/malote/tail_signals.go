package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/malotehq/malote/client"
)

// signalFollower gives every signal once, from its start on.
type signalFollower struct {
	c      *connection
	tenant string
	raw    bool

	now  time.Time            // by the server's clock, at the last look
	seen map[string]time.Time // given already, in the last seconds
}

func followSignals(c *connection, tenant string, raw bool) (*signalFollower, error) {
	f := &signalFollower{c: c, tenant: tenant, raw: raw, seen: map[string]time.Time{}}
	_, got, err := fetch[rawPage](c, client.Request{Method: http.MethodGet, Path: signalsPath, Query: queryOf("tenant", tenant, "limit", "1")})
	if err != nil {
		return nil, err
	}
	f.now = serverTime(got)
	_, err = f.poll() // what is there already is not shown
	return f, err
}

func (f *signalFollower) poll() ([]string, error) {
	since := f.now.Add(-overlap)
	rows, now, err := recent(f.c, signalsPath, f.tenant, since)
	if err != nil {
		return nil, err
	}
	f.now = now
	var lines []string
	for _, raw := range slices.Backward(rows) { // to oldest first
		if line := f.take(raw); line != "" {
			lines = append(lines, line)
		}
	}
	for id, at := range f.seen {
		if at.Before(since) {
			delete(f.seen, id)
		}
	}
	return lines, nil
}

// take gives the line of a signal that is new.
func (f *signalFollower) take(raw json.RawMessage) string {
	var signal signalView
	if err := json.Unmarshal(raw, &signal); err != nil || signal.CreatedAt == nil {
		return "" // by a later version of Malote
	}
	if _, known := f.seen[signal.ID]; known {
		return ""
	}
	f.seen[signal.ID] = *signal.CreatedAt
	if f.raw {
		return string(raw)
	}
	return clean(fmt.Sprintf("%s  %-17s  %-12s  %-30s  %s", clock(*signal.CreatedAt), signal.Kind, signal.Tenant, signal.about(), signal.Detail))
}
