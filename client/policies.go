package client

import (
	"context"
	"time"
)

// Policy is a delivery contract: deadline, retries, signature and headers.
type Policy struct {
	Name        string    `json:"name"`
	Description string    `json:"description"`
	Preset      bool      `json:"preset"`     // it comes with Malote
	YAML        string    `json:"yaml"`       // as it was written, comments included
	CreatedAt   time.Time `json:"created_at"` // zero for presets
}

// NewPolicy is a policy to be created.
type NewPolicy struct {
	YAML string `json:"yaml"` // its name is in it

	IdempotencyKey string `json:"-"` // see the package's documentation; "": the call makes one
}

const policiesPath = "/v1/policies"

// Policies lists all policies, the presets first.
func (c *Client) Policies(ctx context.Context) ([]Policy, error) {
	all, err := get[Page[Policy]](ctx, c, policiesPath)
	return all.Data, err
}

// Policy reads one policy. One that is not there is an error with
// CodeUnknownPolicy.
func (c *Client) Policy(ctx context.Context, name string) (Policy, error) {
	return get[Policy](ctx, c, policiesPath+Path(name))
}

// CreatePolicy creates a policy, which never changes: endpoints rely on it.
// Creating the same one again does nothing.
func (c *Client) CreatePolicy(ctx context.Context, policy NewPolicy) (Policy, error) {
	return create[Policy](ctx, c, policiesPath, policy.IdempotencyKey, policy)
}
