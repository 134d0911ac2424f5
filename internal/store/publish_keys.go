package store

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/delivery"
)

//go:embed queries/publish_claim_keys.sql
var claimKeysSQL string

//go:embed queries/publish_existing_keys.sql
var existingKeysSQL string

//go:embed queries/publish_release_keys.sql
var releaseKeysSQL string

// PublishScope is what an idempotency key of a publish is unique within.
func PublishScope(tenant string) string { return "publish:" + tenant }

// keyRows are rows of event_keys, as columns.
type keyRows struct {
	shards       []delivery.Shard
	scopes, keys []string
	ids          []delivery.ID
	fingerprints [][]byte
}

type keyRow struct {
	shard      delivery.Shard
	scope, key string
}

// claimKeys inserts the keys of all drafts; whoever inserts first, wins, and
// the constraint makes later ones wait for that transaction to end. What was
// there before is either a repeat (a duplicate of the first) or a reuse.
func (p *publication) claimKeys(ctx context.Context) error {
	owners, repeats := p.keyOwners()
	taken, err := p.insertKeys(ctx, owners)
	if err != nil {
		return err
	}
	if len(taken) > 0 {
		existing, err := p.existingKeys(ctx, taken)
		if err != nil {
			return err
		}
		for row, found := range existing {
			p.settleTaken(owners[row], found)
		}
	}
	for _, i := range repeats {
		p.settleRepeatInUnit(i, owners[rowOfKey(p.all[i].Event)])
	}
	return p.releaseKeys(ctx, owners)
}

// keyOwners maps each key of the round to the draft that claims it. The same
// key again within one unit is a repeat.
func (p *publication) keyOwners() (owners map[keyRow]int, repeats []int) {
	owners = make(map[keyRow]int)
	for _, i := range p.round.writable() {
		event := p.all[i].Event
		if event.IdempotencyKey == "" {
			continue
		}
		row := rowOfKey(event)
		if _, claimed := owners[row]; claimed {
			repeats = append(repeats, i)
		} else {
			owners[row] = i
		}
	}
	return owners, repeats
}

func rowOfKey(event delivery.Event) keyRow {
	return keyRow{delivery.ShardOf(event.Tenant), PublishScope(event.Tenant), event.IdempotencyKey}
}

// settleRepeatInUnit makes a draft a duplicate of the one that has its key in
// the same unit, or of the event that that one itself repeats.
func (p *publication) settleRepeatInUnit(i, owner int) {
	first := foundKey{id: p.all[owner].Event.ID, fingerprint: p.all[owner].Fingerprint}
	if settled := p.round.results[owner]; settled.Duplicate {
		first.id = settled.ID
	}
	p.settleTaken(i, first)
}

// insertKeys returns the keys that were there before. Rows are inserted in key
// order, so that two batches never wait for each other in a circle.
func (p *publication) insertKeys(ctx context.Context, owners map[keyRow]int) (map[keyRow]bool, error) {
	if len(owners) == 0 {
		return nil, nil
	}
	var rows keyRows
	taken := make(map[keyRow]bool, len(owners))
	for _, row := range sortedKeys(owners) {
		taken[row] = true
		draft := p.all[owners[row]]
		rows.add(row)
		rows.ids = append(rows.ids, draft.Event.ID)
		rows.fingerprints = append(rows.fingerprints, draft.Fingerprint[:])
	}
	result, _ := p.tx.Query(ctx, claimKeysSQL, rows.shards, rows.scopes, rows.keys, rows.ids, rows.fingerprints)
	var row keyRow
	_, err := pgx.ForEachRow(result, []any{&row.shard, &row.scope, &row.key}, func() error {
		delete(taken, row)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("claiming idempotency keys: %w", err)
	}
	return taken, nil
}

type foundKey struct {
	id          delivery.ID
	fingerprint [32]byte
}

func (p *publication) existingKeys(ctx context.Context, taken map[keyRow]bool) (map[keyRow]foundKey, error) {
	var rows keyRows
	for _, row := range sortedKeys(taken) {
		rows.add(row)
	}
	existing := make(map[keyRow]foundKey, len(taken))
	result, _ := p.tx.Query(ctx, existingKeysSQL, rows.shards, rows.scopes, rows.keys)
	var row keyRow
	var found foundKey
	var fingerprint []byte
	_, err := pgx.ForEachRow(result, []any{&row.shard, &row.scope, &row.key, &found.id, &fingerprint}, func() error {
		copy(found.fingerprint[:], fingerprint)
		existing[row] = found
		return nil
	})
	if err == nil && len(existing) < len(taken) {
		err = errAgain // one expired between the two statements
	}
	if err != nil {
		return nil, fmt.Errorf("reading idempotency keys: %w", err)
	}
	return existing, nil
}

func (p *publication) settleTaken(i int, found foundKey) {
	draft := p.all[i]
	if draft.Fingerprint != found.fingerprint {
		p.round.refuse(p.all, draft.Unit, delivery.ErrKeyReused)
		return
	}
	if p.round.results[i].Err == nil {
		p.round.results[i] = delivery.Published{ID: found.id, Duplicate: true}
	}
}

// releaseKeys takes back the keys that units claimed before they were refused.
func (p *publication) releaseKeys(ctx context.Context, owners map[keyRow]int) error {
	var rows keyRows
	for _, row := range sortedKeys(owners) {
		if i := owners[row]; p.round.results[i].Err != nil {
			rows.add(row)
			rows.ids = append(rows.ids, p.all[i].Event.ID)
		}
	}
	if len(rows.keys) == 0 {
		return nil
	}
	if _, err := p.tx.Exec(ctx, releaseKeysSQL, rows.shards, rows.scopes, rows.keys, rows.ids); err != nil {
		return fmt.Errorf("releasing idempotency keys: %w", err)
	}
	return nil
}

func (r *keyRows) add(row keyRow) {
	r.shards = append(r.shards, row.shard)
	r.scopes = append(r.scopes, row.scope)
	r.keys = append(r.keys, row.key)
}

func sortedKeys[V any](rows map[keyRow]V) []keyRow {
	sorted := make([]keyRow, 0, len(rows))
	for row := range rows {
		sorted = append(sorted, row)
	}
	slices.SortFunc(sorted, func(a, b keyRow) int {
		return cmp.Or(cmp.Compare(a.shard, b.shard), cmp.Compare(a.scope, b.scope), cmp.Compare(a.key, b.key))
	})
	return sorted
}
