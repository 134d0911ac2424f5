package api

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/malotehq/malote/internal/delivery"
)

func (m *memory) CountRecoverable(_ context.Context, window RecoveryWindow) (Recovery, error) {
	end, err := m.begin()
	defer end()
	return Recovery{RecoveryWindow: window, Total: 12}, err
}

func (m *memory) StartRecovery(_ context.Context, tenant string, window RecoveryWindow, once Once) (Recovery, bool, error) {
	end, err := m.begin()
	defer end()
	id, first, wrong := m.first("recovery:"+tenant, once, newID(tenant))
	if err = errors.Join(err, wrong); err != nil {
		return Recovery{}, false, err
	}
	if !first {
		at := slices.IndexFunc(m.recoveries, func(r Recovery) bool { return r.ID == id })
		return m.recoveries[at], false, nil
	}
	made := Recovery{ID: id, Tenant: tenant, RecoveryWindow: window, Status: "running", Total: 12, CreatedAt: time.Now(), UpdatedAt: time.Now()}
	m.recoveries = append(m.recoveries, made)
	return made, true, nil
}

func (m *memory) Recovery(_ context.Context, id delivery.ID) (Recovery, error) {
	end, err := m.begin()
	defer end()
	at := slices.IndexFunc(m.recoveries, func(r Recovery) bool { return r.ID == id })
	if err != nil || at < 0 {
		return Recovery{}, errors.Join(err, errMissing)
	}
	return m.recoveries[at], nil
}

func (m *memory) Recoveries(_ context.Context, endpoint, before delivery.ID, limit int) ([]Recovery, error) {
	end, err := m.begin()
	defer end()
	var found []Recovery
	for _, r := range slices.Backward(m.recoveries) {
		if r.Endpoint == endpoint && (before.IsZero() || bytes.Compare(r.ID[:], before[:]) < 0) && len(found) < limit {
			found = append(found, r)
		}
	}
	return found, err
}

func (m *memory) CancelRecovery(_ context.Context, id delivery.ID) (Recovery, error) {
	end, err := m.begin()
	defer end()
	at := slices.IndexFunc(m.recoveries, func(r Recovery) bool { return r.ID == id })
	if m.recoveries[at].Status == "done" {
		return Recovery{}, errEnded
	}
	m.recoveries[at].Status = "cancelled"
	return m.recoveries[at], err
}

func (m *memory) Signals(_ context.Context, f SignalFilter) (SignalPage, error) {
	end, err := m.begin()
	defer end()
	var page SignalPage
	for _, s := range slices.Backward(m.signals) {
		if (f.Tenant == "" || s.Tenant == f.Tenant) && (f.Kind == "" || s.Kind == f.Kind) &&
			(f.EndpointID.IsZero() || s.EndpointID == f.EndpointID) &&
			(f.Before.IsZero() || bytes.Compare(s.ID[:], f.Before[:]) < 0) {
			if len(page.Signals) == f.Limit {
				page.Next = page.Signals[f.Limit-1].ID
				break
			}
			page.Signals = append(page.Signals, s)
		}
	}
	return page, err
}
