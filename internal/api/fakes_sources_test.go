package api

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/source"
)

// sourceStore is memory's part for sources.
type sourceStore struct {
	sources    map[delivery.ID]Source
	secrets    map[delivery.ID][]source.Secret // with their values, to look at
	listed     map[delivery.ID][]SourceSecret
	rejections []Rejection
	repairs    []gapAsked
	gaps       func() (GapReport, error)
	progress   GapProgress
}

type gapAsked struct {
	id           delivery.ID
	since, until time.Time
	dryRun       bool
}

var errNameTaken = errors.New("a live secret has this name")

func newSourceStore() sourceStore {
	return sourceStore{
		sources: map[delivery.ID]Source{}, secrets: map[delivery.ID][]source.Secret{}, listed: map[delivery.ID][]SourceSecret{},
		gaps: func() (GapReport, error) { return GapReport{Listed: 5, Known: 3, Missing: 2, Fed: 2}, nil },
	}
}

func (m *memory) CreateSource(_ context.Context, wanted NewSource, once Once) (Source, bool, error) {
	end, err := m.begin()
	defer end()
	if err != nil {
		return Source{}, false, err
	}
	if _, known := m.tenants[wanted.Tenant]; !known {
		return Source{}, false, delivery.ErrUnknownTenant
	}
	id, first, err := m.first("source:"+wanted.Tenant, once, newID(wanted.Tenant))
	if err != nil || !first {
		return m.sources[id], false, err
	}
	for _, secret := range slices.Backward(wanted.Secrets) {
		if _, _, err := m.keepSecret(id, secret, Once{}); err != nil {
			return Source{}, false, err
		}
	}
	m.sources[id] = Source{
		ID: id, Tenant: wanted.Tenant, Name: wanted.Name, Provider: wanted.Provider, Description: wanted.Description,
		Settings: wanted.Settings, CreatedAt: time.Now(), UpdatedAt: time.Now(),
	}
	return m.named(id), true, nil
}

func (m *memory) named(id delivery.ID) Source {
	found := m.sources[id]
	for _, secret := range slices.Backward(m.listed[id]) {
		found.SecretNames = append(found.SecretNames, secret.Name)
	}
	return found
}

func (m *memory) changeSource(owner Owner, id delivery.ID, change func(*Source) error) (Source, error) {
	end, err := m.begin()
	defer end()
	found, known := m.sources[id]
	if err == nil && (!known || !owner.Owns(found.Tenant)) {
		err = errMissing
	}
	if err == nil {
		err = change(&found)
	}
	if err != nil {
		return Source{}, err
	}
	m.sources[id] = found
	return m.named(id), nil
}

func (m *memory) Source(_ context.Context, owner Owner, id delivery.ID) (Source, error) {
	return m.changeSource(owner, id, func(*Source) error { return nil })
}

func (m *memory) Sources(_ context.Context, owner Owner, page Page) ([]Source, bool, error) {
	end, err := m.begin()
	defer end()
	var found []Source
	for id, one := range m.sources {
		if owner.Owns(one.Tenant) {
			found = append(found, m.named(id))
		}
	}
	found, more := cutPage(found, page, func(s Source) delivery.ID { return s.ID })
	return found, more, err
}

func (m *memory) UpdateSource(_ context.Context, owner Owner, id delivery.ID, change SourceChange) (Source, error) {
	return m.changeSource(owner, id, func(s *Source) (err error) {
		if change.Name != nil {
			s.Name = *change.Name
		}
		if change.Description != nil {
			s.Description = *change.Description
		}
		if change.Settings != nil {
			s.Settings, err = change.Settings(s.Settings)
		}
		return err
	})
}

func (m *memory) DeleteSource(ctx context.Context, owner Owner, id delivery.ID) error {
	_, err := m.Source(ctx, owner, id)
	if err == nil {
		m.mu.Lock()
		defer m.mu.Unlock()
		delete(m.sources, id)
	}
	return err
}

func (m *memory) PauseSource(_ context.Context, owner Owner, id delivery.ID) (Source, error) {
	return m.changeSource(owner, id, func(s *Source) error { s.PausedAt = time.Now(); return nil })
}

func (m *memory) ResumeSource(_ context.Context, owner Owner, id delivery.ID) (Source, error) {
	return m.changeSource(owner, id, func(s *Source) error { s.PausedAt = time.Time{}; return nil })
}

func (m *memory) AddSourceSecret(ctx context.Context, owner Owner, id delivery.ID, secret source.Secret, once Once) (SourceSecret, bool, error) {
	return m.RotateSourceSecret(ctx, owner, id, secret, -1, once)
}

func (m *memory) RotateSourceSecret(_ context.Context, owner Owner, id delivery.ID, secret source.Secret, overlap time.Duration, once Once) (made SourceSecret, created bool, _ error) {
	_, err := m.changeSource(owner, id, func(*Source) (err error) {
		m.overlaps = append(m.overlaps, overlap)
		made, created, err = m.keepSecret(id, secret, once)
		return err
	})
	return made, created, err
}

func (m *memory) keepSecret(id delivery.ID, secret source.Secret, once Once) (SourceSecret, bool, error) {
	made, first, err := m.first("source secret:"+id.String(), once, newID("acme"))
	if err != nil {
		return SourceSecret{}, false, err
	}
	if at := slices.IndexFunc(m.listed[id], func(s SourceSecret) bool { return s.ID == made }); !first && at >= 0 {
		return m.listed[id][at], false, nil
	}
	name := cmp.Or(secret.Name, made.Format(delivery.SecretPrefix))
	if slices.ContainsFunc(m.listed[id], func(s SourceSecret) bool { return s.Name == name }) {
		return SourceSecret{}, false, errNameTaken
	}
	kept := SourceSecret{ID: made, Name: name, Role: secret.Role, CreatedAt: time.Now()}
	m.listed[id] = append(m.listed[id], kept)
	m.secrets[id] = append(m.secrets[id], secret)
	return kept, true, nil
}

func (m *memory) SourceSecrets(ctx context.Context, owner Owner, id delivery.ID) ([]SourceSecret, error) {
	_, err := m.Source(ctx, owner, id)
	return m.listed[id], err
}

func (m *memory) RevokeSourceSecret(_ context.Context, owner Owner, id, secret delivery.ID) error {
	_, err := m.changeSource(owner, id, func(*Source) error {
		before := len(m.listed[id])
		m.listed[id] = slices.DeleteFunc(m.listed[id], func(s SourceSecret) bool { return s.ID == secret })
		if len(m.listed[id]) == before {
			return errMissing
		}
		return nil
	})
	return err
}

func (m *memory) CheckSettings(provider string, settings json.RawMessage) []Fault {
	var faults []Fault
	for name, value := range settingsOf(settings) {
		if strings.Contains(string(value), "nonsense") {
			faults = append(faults, Fault{Field: name, Detail: "makes no sense"})
		}
		if name == "generic" && provider != "generic" {
			faults = append(faults, Fault{Field: "generic.auth", Detail: "is not for " + provider})
		}
	}
	slices.SortFunc(faults, func(a, b Fault) int { return strings.Compare(a.Field, b.Field) })
	return faults
}

func (m *memory) RepairsGaps(provider string) bool {
	return provider == "stripe" || provider == "github"
}

func (m *memory) Rejections(_ context.Context, f RejectionFilter) (RejectionPage, error) {
	end, err := m.begin()
	defer end()
	var page RejectionPage
	for _, one := range slices.Backward(m.rejections) {
		if f.Tenant != "" && one.Tenant != f.Tenant || !f.SourceID.IsZero() && one.SourceID != f.SourceID || one.LastAt.Before(f.Since) ||
			!f.Before.IsZero() && bytes.Compare(one.ID[:], f.Before[:]) >= 0 {
			continue
		}
		if len(page.Rejections) == f.Limit {
			page.Next = page.Rejections[f.Limit-1].ID
			break
		}
		page.Rejections = append(page.Rejections, one)
	}
	return page, err
}

func (m *memory) RepairGaps(_ context.Context, id delivery.ID, since, until time.Time, dryRun bool) (GapReport, error) {
	end, err := m.begin()
	defer end()
	if err != nil {
		return GapReport{}, err
	}
	m.repairs = append(m.repairs, gapAsked{id, since, until, dryRun})
	return m.gaps()
}

func (m *memory) GapProgress(context.Context, delivery.ID) (GapProgress, error) {
	end, err := m.begin()
	defer end()
	return m.progress, err
}
