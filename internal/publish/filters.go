package publish

import (
	"log/slog"
	"sync"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/filter"
)

// toldAbout bounds how many complaints are remembered. One that was forgotten is
// logged once more.
const toldAbout = 10_000

// filters compiles the endpoints' filters, each once, and says once of each what
// is wrong with it: a log with a line for every event helps nobody.
type filters struct {
	compiled filter.Cache
	log      *slog.Logger

	mu   sync.Mutex
	told map[complaint]bool
}

type complaint struct {
	endpoint delivery.ID
	filter   string
	reason   string
}

// verdict is what a filter says about one event. err is why it says nothing of
// its own; the event is let through then.
type verdict struct {
	takes bool
	err   error
}

// judge never drops an event for want of a verdict: neither because a filter
// cannot judge it, nor because the filter itself cannot be read, as when an
// older version of this program, with another language, stored it.
func (f *filters) judge(source string, event *filter.Event) verdict {
	compiled, err := f.compiled.Get(source)
	if err != nil {
		return verdict{true, err}
	}
	takes, err := compiled.Match(event)
	return verdict{takes, err}
}

func (f *filters) complain(endpoint *delivery.Endpoint, err error) {
	about := complaint{endpoint.ID, endpoint.Filter, err.Error()}
	f.mu.Lock()
	isNews := !f.told[about]
	if f.told == nil || len(f.told) >= toldAbout {
		f.told = make(map[complaint]bool)
	}
	f.told[about] = true
	f.mu.Unlock()
	if isNews {
		f.log.Warn("an endpoint's filter could not judge an event, which is delivered; this is said once",
			"error", err, "tenant", endpoint.Tenant, "endpoint", endpoint.ID.Format(delivery.EndpointPrefix))
	}
}

// screening judges one event for all its endpoints: what it decodes is decoded
// once, and filters with the same text are one.
type screening struct {
	filters  *filters
	event    *filter.Event
	verdicts map[string]verdict
}

func (s *screening) takes(draft *delivery.Draft, endpoint *delivery.Endpoint) bool {
	if endpoint.Filter == "" {
		return true
	}
	if s.event == nil {
		s.event, s.verdicts = filter.NewEvent(&draft.Event, draft.Data), make(map[string]verdict)
	}
	said, known := s.verdicts[endpoint.Filter]
	if !known {
		said = s.filters.judge(endpoint.Filter, s.event)
		s.verdicts[endpoint.Filter] = said
	}
	if said.err != nil {
		s.filters.complain(endpoint, said.err)
	}
	return said.takes
}
