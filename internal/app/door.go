package app

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/fetch"
	"github.com/malotehq/malote/internal/ingest"
	"github.com/malotehq/malote/internal/source"
	"github.com/malotehq/malote/internal/store/inbound"
	"github.com/malotehq/malote/internal/store/registry"
)

// wireDoor makes the inbound door, and what writes down whom it turned away.
func (p *process) wireDoor() {
	p.turnedAway = ingest.NewGatherer(rejectionRecords{p.inbound}, p.log)
	p.tally = ingest.NewTally(arrivalRecords{p.inbound}, p.log)
	p.door = ingest.New(ingest.Options{
		Sources: doorSources{p.registry}, Publisher: p.publisher, Rejections: p.turnedAway, Observer: p.metrics, Tally: p.tally, Log: p.log,
		Fetcher:   fetch.New(fetch.Options{Guard: p.guard, Log: p.log}),
		PublicURL: p.options.PublicURL, TrustedProxies: p.options.TrustedProxies, MaxBody: p.options.MaxBodyBytes,
	})
}

// doorSources shows the registry's sources to the door.
type doorSources struct{ registry *registry.Registry }

// FindSource implements ingest.Sources.
func (s doorSources) FindSource(ctx context.Context, id delivery.ID) (ingest.Source, bool, error) {
	found, err := s.registry.SourceForDoor(ctx, id)
	if errors.Is(err, registry.ErrNotFound) {
		return ingest.Source{}, false, nil
	}
	if err != nil {
		return ingest.Source{}, false, err
	}
	settings, _, err := splitSettings(found.Settings)
	if err != nil {
		return ingest.Source{}, false, err
	}
	return ingest.Source{
		ID: found.ID, Tenant: found.Tenant, Provider: found.Provider, Settings: settings,
		Secrets: mapAll(found.Secrets, sourceSecret), Version: found.Version, Paused: found.Paused, FreshFor: found.FreshFor,
	}, true, nil
}

func sourceSecret(s registry.SourceSecret) source.Secret {
	return source.Secret{Name: s.Name, Value: s.Value, Role: source.Role(s.Role)}
}

// repairMember is the member of a source's settings that is not the door's.
const repairMember = "repair"

// splitSettings parts the door's settings from those of the repair of gaps.
func splitSettings(settings json.RawMessage) (door, repair json.RawMessage, _ error) {
	if len(settings) == 0 {
		return nil, nil, nil
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(settings, &members); err != nil {
		return nil, nil, err
	}
	repair, isThere := members[repairMember]
	if !isThere {
		return settings, nil, nil
	}
	delete(members, repairMember)
	door, err := json.Marshal(members)
	return door, repair, err
}

// rejectionRecords shows the store's records to the door.
type rejectionRecords struct{ records *inbound.Records }

// RecordRejections implements ingest.Rejections.
func (r rejectionRecords) RecordRejections(ctx context.Context, rejections []ingest.Rejection) error {
	return r.records.Record(ctx, mapAll(rejections, func(x ingest.Rejection) inbound.Rejection {
		return inbound.Rejection{
			SourceID: x.Source, Tenant: x.Tenant, Reason: string(x.Reason), Detail: x.Detail, Count: x.Count, FirstAt: x.First, LastAt: x.Last,
		}
	}))
}

// arrivalRecords shows the store's records to the tally.
type arrivalRecords struct{ records *inbound.Records }

// AddArrivals implements ingest.ArrivalRecords.
func (r arrivalRecords) AddArrivals(ctx context.Context, arrivals []ingest.Arrivals) error {
	return r.records.AddArrivals(ctx, mapAll(arrivals, func(a ingest.Arrivals) inbound.Arrivals { return inbound.Arrivals(a) }))
}
