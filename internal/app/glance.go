package app

import (
	"context"
	"sync"
	"time"
)

// glances shows what somebody has just looked up to whoever asks for the same:
// many who watch must not add up to load. Whoever asks while it is looked up, waits
// for it. Safe for concurrent use.
type glances[K comparable, V any] struct {
	least time.Duration // a look is shown again for so long, or for glanceRest times what it took

	mu    sync.Mutex // owns the map
	looks map[K]*glance[V]
}

// glance is one answer. Whoever has put something into turn owns the rest.
type glance[V any] struct {
	turn  chan struct{}
	value V
	until time.Time
}

const (
	glanceRest = 10
	// maxGlances bounds what is remembered; past it everything is forgotten.
	maxGlances = 1000
)

// of gives the answer for a key, looking if there is none or it is too old. An
// error is given to who looked, and not remembered.
func (g *glances[K, V]) of(ctx context.Context, key K, look func(context.Context) (V, error)) (V, error) {
	one := g.entry(key)
	select {
	case one.turn <- struct{}{}:
		defer func() { <-one.turn }()
	case <-ctx.Done():
		return one.nothing(ctx.Err())
	}
	begun := time.Now()
	if begun.Before(one.until) {
		return one.value, nil
	}
	value, err := look(ctx)
	if err != nil {
		return value, err
	}
	now := time.Now()
	one.value, one.until = value, now.Add(max(g.least, glanceRest*now.Sub(begun)))
	return value, nil
}

func (*glance[V]) nothing(err error) (V, error) {
	var nothing V
	return nothing, err
}

func (g *glances[K, V]) entry(key K) *glance[V] {
	g.mu.Lock()
	defer g.mu.Unlock()
	one := g.looks[key]
	if one == nil {
		if g.looks == nil || len(g.looks) >= maxGlances {
			g.looks = make(map[K]*glance[V])
		}
		one = &glance[V]{turn: make(chan struct{}, 1)}
		g.looks[key] = one
	}
	return one
}
