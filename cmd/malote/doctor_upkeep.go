package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/malotehq/malote/internal/store"
)

// checkStranded looks for work that nobody would wake (I4).
func checkStranded(ctx context.Context, s *store.Store) finding {
	found := finding{Check: "lanes", Health: healthy, Found: "none is stranded"}
	n, err := s.Stranded(ctx)
	switch {
	case err != nil:
		found.Health, found.Found, found.Fix = wrong, oneLine(err.Error()), "look at PostgreSQL's log"
	case n > 0:
		found.Health, found.Found = wrong, counted(n, "lane")+" with due work that nobody has woken"
		found.Fix = "a malote serve with the role worker wakes them within a minute: see that one runs; if it happens again, please report it"
	}
	return found
}

const (
	tablesLookedAt = 20
	manyDead       = 200_000
	deadShare      = 2 // dead rows for every live one
	longHeld       = 30 * time.Minute
)

// checkBloat looks for dead rows that are not removed, and for who keeps them.
func checkBloat(ctx context.Context, s *store.Store) finding {
	broken := func(err error) finding {
		return finding{Check: "vacuum", Health: wrong, Found: oneLine(err.Error()), Fix: "look at PostgreSQL's log"}
	}
	tables, err := s.DeadRows(ctx, tablesLookedAt)
	if err != nil {
		return broken(err)
	}
	holder, held, err := s.OldestHolder(ctx)
	if err != nil {
		return broken(err)
	}
	return judgeBloat(tables, holder, held)
}

func judgeBloat(tables []store.DeadRows, holder store.Holder, held bool) finding {
	var bloated []string
	for _, t := range tables {
		if t.Dead >= manyDead && t.Dead >= deadShare*t.Live {
			bloated = append(bloated, fmt.Sprintf("%s has %d dead rows beside %d live ones", t.Table, t.Dead, t.Live))
		}
	}
	found := finding{Check: "vacuum", Health: healthy, Found: "keeps up"}
	if len(bloated) > 0 {
		found.Health, found.Found = warning, strings.Join(bloated, "; ")
		found.Fix = "see that autovacuum is on; VACUUM these tables if it does not get less"
	}
	if held && holder.Age > longHeld {
		found.Health = warning
		found.Found += fmt.Sprintf("; %s has held it up for %s", holder.What, brief(holder.Age))
		found.Fix = "end that transaction: while it lasts, no dead row is removed and claims become slower"
	}
	return found
}
