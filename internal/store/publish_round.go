package store

import (
	"slices"

	"github.com/malotehq/malote/internal/delivery"
)

// publishRound is the part of a batch that one transaction handles. Drafts of
// different units that share an idempotency key cannot be in it together,
// unless the later ones are the same request again: then they follow the first
// ("leader") and share its fate as duplicates. All others wait for a next round.
type publishRound struct {
	leaders   []int       // indexes of drafts to write
	followers map[int]int // index → the leader it repeats
	deferred  []int       // for the next round

	nameless []int        // leaders whose events get their ids in the transaction
	undated  map[int]bool // of those, the ones that happened when they were accepted

	plans      map[int]delivery.Plan
	results    map[int]delivery.Published // of leaders that are not to be written
	superseded closedRows
	lanes      []delivery.LaneRef
}

type eventKey struct {
	scope, key string
}

func newPublishRound(drafts []*delivery.Draft, pending []int) *publishRound {
	r := &publishRound{followers: make(map[int]int), undated: make(map[int]bool)}
	first := make(map[eventKey]int)
	for _, unit := range unitsOf(drafts, pending) {
		r.place(drafts, unit, first)
	}
	for _, i := range r.leaders {
		if drafts[i].Event.ID.IsZero() {
			r.nameless = append(r.nameless, i)
			r.undated[i] = drafts[i].Event.OccurredAt.IsZero()
		}
	}
	return r
}

// place decides where a unit goes: its keys may be new, a repeat, or in the way.
func (r *publishRound) place(drafts []*delivery.Draft, unit []int, first map[eventKey]int) {
	own := make(map[eventKey]int, len(unit))
	for _, i := range unit {
		key, keyed := keyOf(drafts[i])
		if !keyed {
			continue
		}
		if leader, taken := first[key]; taken {
			if len(unit) == 1 && drafts[leader].Fingerprint == drafts[i].Fingerprint {
				r.followers[i] = leader
			} else {
				r.deferred = append(r.deferred, unit...)
			}
			return
		}
		if _, repeated := own[key]; !repeated {
			own[key] = i
		}
	}
	for key, i := range own {
		first[key] = i
	}
	r.leaders = append(r.leaders, unit...)
}

// reset forgets what an earlier run of the transaction found.
func (r *publishRound) reset() {
	r.plans = make(map[int]delivery.Plan, len(r.leaders))
	r.results = make(map[int]delivery.Published)
	r.superseded, r.lanes = nil, nil
}

// refuse marks all drafts of a unit because of one. The first refusal of a unit
// counts.
func (r *publishRound) refuse(drafts []*delivery.Draft, culprit int, err error) {
	for _, i := range r.leaders {
		if drafts[i].Unit != drafts[culprit].Unit || r.results[i].Err != nil {
			continue
		}
		if i == culprit {
			r.results[i] = delivery.Published{Err: err}
		} else {
			r.results[i] = delivery.Published{Err: delivery.ErrUnitRefused}
		}
	}
}

// writable are the leaders that are neither refused nor duplicates.
func (r *publishRound) writable() []int {
	return slices.DeleteFunc(slices.Clone(r.leaders), func(i int) bool {
		_, settled := r.results[i]
		return settled
	})
}

func (r *publishRound) tenants(drafts []*delivery.Draft) (shards []delivery.Shard, tenants []string) {
	seen := make(map[string]bool)
	for _, i := range r.leaders {
		if tenant := drafts[i].Event.Tenant; !seen[tenant] {
			seen[tenant] = true
			shards = append(shards, delivery.ShardOf(tenant))
			tenants = append(tenants, tenant)
		}
	}
	return shards, tenants
}

// settle writes the round's results and returns what the next round must do.
func (r *publishRound) settle(drafts []*delivery.Draft, results []delivery.Published) []int {
	for _, i := range r.leaders {
		if settled, ok := r.results[i]; ok {
			results[i] = settled
			continue
		}
		results[i] = published(drafts[i], r.plans[i])
	}
	next := r.deferred
	for i, leader := range r.followers {
		if results[leader].Err != nil {
			next = append(next, i) // the first was refused for reasons of its own
			continue
		}
		results[i] = delivery.Published{ID: results[leader].ID, Duplicate: true}
	}
	slices.Sort(next)
	return next
}

func published(draft *delivery.Draft, plan delivery.Plan) delivery.Published {
	result := delivery.Published{ID: draft.Event.ID}
	for _, planned := range plan.Deliveries {
		if planned.State == delivery.Pending {
			result.Deliveries++
		} else {
			result.Skipped++
		}
	}
	return result
}

// unitsOf groups indexes by unit, in order of appearance.
func unitsOf(drafts []*delivery.Draft, pending []int) [][]int {
	var units [][]int
	position := make(map[int]int)
	for _, i := range pending {
		at, known := position[drafts[i].Unit]
		if !known {
			at = len(units)
			position[drafts[i].Unit] = at
			units = append(units, nil)
		}
		units[at] = append(units[at], i)
	}
	return units
}

func keyOf(draft *delivery.Draft) (eventKey, bool) {
	return eventKey{scopeOf(draft.Event), draft.Event.IdempotencyKey}, draft.Event.IdempotencyKey != ""
}
