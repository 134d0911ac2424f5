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

//go:embed queries/publish_forget_keys.sql
var forgetKeysSQL string

//go:embed queries/publish_release_keys.sql
var releaseKeysSQL string

// keyTries bounds how often keys may be taken and forgotten by others between
// two statements of one transaction.
const keyTries = 3

// SourceScope is what a provider's id of an event is unique within (G01).
func SourceScope(source delivery.ID) string { return "source:" + source.String() }

func scopeOf(event delivery.Event) string {
	if !event.SourceID.IsZero() {
		return SourceScope(event.SourceID)
	}
	return PublishScope(event.Tenant)
}

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
	existing, err := p.takeKeys(ctx, owners)
	if err != nil {
		return err
	}
	for row, found := range existing {
		p.settleTaken(owners[row], found)
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
	return keyRow{delivery.ShardOf(event.Tenant), scopeOf(event), event.IdempotencyKey}
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

// takeKeys makes the keys the drafts' own, and returns those that are somebody
// else's. A key past its time counts as absent, whether or not it has been
// removed yet.
func (p *publication) takeKeys(ctx context.Context, owners map[keyRow]int) (map[keyRow]foundKey, error) {
	existing := make(map[keyRow]foundKey)
	wanted := sortedKeys(owners)
	for range keyTries {
		if len(wanted) == 0 {
			return existing, nil
		}
		taken, err := p.insertKeys(ctx, wanted, owners)
		if err != nil || len(taken) == 0 {
			return existing, err
		}
		if err := p.liveKeys(ctx, taken, existing); err != nil {
			return nil, err
		}
		wanted = slices.DeleteFunc(taken, func(row keyRow) bool {
			_, live := existing[row]
			return live
		})
		if err := p.forgetKeys(ctx, wanted); err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("claiming idempotency keys: %w", errAgain)
}

// insertKeys returns the keys that were there before. Rows are inserted in key
// order, so that two batches never wait for each other in a circle.
func (p *publication) insertKeys(ctx context.Context, wanted []keyRow, owners map[keyRow]int) ([]keyRow, error) {
	var rows keyRows
	inserted := make(map[keyRow]bool, len(wanted))
	for _, row := range wanted {
		draft := p.all[owners[row]]
		rows.add(row)
		rows.ids = append(rows.ids, draft.Event.ID)
		rows.fingerprints = append(rows.fingerprints, draft.Fingerprint[:])
	}
	result, _ := p.tx.Query(ctx, claimKeysSQL, rows.shards, rows.scopes, rows.keys, rows.ids, rows.fingerprints)
	var row keyRow
	_, err := pgx.ForEachRow(result, []any{&row.shard, &row.scope, &row.key}, func() error {
		inserted[row] = true
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("claiming idempotency keys: %w", err)
	}
	return slices.DeleteFunc(slices.Clone(wanted), func(row keyRow) bool { return inserted[row] }), nil
}

type foundKey struct {
	id          delivery.ID
	fingerprint [32]byte
}

// liveKeys adds what is known of those of the keys that still count.
func (p *publication) liveKeys(ctx context.Context, taken []keyRow, existing map[keyRow]foundKey) error {
	var rows keyRows
	for _, row := range taken {
		rows.add(row)
	}
	result, _ := p.tx.Query(ctx, existingKeysSQL, rows.shards, rows.scopes, rows.keys)
	var row keyRow
	var found foundKey
	var fingerprint []byte
	var live bool
	_, err := pgx.ForEachRow(result, []any{&row.shard, &row.scope, &row.key, &found.id, &fingerprint, &live}, func() error {
		if live {
			copy(found.fingerprint[:], fingerprint)
			existing[row] = found
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("reading idempotency keys: %w", err)
	}
	return nil
}

// forgetKeys removes those of the keys that are past their time.
func (p *publication) forgetKeys(ctx context.Context, expired []keyRow) error {
	if len(expired) == 0 {
		return nil
	}
	var rows keyRows
	for _, row := range expired {
		rows.add(row)
	}
	if _, err := p.tx.Exec(ctx, forgetKeysSQL, rows.shards, rows.scopes, rows.keys); err != nil {
		return fmt.Errorf("forgetting expired idempotency keys: %w", err)
	}
	return nil
}

func (p *publication) settleTaken(i int, found foundKey) {
	draft := p.all[i]
	if draft.Fingerprint != found.fingerprint {
		p.round.refuse(p.all, i, delivery.ErrKeyReused)
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
