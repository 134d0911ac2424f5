package redelivery

import (
	"bytes"
	"maps"
	"slices"

	"github.com/malotehq/malote/internal/delivery"
)

// Every statement names one shard; a request of ids of several shards runs it
// once for each, in the order of the locks.

// byShard groups ids by their shard.
func byShard(ids []delivery.ID) map[delivery.Shard][]delivery.ID {
	groups := make(map[delivery.Shard][]delivery.ID)
	for _, id := range ids {
		groups[id.Shard()] = append(groups[id.Shard()], id)
	}
	return groups
}

// inOrder runs a step for every group, lowest shard first.
func inOrder[G any](groups map[delivery.Shard]G, step func(delivery.Shard, G) error) error {
	for _, shard := range slices.Sorted(maps.Keys(groups)) {
		if err := step(shard, groups[shard]); err != nil {
			return err
		}
	}
	return nil
}

// unique drops repeated ids and keeps the order of the others.
func unique(ids []delivery.ID) []delivery.ID {
	seen := make(map[delivery.ID]bool, len(ids))
	return slices.DeleteFunc(slices.Clone(ids), func(id delivery.ID) bool {
		repeated := seen[id]
		seen[id] = true
		return repeated
	})
}

// newer says whether a delivery is of a later event than another.
func newer(id, than delivery.ID) bool { return bytes.Compare(id[:], than[:]) > 0 }
