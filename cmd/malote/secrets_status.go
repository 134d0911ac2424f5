package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/malotehq/malote/internal/seal"
	"github.com/malotehq/malote/internal/store/registry"
)

type sealingStatusCommand struct {
	sealingFlags
	JSON bool `name:"json" help:"Print one JSON object a line."`
}

// Help implements kong.HelpProvider.
func (sealingStatusCommand) Help() string {
	return `Give it the keys that malote serve has. Exits with 1 if something is sealed under another.

Example:
  MALOTE_SECRET_KEY=NEW,OLD DATABASE_URL=postgres://… malote secrets status`
}

// standing is what a key is to those who have the keys that were given.
type standing string

// The standings.
const (
	standsCurrent  standing = "current"
	standsOlder    standing = "older"
	standsUnknown  standing = "unknown"
	standsUnsealed standing = "unsealed" // no key
)

// sealedCount is how much is sealed under one key.
type sealedCount struct {
	KeyID    *string  `json:"key_id"` // nil: not sealed
	Standing standing `json:"standing"`
	Values   int      `json:"values"`
}

// Run implements the command.
func (f *sealingStatusCommand) Run(env *environment) error {
	progress := env.progress("counting what is sealed")
	defer progress.stop()
	s, keys, err := f.open(env)
	if err != nil {
		return err
	}
	defer s.Close()
	inUse, err := registry.New(s, registry.Options{}).KeysInUse(env.ctx)
	if err != nil {
		return asksDoctor(err)
	}
	progress.stop()
	counts := countSealed(keys, inUse)
	f.print(env, counts)
	return verdictOf(counts, len(keys) > 0)
}

// asksDoctor sends whoever has a database that works, but not for this, on.
func asksDoctor(err error) error { return fmt.Errorf("%w; malote doctor says what is wrong", err) }

// countSealed goes through the keys that were given, in their order, then those
// that were not, then what is not sealed.
func countSealed(keys []seal.Key, inUse map[string]int) []sealedCount {
	var counts []sealedCount
	rest := maps.Clone(inUse)
	for i, key := range keys {
		id := key.ID()
		held := standsOlder
		if i == 0 {
			held = standsCurrent
		}
		counts = append(counts, sealedCount{&id, held, rest[id]})
		delete(rest, id)
	}
	for _, id := range slices.Sorted(maps.Keys(rest)) {
		if id != "" {
			counts = append(counts, sealedCount{&id, standsUnknown, rest[id]})
		}
	}
	if n := rest[""]; n > 0 {
		counts = append(counts, sealedCount{nil, standsUnsealed, n})
	}
	return counts
}

func (f *sealingStatusCommand) print(env *environment, counts []sealedCount) {
	if f.JSON {
		for _, c := range counts {
			fmt.Fprintf(env.stdout, "%s\n", encoded(c))
		}
		return
	}
	out := newTable(env.stdout, "KEY", "STANDING", "VALUES")
	for _, c := range counts {
		out.row(orAbsent(c.KeyID), string(c.Standing), strconv.Itoa(c.Values))
	}
	out.flush()
	behind := under(counts, standsOlder) + under(counts, standsUnsealed)
	switch {
	case under(counts, standsUnknown) > 0:
	case len(counts) == 0 || counts[0].Standing == standsUnsealed:
		fmt.Fprintln(env.stdout, "There is no key yet: malote serve makes one under --data-dir, unless it is given one.")
	case behind > 0:
		fmt.Fprintf(env.stdout, "%s not under the current key: malote secrets reseal seals them.\n", areOf(behind))
	default:
		fmt.Fprintln(env.stdout, "Everything is sealed under the current key.")
	}
}

func areOf(values int) string {
	if values == 1 {
		return "1 value is"
	}
	return counted(values, "value") + " are"
}

// under sums up the values whose keys have the standing.
func under(counts []sealedCount, which standing) (values int) {
	for _, c := range counts {
		if c.Standing == which {
			values += c.Values
		}
	}
	return values
}

// verdictOf is an error if something does not open.
func verdictOf(counts []sealedCount, hasKeys bool) error {
	var missing []string
	for _, c := range counts {
		if c.Standing == standsUnknown {
			missing = append(missing, *c.KeyID)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	hint := "give it after the current one in MALOTE_SECRET_KEY"
	if !hasKeys {
		hint = "set MALOTE_SECRET_KEY as for malote serve, or --data-dir to its own"
	}
	return fmt.Errorf("%s sealed under a key that was not given (%s): %s",
		areOf(under(counts, standsUnknown)), strings.Join(missing, ", "), hint)
}
