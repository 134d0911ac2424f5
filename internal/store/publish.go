package store

import (
	"context"
	_ "embed"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/delivery"
)

// Publish commits drafts with everything that follows from them. Each unit of
// drafts is written whole or refused whole; refused units don't harm others. It
// returns what came of the drafts, in their order, and the lanes that have new
// work and must be looked at now that it is committed. When it returns an error,
// nothing was written, or nobody knows: the lanes must be looked at all the same,
// or what was committed in spite of it waits for the sweep.
func (s *Store) Publish(ctx context.Context, drafts []*delivery.Draft, plan delivery.Planner) ([]delivery.Published, []delivery.LaneRef, error) {
	results := make([]delivery.Published, len(drafts))
	var lanes []delivery.LaneRef
	for pending := indexes(len(drafts)); len(pending) > 0; {
		round := newPublishRound(drafts, pending)
		err := s.inHotTx(ctx, "publishing", func(tx *hotTx) error {
			round.reset()
			p := &publication{store: s, tx: tx, plan: plan, round: round, all: drafts}
			return p.run(ctx)
		})
		if err != nil {
			return nil, append(lanes, round.lanes...), err
		}
		s.remember(drafts, round)
		pending = round.settle(drafts, results)
		lanes = append(lanes, round.lanes...)
	}
	return results, lanes, nil
}

// publication is one transaction of a publish.
type publication struct {
	store *Store
	tx    *hotTx
	plan  delivery.Planner
	round *publishRound
	all   []*delivery.Draft // everything, addressed by the round's indexes
	now   time.Time         // the database's, after the transaction registered

	positions map[int]int64 // of the drafts that go to a strictly ordered lane
}

func (p *publication) run(ctx context.Context) error {
	for _, step := range []func(context.Context) error{
		p.planFanOut,     // ids, and the tenants' endpoints as this transaction sees them
		p.claimKeys,      // drops duplicates, refuses reused keys
		p.takePositions,  // in strictly ordered lanes
		p.replacePending, // coalescing: newer in, older out
		p.write,          // everything else, in one round trip
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

//go:embed queries/publish_tenants.sql
var publishTenantsSQL string

//go:embed queries/publish_endpoints.sql
var publishEndpointsSQL string

// planFanOut reads the endpoints and lets the planner decide what becomes of
// each draft.
func (p *publication) planFanOut(ctx context.Context) error {
	endpoints, err := p.tenantEndpoints(ctx)
	if err != nil {
		return err
	}
	for _, i := range p.round.leaders {
		draft := p.all[i]
		own, known := endpoints[draft.Event.Tenant]
		if !known {
			p.round.refuse(p.all, i, fmt.Errorf("%w: %q", delivery.ErrUnknownTenant, draft.Event.Tenant))
			continue
		}
		plan, err := p.plan(draft, own)
		if err != nil {
			p.round.refuse(p.all, i, err)
			continue
		}
		p.round.plans[i] = plan
	}
	return nil
}

// tenantEndpoints gives the endpoints of every tenant of the round that exists.
func (p *publication) tenantEndpoints(ctx context.Context) (map[string][]*delivery.Endpoint, error) {
	shards, tenants := p.round.tenants(p.all)
	versions := make(map[string]int64, len(tenants))
	batch := &pgx.Batch{}
	p.register(batch)
	batch.Queue(publishTenantsSQL, shards, tenants).Query(func(rows pgx.Rows) error {
		var tenant string
		var version int64
		_, err := pgx.ForEachRow(rows, []any{&tenant, &version}, func() error {
			versions[tenant] = version
			return nil
		})
		return err
	})
	if err := p.tx.run(ctx, batch); err != nil {
		return nil, fmt.Errorf("reading tenants: %w", err)
	}
	p.identify()
	found := make(map[string][]*delivery.Endpoint, len(versions))
	var stale []string
	for tenant, version := range versions {
		if endpoints, ok := p.store.tenants.get(tenant, version); ok {
			found[tenant] = endpoints
		} else {
			stale = append(stale, tenant)
		}
	}
	if len(stale) == 0 {
		return found, nil
	}
	return found, p.loadEndpoints(ctx, stale, found)
}

// loadEndpoints reads version and endpoints in one statement, so in one
// snapshot: what is cached under a version is what that version was.
func (p *publication) loadEndpoints(ctx context.Context, tenants []string, into map[string][]*delivery.Endpoint) error {
	shards := make([]delivery.Shard, len(tenants))
	entries := make(map[string]*tenantEndpoints, len(tenants))
	for i, tenant := range tenants {
		shards[i] = delivery.ShardOf(tenant)
	}
	var tenant string
	var version int64
	var id delivery.ID // NULL where a tenant has no endpoint
	var policy, filter, status *string
	var types []string
	var fifo bool
	rows, _ := p.tx.Query(ctx, publishEndpointsSQL, shards, tenants)
	_, err := pgx.ForEachRow(rows, []any{&tenant, &version, &id, &policy, &types, &filter, &status, &fifo}, func() error {
		entry := entries[tenant]
		if entry == nil {
			entry = &tenantEndpoints{version: version}
			entries[tenant] = entry
		}
		if !id.IsZero() {
			entry.endpoints = append(entry.endpoints, &delivery.Endpoint{
				ID: id, Tenant: tenant, Policy: *policy, EventTypes: types, Filter: *filter, FIFO: fifo,
				Status: delivery.EndpointStatus(*status),
			})
		}
		types = nil
		return nil
	})
	if err != nil {
		return fmt.Errorf("reading tenants' endpoints: %w", err)
	}
	for tenant, entry := range entries {
		p.store.tenants.put(tenant, *entry)
		into[tenant] = entry.endpoints
	}
	return nil
}

func indexes(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}
