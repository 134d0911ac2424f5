package app

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/malotehq/malote/internal/circuit"
	"github.com/malotehq/malote/internal/policy"
	"github.com/malotehq/malote/internal/store/registry"
)

// policyBook finds policies by name: presets, and what users wrote. A policy
// never changes once it is published, so that what was read once is kept.
type policyBook struct {
	stored func(ctx context.Context, name string) (registry.Policy, error)

	mu   sync.RWMutex
	read map[string]*policy.Policy
}

// bookTimeout bounds reading a policy that this process has not seen yet.
const bookTimeout = 5 * time.Second

func newPolicyBook(reg *registry.Registry) *policyBook {
	return &policyBook{stored: reg.Policy, read: make(map[string]*policy.Policy)}
}

// errUnknownPolicy is wrapped by Policy's error when there is no such policy.
var errUnknownPolicy = errors.New("there is no such policy")

// circuit gives a policy's circuit to the watch.
func (b *policyBook) circuit(name string) (*circuit.Settings, error) {
	contract, err := b.Policy(name)
	if err != nil {
		return nil, err
	}
	return &contract.Circuit, nil
}

// Policy implements the Policies interfaces of publish, dispatch and maintenance.
func (b *policyBook) Policy(name string) (*policy.Policy, error) {
	if preset, ok := policy.Preset(name); ok {
		return preset, nil
	}
	b.mu.RLock()
	known := b.read[name]
	b.mu.RUnlock()
	if known != nil {
		return known, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), bookTimeout)
	defer cancel()
	stored, err := b.stored(ctx, name)
	if errors.Is(err, registry.ErrNotFound) {
		return nil, fmt.Errorf("%w: %q", errUnknownPolicy, name)
	}
	if err != nil {
		return nil, fmt.Errorf("reading policy %q: %w", name, err)
	}
	parsed, err := policy.Parse([]byte(stored.Source))
	if err != nil {
		return nil, fmt.Errorf("reading policy %q: %w", name, err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.read[name] = parsed
	return parsed, nil
}
