package client

import (
	"context"
	"iter"
	"net/http"
	"net/url"
	"time"
)

// Scope says what an API key may do.
type Scope string

// The scopes.
const (
	ScopeAdmin   Scope = "admin"   // everything
	ScopeTenant  Scope = "tenant"  // everything of its tenant
	ScopePublish Scope = "publish" // only publish
	ScopeRead    Scope = "read"    // only read
)

// Key is an API key.
type Key struct {
	ID        string    `json:"id"`
	Scope     Scope     `json:"scope"`
	Tenant    string    `json:"tenant"` // "" for the scope admin
	Name      string    `json:"name"`
	CreatedAt time.Time `json:"created_at"`
	RevokedAt time.Time `json:"revoked_at"` // zero: it works
	Key       string    `json:"key"`        // the key itself: only in the answer to its creation
}

// NewKey is an API key to be created.
type NewKey struct {
	Scope  Scope  `json:"scope"`
	Tenant string `json:"tenant,omitempty"` // none for the scope admin
	Name   string `json:"name,omitempty"`   // to know later what it was for

	IdempotencyKey string `json:"-"` // see the package's documentation; "": the call makes one
}

// KeyFilter says which keys to list, oldest first.
type KeyFilter struct {
	Tenant string // "": all that the caller may see
	Paging
}

func (f KeyFilter) query() url.Values {
	query := f.into(url.Values{})
	set(query, "tenant", f.Tenant)
	return query
}

const keysPath = "/v1/keys"

// CreateKey creates an API key. The answer holds it, this once. When the answer to
// the first try got lost, Key.Key is empty: revoke it, and create another.
func (c *Client) CreateKey(ctx context.Context, key NewKey) (Key, error) {
	return create[Key](ctx, c, keysPath, key.IdempotencyKey, key)
}

// Keys goes through all keys that match, oldest first, revoked ones included.
func (c *Client) Keys(ctx context.Context, filter KeyFilter) iter.Seq2[Key, error] {
	return List[Key](ctx, c, keysPath, filter.query())
}

// KeyPage reads one page of them.
func (c *Client) KeyPage(ctx context.Context, filter KeyFilter) (Page[Key], error) {
	return Do[Page[Key]](ctx, c, Request{Method: http.MethodGet, Path: keysPath, Query: filter.query()})
}

// RevokeKey has a key, named by its id, stop working within 5 seconds. It is sent
// once.
func (c *Client) RevokeKey(ctx context.Context, id string) error {
	return remove(ctx, c, Request{Path: keysPath + Path(id)})
}
