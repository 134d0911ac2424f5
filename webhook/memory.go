package webhook

import (
	"container/list"
	"context"
	"sync"
	"time"
)

// The bounds of a [Memory] made with zeros.
const (
	DefaultMemoryLimit = 100_000            // ids; some 20 MiB
	DefaultMemoryAge   = 7 * 24 * time.Hour // D12
)

// Memory is a [Seen] store within one process: a restart forgets it, and so does
// another instance. Ids that are claimed now are never dropped, handled ones when
// they reach the age or, the oldest first, when there are more than the limit.
type Memory struct {
	limit int
	age   time.Duration

	mu sync.Mutex
	// ids holds every known id; the value is nil while the id is claimed, and
	// its element in handled afterwards.
	ids     map[string]*list.Element
	handled *list.List // of handledID, oldest first
}

type handledID struct {
	id string
	at time.Time
}

// NewMemory returns a store of at most limit handled ids, none older than age;
// zeros mean [DefaultMemoryLimit] and [DefaultMemoryAge].
func NewMemory(limit int, age time.Duration) *Memory {
	if limit <= 0 {
		limit = DefaultMemoryLimit
	}
	if age <= 0 {
		age = DefaultMemoryAge
	}
	return &Memory{limit: limit, age: age, ids: map[string]*list.Element{}, handled: list.New()}
}

// Claim implements [Seen].
func (m *Memory) Claim(_ context.Context, id string) (Claim, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.drop()
	switch element, known := m.ids[id]; {
	case !known:
		m.ids[id] = nil
		return &memoryClaim{memory: m, id: id}, nil
	case element == nil:
		return nil, ErrBeingHandled
	default:
		return nil, ErrAlreadyHandled
	}
}

// drop removes handled ids that are too old or too many. The caller holds mu.
func (m *Memory) drop() {
	for oldest := m.handled.Front(); oldest != nil; oldest = m.handled.Front() {
		entry := oldest.Value.(handledID)
		if m.handled.Len() <= m.limit && time.Since(entry.at) < m.age {
			return
		}
		m.handled.Remove(oldest)
		delete(m.ids, entry.id)
	}
}

type memoryClaim struct {
	memory  *Memory
	id      string
	settled bool // guarded by memory.mu
}

// Keep implements [Claim].
func (c *memoryClaim) Keep(context.Context) error {
	c.settle(func(m *Memory) {
		m.ids[c.id] = m.handled.PushBack(handledID{id: c.id, at: time.Now()})
		m.drop()
	})
	return nil
}

// Release implements [Claim].
func (c *memoryClaim) Release(context.Context) error {
	c.settle(func(m *Memory) { delete(m.ids, c.id) })
	return nil
}

func (c *memoryClaim) settle(change func(*Memory)) {
	c.memory.mu.Lock()
	defer c.memory.mu.Unlock()
	if !c.settled {
		c.settled = true
		change(c.memory)
	}
}
