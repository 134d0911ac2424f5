package api

import (
	"context"
	"slices"
	"time"

	"github.com/malotehq/malote/internal/delivery"
)

// figures are what memory answers with, and what it was asked.
type figures struct {
	now        Now
	hours      []Hour
	hourFilter HourFilter
	dead       []DeadGroup
	deadCapped bool
	endpoint   delivery.ID
}

func (m *memory) Lag(_ context.Context, tenant string, _ int) (Lag, error) {
	end, err := m.begin()
	defer end()
	lag := Lag{Oldest: time.Minute, OldestHealthy: time.Second, Open: Open{Pending: 7, InFlight: 2, Lanes: 2}}
	for _, one := range []string{"acme", "globex"} {
		if tenant == "" || tenant == one {
			lag.Lanes = append(lag.Lanes, LaneLag{
				EndpointID: newID(one), Tenant: one, Status: delivery.Active, Circuit: "half_open", Pending: 5, Limit: 1, MaxInFlight: 4,
				OldestAge: time.Minute, ConsecutiveFailures: 20, LastError: delivery.Timeout, LastFailureAt: time.Now(),
			})
		}
	}
	return lag, err
}

func (m *memory) Now(context.Context) (Now, error) {
	end, err := m.begin()
	defer end()
	return m.figures.now, err
}

func (m *memory) Hours(_ context.Context, filter HourFilter) ([]Hour, error) {
	end, err := m.begin()
	defer end()
	m.figures.hourFilter = filter
	return m.figures.hours, err
}

func (m *memory) DeadLetters(_ context.Context, filter DeadFilter) (DeadLetters, error) {
	end, err := m.begin()
	defer end()
	m.figures.endpoint = filter.EndpointID
	groups := slices.DeleteFunc(slices.Clone(m.figures.dead), func(g DeadGroup) bool { return filter.Tenant != "" && g.Tenant != filter.Tenant })
	return DeadLetters{Groups: groups, Capped: m.figures.deadCapped}, err
}
